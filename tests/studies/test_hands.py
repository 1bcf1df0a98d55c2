"""Hands drawn at random, given, and read from files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from courtpiece.cards import parse_cards
from courtpiece.errors import CardError, UsageError
from courtpiece.studies.hands import FILE, HAND, HandsFile, random_hands, read_hands
from courtpiece.table import Table

TWO = (parse_cards("AS KS 5S 2H 9D"), parse_cards("2C 3C 4C 5C 6C"))


def test_a_random_hand_is_that_of_eldest_in_the_deal_of_its_number() -> None:
    assert random_hands(7, 3, 5) == random_hands(7, 0, 9)[3:5]
    dealt = Table("classic", "simple").trace(7, 4, 1).hands[0, 0, :5]
    assert list(random_hands(7, 4, 5)[0]) == dealt.tolist()


def test_random_hands_hold_every_card_equally_often() -> None:
    counts = Counter(card for hand in random_hands(1, 0, 10_400) for card in hand)
    assert len(counts) == 52
    assert all(850 < count < 1150 for count in counts.values())         # 1000 expected, 5 sigma


@pytest.mark.parametrize(
    "text",
    [
        "AS KS 5S 2H 9D\n2C 3C 4C 5C 6C\n",
        "# two hands\n\nAS KS 5S 2H 9D\n   \n...65432",
        "AK5.2.9.\r\n2C,3C,4C,5C,6C\r\n",
        "A♠;K♠;5♠;2♥;9♦\n2♣;3♣;4♣;5♣;6♣",
        '"AS KS 5S 2H 9D"\n"2C 3C 4C 5C 6C"\n',
        "hand\nAS KS 5S 2H 9D\n2C 3C 4C 5C 6C\n",
        'name,hand,note\none,AS KS 5S 2H 9D,strong\ntwo,"2C,3C,4C,5C,6C",\n',
        "one\ttwo\tthree\tfour\tfive\nAS\tKS\t5S\t2H\t9D\n2C\t3C\t4C\t5C\t6C\n",
    ],
)
def test_files_of_text_and_csv_hold_a_hand_a_line(text: str) -> None:
    assert [set(hand) for hand in read_hands(text.splitlines(), "file")] == [set(hand) for hand in TWO]


def test_every_bad_line_is_named_with_its_number() -> None:
    text = "AS KS 5S 2H 9D\nAS KS\n\n2C 3C 4C 5C XC\nAS AS 5S 2H 9D\n1\n2\n"
    with pytest.raises(UsageError) as caught:
        read_hands(text.splitlines(), "hands.txt")
    assert "hands.txt: line 2: a calling hand is five cards, and AS KS is 2; line 4: " in str(caught.value)
    assert "; line 5: AS is there twice; 2 more lines" in str(caught.value)


def test_a_line_too_long_for_csv_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^h\.csv: line 1: field larger than field limit"):
        read_hands(["AS " * 50_000], "h.csv")


def test_a_line_without_the_column_of_hands_is_bad() -> None:
    with pytest.raises(UsageError, match="x: line 2: there is no hand"):
        read_hands(["name,hand", "one"], "x")


def test_a_file_without_hands_is_refused() -> None:
    with pytest.raises(UsageError, match="x holds no hands: it needs five cards a line"):
        read_hands(["# nothing", "hand"], "x")


def test_a_file_is_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "hands.csv"
    path.write_text("\ufeffAS KS 5S 2H 9D\n2C 3C 4C 5C 6C\n", encoding="utf-8")
    found = FILE.read(str(path))
    assert found == HandsFile(str(path), TWO)
    assert FILE.read(FILE.write(found)).hands == TWO
    assert FILE.show(found) == str(path)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.csv cannot be read: no such file"):
        FILE.read(str(tmp_path / "none.csv"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="binary is not text in UTF-8"):
        FILE.read(str(tmp_path / "binary"))


def test_a_hand_is_read_in_every_notation() -> None:
    assert HAND.read("AK5.2.9.") == HAND.read(list(TWO[0])) == HAND.read(HAND.write(TWO[0])) == TWO[0]
    with pytest.raises(CardError, match="five cards"):
        HAND.read("AS")
    with pytest.raises(UsageError, match="must be five cards"):
        HAND.read(7)
