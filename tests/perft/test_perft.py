"""Every way to play an ending, counted, as chess programs do with perft.

Each text file beside this one is an ending: the rules, the four hands (eldest's first), the words of the
call, and then what brute force counts.  A reveal is a choice of its own, made with the card after it, so a
line of play is a sequence of cards, some of them with a reveal.

    cards N      lines of play of N cards
    first X      of the complete lines, those that begin with X: where two engines differ, here it shows
    result R     of the complete lines, those that end with R: tricks collected by the caller's side and by
                 the defenders, and the tens in them

    python tests/perft/test_perft.py        remakes the counts of every file from its first lines
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from courtpiece.cards import parse_cards
from courtpiece.deal import REVEAL, Deal
from courtpiece.rules import Collection, RevealScope, Trump, resolve

FOLDER = Path(__file__).parent
ENDINGS = sorted(FOLDER.glob("*.txt"))
KEYS = ("rules", "hands", "words")


@dataclass
class Count:
    """What is counted of one ending."""

    cards: Counter[int]
    first: Counter[str]
    result: Counter[str]

    def lines(self) -> list[str]:
        """Returns the lines of the file that tell the counts."""
        return [
            *(f"cards {number}: {count}" for number, count in sorted(self.cards.items())),
            *(f"first {move}: {count}" for move, count in sorted(self.first.items())),
            *(f"result {result}: {count}" for result, count in sorted(self.result.items())),
        ]


def count(deal: Deal) -> Count:
    """Returns the counts of all lines of play from here to the end."""
    found = Count(Counter(), Counter(), Counter())
    for move, after in moves(deal):
        before = found.result.total()
        _walk(after, 1, found)
        found.first[move] = found.result.total() - before
    return found


def moves(deal: Deal) -> list[tuple[str, Deal]]:
    """Returns each way to play the next card, and the deal after it."""
    choices = [("", deal)]
    if deal.can_reveal:
        shown = deal.copy()
        shown.reveal()
        choices.append((f"{REVEAL} ", shown))
    played = []
    for prefix, state in choices:
        for card in state.legal_cards():
            after = state.copy()
            after.play(card)
            played.append((f"{prefix}{card}", after))
    return played


def _walk(deal: Deal, depth: int, found: Count) -> None:
    found.cards[depth] += 1
    if deal.phase == "over":
        (callers, defenders), (tens, others) = deal.taken, deal.tens
        found.result[f"tricks {callers}-{defenders} tens {tens}-{others}"] += 1
        return
    for _, after in moves(deal):
        _walk(after, depth + 1, found)


def start(text: str) -> Deal:
    """Returns the ending that the first lines of a file describe."""
    given = dict(line.split(": ", 1) for line in text.splitlines() if line.split(":")[0] in KEYS)
    hands = [parse_cards(hand) for hand in given["hands"].split("|")]
    deal = Deal(resolve(given["rules"]), hands)
    for word in filter(None, given.get("words", "").split(", ")):
        deal.say(word)
    return deal


def remake(path: Path) -> None:
    """Counts an ending and writes the counts under its first lines."""
    text = path.read_text(encoding="utf-8")
    head = [line for line in text.splitlines() if line.split(":")[0] in KEYS]
    path.write_text("\n".join([*head, *count(start(text)).lines()]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("path", ENDINGS, ids=lambda path: path.stem)
def test_every_line_of_play_is_counted_as_before(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    expected = [line for line in text.splitlines() if line.split(":")[0] not in KEYS]
    assert count(start(text)).lines() == expected


def test_no_ending_is_missing() -> None:
    """Three and four cards a seat, every way trump comes about, with and without the pile."""
    deals = [start(path.read_text(encoding="utf-8")) for path in ENDINGS]
    found = {(deal.rules.trump, deal.rules.collection, len(deal.dealt[0])) for deal in deals}
    assert found == {
        (trump, collection, size) for trump in Trump for collection in Collection for size in (3, 4)
    }
    hidden = {
        (
            deal.rules.reveal,
            deal.rules.reveal_scope,
            deal.rules.revealer_must_trump,
            deal.rules.reveal_on_lead,
        )
        for deal in deals
        if deal.rules.trump is Trump.HIDDEN
    }
    assert {reveal for reveal, *_ in hidden} == {"on-request", "at-first-void"}
    assert {scope for _, scope, *_ in hidden} == set(RevealScope)
    assert {must for *_, must, _ in hidden} == {on_lead for *_, on_lead in hidden} == {True, False}


@pytest.mark.parametrize("path", ENDINGS, ids=lambda path: path.stem)
def test_the_counts_of_a_file_agree_with_each_other(path: Path) -> None:
    numbers: dict[str, list[int]] = {"cards": [], "first": [], "result": []}
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind in numbers:
            numbers[kind].append(int(rest.rpartition(": ")[2]))
    assert numbers["cards"][-1] == sum(numbers["first"]) == sum(numbers["result"])
    assert len(numbers["cards"]) == 4 * len(start(path.read_text(encoding="utf-8")).dealt[0])


if __name__ == "__main__":
    for ending in ENDINGS:
        remake(ending)
        print(
            f"{ending.name}: {count(start(ending.read_text(encoding='utf-8'))).result.total()} lines of play"
        )
