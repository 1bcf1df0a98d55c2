"""`courtpiece solve`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from courtpiece import cli
from courtpiece.cards import Card, Suit, dotted
from courtpiece.deal import Deal
from courtpiece.played import played
from courtpiece.record import write
from courtpiece.solve import solve, solve_many
from courtpiece.table import Table

Output = pytest.CaptureFixture[str]

# Deals solved by two other programs: hands and trump, whether the leader's side can take seven, its tricks.
SOLVED = (
    ("AJ875.85.A96.T97 KQT4.A76.J85.Q84 32.KJT9432.QT3.K 96.Q.K742.AJ6532 C", 0, 3),
    ("86.A95.J93.KJ987 JT54.KJT43.QT.AQ K72.7.AK862.T642 AQ93.Q862.754.53 C", 1, 9),
    ("A983.KT8654..AQ8 752.Q.AKJ43.K964 J.AJ97.Q652.J752 KQT64.32.T987.T3 S", 0, 6),
    ("AKT.A72.A83.K842 9643.QJ54.K6.AQ5 QJ2.98.QT974.976 875.KT63.J52.JT3 C", 1, 8),
)
# One deal of theirs with each seat on lead and each suit trump: the tricks of the leader's side.
TURNED = ["AQT843.J865.43.2", "KJ.QT2.752.KT965", "75.AK974.AJT6.A3", "962.3.KQ98.QJ874"]
TURNED_TRICKS = {"S": (12, 2, 12, 2), "H": (12, 2, 12, 2), "D": (8, 6, 7, 6), "C": (4, 9, 4, 9)}

ONE_SUIT_EACH = ["AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432"]
ENDING = ["A2...", "K3...", "Q4...", "J5..."]
LINES = "".join(f"{line}\n" for line, _, _ in SOLVED)


def answer(capsys: Output, *arguments: str) -> Any:
    """Returns what the command prints as JSON."""
    assert cli.main(["solve", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refusal(capsys: Output, *arguments: str) -> str:
    """Returns the one line that refuses the arguments."""
    assert cli.main(["solve", *arguments]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert said.err.startswith("courtpiece: ")
    return said.err


@pytest.fixture
def record(tmp_path: Path) -> tuple[str, Deal]:
    """A file with two records, and the deal of the second."""
    deals = list(played(Table("single-sir", "greedy"), 1, 0, 2, dealer=1))
    path = tmp_path / "deals.jsonl"
    path.write_text("".join(json.dumps(write(deal)) + "\n" for deal in deals))
    return str(path), deals[1]


# Every trump and leader


def test_every_trump_and_leader_has_the_tricks_that_others_found(capsys: Output) -> None:
    table = answer(capsys, *TURNED)["table"]
    assert len(table) == 16
    for cell in table:
        assert cell["tricks"] == TURNED_TRICKS[cell["trump"]]["SENW".index(cell["leader"])]


def test_the_outcome_is_of_the_leader_who_calls_and_told_with_its_score(capsys: Output) -> None:
    for cell in answer(capsys, *TURNED)["table"]:
        side, other = ("SN", "EW") if cell["leader"] in "SN" else ("EW", "SN")
        assert cell["winner"] == (side if cell["tricks"] >= 7 else other)
        score = {"caller-win": 1, "defender-win": 2, "caller-kot": 3, "defender-kot": 4}[cell["outcome"]]
        assert cell["score"] == score
        assert cell["kot"] == (cell["outcome"] == "caller-kot")


def test_who_holds_a_whole_suit_makes_a_kot_of_it_and_suffers_one_of_anothers(capsys: Output) -> None:
    cells = {(cell["leader"], cell["trump"]): cell for cell in answer(capsys, *ONE_SUIT_EACH)["table"]}
    assert cells["S", "S"]["outcome"] == "caller-kot"
    assert (cells["S", "S"]["tricks"], cells["S", "S"]["kot"]) == (13, True)
    assert cells["S", "H"]["outcome"] == "defender-kot"
    assert (cells["S", "H"]["tricks"], cells["S", "H"]["kot"]) == (0, False)


def test_the_table_on_the_screen_has_a_line_for_each_leader(capsys: Output) -> None:
    assert cli.main(["solve", *ONE_SUIT_EACH]) == 0
    text = capsys.readouterr().out
    line = next(line for line in text.splitlines() if re.match(r"S +\d", line))
    assert re.findall(r"\d+ kot [+−]\d", line) == ["13 kot +3", "0 kot −4"] * 2
    assert "trump fixed and known from the first lead; rules single-sir" in text


def test_one_leader_can_be_asked_for(capsys: Output) -> None:
    table = answer(capsys, *TURNED, "--leader", "w")["table"]
    assert [cell["leader"] for cell in table] == ["W"] * 4
    assert [cell["tricks"] for cell in table] == [tricks[3] for tricks in TURNED_TRICKS.values()]


def test_the_end_of_a_deal_has_tricks_and_no_outcome(capsys: Output) -> None:
    for cell in answer(capsys, *ENDING)["table"]:
        assert (cell["outcome"], cell["kot"]) == (None, None)
        assert cell["tricks"] == (0 if cell["leader"] == "E" else 1)


# How hands can be given


@pytest.mark.parametrize("given", [
    TURNED,
    [" ".join(TURNED)],
    ["AS QS TS 8S 4S 3S JH 8H 6H 5H 4D 3D 2C", *TURNED[1:]],
    ["A♠ Q♠ 10♠ 8♠ 4♠ 3♠, J♥ 8♥ 6♥ 5♥, 4♦ 3♦, 2♣", *TURNED[1:]],
])
def test_hands_may_be_written_in_any_notation(capsys: Output, given: list[str]) -> None:
    told = answer(capsys, *given, "--trump", "♠")
    assert (told["trump"], told["tricks"], told["hands"]["S"]) == ("S", 12, TURNED[0])


@pytest.mark.parametrize("form", ["{}", '[Deal "{}"]', " {} "])
def test_a_pbn_deal_goes_clockwise_whatever_way_the_play_goes(capsys: Output, form: str) -> None:
    first, second, third, fourth = TURNED
    clockwise = form.format(f"N:{first} {second} {third} {fourth}")
    told = answer(capsys, clockwise, "--direction", "clockwise")
    assert told["hands"] == {"N": first, "E": second, "S": third, "W": fourth}
    tricks = {(cell["leader"], cell["trump"]): cell["tricks"] for cell in told["table"]}
    assert tricks == {
        ("NESW"[seat], trump): TURNED_TRICKS[trump][seat] for seat in range(4) for trump in "SHDC"
    }

    anticlockwise = form.format(f"N:{first} {fourth} {third} {second}")     # the same hands in order of play
    told = answer(capsys, anticlockwise)
    assert list(told["hands"].items()) == [("N", first), ("W", second), ("S", third), ("E", fourth)]
    assert [cell["tricks"] for cell in told["table"]] == [
        TURNED_TRICKS[trump][seat] for seat in range(4) for trump in "SHDC"
    ]


# One position


def test_a_position_tells_what_each_card_is_worth_and_one_line_of_best_play(capsys: Output) -> None:
    hands, trump = SOLVED[0][0].rsplit(" ", 1)
    told = answer(capsys, *hands.split(), "--trump", trump)
    solution = solve(hands, trump=trump, rules="single-sir")
    assert {card["card"]: card["tricks"] for card in told["cards"]} == {
        str(value.card): value.tricks for value in solution.cards
    }
    assert (told["tricks"], told["outcome"], told["winner"], told["score"]) == (3, "defender-win", "EW", 2)
    assert next(card["equals"] for card in told["cards"] if card["card"] == "TC") == ["9C"]
    assert len(set(told["line"])) == 52


def test_equal_cards_stand_together_on_the_screen(capsys: Output) -> None:
    assert cli.main(["solve", *SOLVED[0][0].split()[:4], "--trump", "clubs"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^T♣ = 9♣ +3 +−4$", text, re.MULTILINE)
    assert re.search(r"^7♣ +3 +−4$", text, re.MULTILINE)
    assert re.search(r"^Best play: S .. .. .. .. · ", text, re.MULTILINE)
    assert "For points: EW wins, 2 points.\n" in text


def test_the_score_of_the_rules_counts(capsys: Output) -> None:
    hands = SOLVED[0][0].split()[:4]
    assert answer(capsys, *hands, "--trump", "C", "--rules", "single-sir,score=[1,5,6,7]")["score"] == 5
    assert cli.main(["solve", *hands, "--trump", "C", "--rules", "single-sir,counting=kots"]) == 0
    assert "For points: EW wins, 0 kots.\n" in capsys.readouterr().out


# Records


def test_a_recorded_deal_is_solved_for_every_trump_and_leader(
    capsys: Output, record: tuple[str, Deal]
) -> None:
    file, deal = record
    told = answer(capsys, file, "--line", "2")
    assert told["hands"] == {deal.name(seat): dotted(deal.dealt[seat]) for seat in range(4)}
    masks = [[sum(1 << card for card in hand) for hand in deal.dealt]] * 16
    seats = [seat for seat in range(4) for _ in Suit]
    assert [cell["tricks"] for cell in told["table"]] == list(solve_many(masks, [*range(4)] * 4, seats))


@pytest.mark.parametrize("after", [0, 1, 18, 27])
def test_a_recorded_deal_is_solved_after_some_cards(
    capsys: Output, record: tuple[str, Deal], after: int
) -> None:
    file, deal = record
    again = Deal(deal.rules, deal.dealt, dealer=deal.dealer)
    for word in deal.words:
        again.say(word)
    cards = [card for card in deal.plays if isinstance(card, Card)]
    for card in cards[:after]:
        again.play(card)
    told = answer(capsys, file, "--line", "2", "--after", str(after))
    assert told["turn"] == again.name(again.turn)
    assert told["trick"] == [str(card) for card in again.trick]
    assert list(told["taken"].values()) == list(again.taken)
    assert {card["card"] for card in told["cards"]} == {str(card) for card in again.legal_cards()}
    solution = solve(again)
    assert (told["tricks"], told["outcome"]) == (solution.tricks, str(solution.outcome))
    assert cli.main(["solve", file, "--line", "2", "--after", str(after)]) == 0
    assert (" led: " in capsys.readouterr().out) == bool(again.trick)


def test_a_record_may_come_from_standard_input(
    capsys: Output, record: tuple[str, Deal], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, _ = record
    told = answer(capsys, file, "--after", "20")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(file).read_bytes())))
    assert answer(capsys, "-", "--after", "20") == told


# A file of deals


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("question", ["seven", "tricks", "kot", "outcome"])
def test_a_file_gets_one_answer_a_line_in_order(
    capsys: Output, tmp_path: Path, question: str, jobs: str
) -> None:
    path = tmp_path / "deals.txt"
    path.write_text(LINES + " ".join(ONE_SUIT_EACH) + " s\n" + " ".join(ONE_SUIT_EACH) + " h")
    expected: dict[str, list[int | str]] = {
        "seven": [*(seven for _, seven, _ in SOLVED), 1, 0],
        "tricks": [*(tricks for _, _, tricks in SOLVED), 13, 0],
        "kot": [0, 0, 0, 0, 1, 0],
        "outcome": ["defender-win", "caller-win", "defender-win", "caller-win", "caller-kot", "defender-kot"],
    }
    assert cli.main(["solve", str(path), "--question", question, "--jobs", jobs]) == 0
    assert capsys.readouterr().out.split("\n") == [*map(str, expected[question]), ""]


def test_more_lines_than_are_held_at_once_stay_in_order(capsys: Output, tmp_path: Path) -> None:
    path = tmp_path / "endings.txt"
    lines = [f"{' '.join([*ENDING[turn:], *ENDING[:turn]])} S" for turn in range(4)]
    path.write_text("\r\n".join(["\ufeff" + lines[0], *lines[1:], "", *(lines * 99)]))
    assert cli.main(["solve", str(path), "--question", "tricks", "--jobs", "2"]) == 0
    assert capsys.readouterr().out.split() == ["1", "0", "1", "1"] * 100


def test_a_line_is_answered_before_the_next_one_comes() -> None:
    code = "import sys; from courtpiece.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "solve", "-", "--question", "tricks"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, _, tricks in SOLVED:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{tricks}\n"
        process.stdin.close()
    assert process.returncode == 0


HANDS = SOLVED[0][0].rsplit(" ", 1)[0]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{HANDS}", "a line is HAND HAND HAND HAND TRUMP, five words, not 4"),
        (f"{HANDS} C 3", "five words, not 6"),
        (f"{HANDS} X", 'there is no suit "X": a suit is S, H, D or C'),
        (HANDS.replace("T97", "T9") + " C", "the hands hold [12, 13, 13, 13] cards: every seat must"),
        (HANDS.replace("KQT4", "AQT4") + " C", "AS is there twice"),
        (HANDS.replace("KQT4", "KKT4") + " C", "hand 2: KS is there twice"),
        (HANDS.replace("KQT4", "K1T4") + " C", 'has no rank "1"'),
        (". . . . S", "the hands hold no cards"),
        ("x" * 5000, "the line is longer than 4096 bytes"),
        ("\udcff", "is not UTF-8"),
    ],
)
def test_a_bad_line_is_named_and_what_was_answered_before_it_stays(
    capsys: Output, tmp_path: Path, line: str, why: str, jobs: str
) -> None:
    path = tmp_path / "deals.txt"
    path.write_bytes(f"{LINES}\n{line}\n{LINES}".encode(errors="surrogateescape"))
    assert cli.main(["solve", str(path), "--question", "tricks", "--jobs", jobs]) == 2
    said = capsys.readouterr()
    assert said.out.split() == ["3", "9", "6", "8"]
    assert said.err.startswith(f"courtpiece: {path}, line 6")
    assert why in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("question", "rules", "line", "why"),
    [
        ("kot", "single-sir", f"{' '.join(ENDING)} S", "kot is asked of whole deals, 13 cards a seat"),
        ("outcome", "single-sir", f"{' '.join(ENDING)} S", "outcome is asked of whole deals"),
        ("kot", "double-sir", f"{HANDS} S", "which collection=pile does not count"),
        ("tricks", "single-sir", f"{HANDS} -", "trump=called always has a trump: give one of S, H, D, C"),
        ("tricks", "hidden-trump", f"{HANDS} -", "trump=hidden needs the trump once shown"),
    ],
)
def test_a_question_that_has_no_answer_is_refused(
    capsys: Output, tmp_path: Path, question: str, rules: str, line: str, why: str
) -> None:
    path = tmp_path / "deals.txt"
    path.write_text(line)
    said = refusal(capsys, str(path), "--question", question, "--rules", rules)
    assert "line 1: " in said
    assert why in said


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (TURNED[:3], "a deal has four hands, each one word or in quotes, not 3"),
        (["N:A2... K3... Q4..."], "a PBN deal has four hands with spaces between, not 3"),
        ([*ENDING[:3], "J5.9.."], "the hands hold [2, 2, 2, 3] cards: every seat must have as many"),
        ([*ENDING[:3], "A5..."], "AS is there twice"),
        ([*ENDING[:3], "J5....2"], "hand 4: "),
        ([*ENDING, "--trump", "Z"], 'there is no suit "Z"'),
        ([*ENDING, "--trump", "-"], "trump=called always has a trump"),
        ([*ENDING, "--leader", "X"], 'the leader is one of S, E, N, W, not "X"'),
        ([*ENDING, "--after", "3"], "--after takes a record"),
        ([*ENDING, "--question", "seven"], "--question takes a file with a deal a line"),
        ([*ENDING, "--jobs", "2"], "--jobs is for a file of deals with --question"),
        ([*ENDING, "--direction", "left"], "direction"),
        ([*TURNED, "--hide", "AS"], "trump=called hides no card"),
        ([*TURNED, "--hide", "2H", "--rules", "hidden-trump"], "S leads and does not hold 2H"),
        ([*TURNED, "--hide", "AS", "--trump", "S"], "--hide leaves no place for --trump"),
        (["...", "...", "...", "..."], "the hands hold no cards"),
        (["/nowhere"], "/nowhere cannot be read: no such file or directory"),
        (["/nowhere", "--question", "seven"], "/nowhere cannot be read: no such file or directory"),
        (["x", "--question", "seven", "--trump", "S"], "--question leaves no place for --trump"),
        (["x", "--rules", "single-sir"], "a record has rules of its own"),
    ],
)
def test_what_cannot_be_solved_is_refused_in_one_line(
    capsys: Output, arguments: list[str], why: str
) -> None:
    assert why in refusal(capsys, *arguments)


def test_a_place_that_a_record_does_not_have_is_refused(capsys: Output, record: tuple[str, Deal]) -> None:
    file, _ = record
    assert "cards played, not 60" in refusal(capsys, file, "--after", "60")
    assert "--after leaves no place for --trump" in refusal(capsys, file, "--after", "6", "--trump", "S")
    assert "has no record 3" in refusal(capsys, file, "--line", "3")


def test_lines_without_trump_are_answered_where_no_rules_are_named(capsys: Output, tmp_path: Path) -> None:
    deals = tmp_path / "deals.txt"
    deals.write_text("AKQ... ...AKQ .AKQ.. ..AKQ. -\n")
    assert cli.main(["solve", str(deals), "--question", "tricks"]) == 0
    assert capsys.readouterr().out == "3\n"


def test_a_claim_is_certain_for_a_side_that_loses_no_trick_under_rules_with_claims(capsys: Output) -> None:
    table = answer(capsys, *ONE_SUIT_EACH, "--rules", "bavan")["table"]
    for cell in table:
        owner = "SENW"["SHDC".index(cell["trump"])]
        assert cell["certain_claim"] == ("SN" if owner in "SN" else "EW")
    assert answer(capsys, *ONE_SUIT_EACH, "--rules", "bavan", "--trump", "H")["certain_claim"] == "EW"
    assert answer(capsys, *ONE_SUIT_EACH, "--rules", "hakim", "--trump", "H")["certain_claim"] is None
    assert answer(capsys, *TURNED, "--rules", "bavan", "--trump", "S")["certain_claim"] is None
    cli.main(["solve", *ONE_SUIT_EACH, "--rules", "bavan"])
    assert "13 claim +82    0 claim −82   13 claim +82    0 claim −82" in capsys.readouterr().out
    cli.main(["solve", *ONE_SUIT_EACH, "--rules", "bavan", "--trump", "H"])
    assert "A claim of all thirteen by EW is certain: 82 points." in capsys.readouterr().out
