"""What the trump-book study is asked, and the rows in which a chunk keeps what is known of the calls.

A class is played twice.  On deals numbered from CHOOSING the best call is chosen, the close ones on more
deals than the clear ones (`courtpiece.selection`).  Then every call is valued on the deals from 0 on, a
number of them that was settled by then.  So what chose a call has no part in what is printed of it, and what
is printed is what `courtpiece call --deals` says of the same deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from courtpiece.advice import Calls, Counts, Tally, Worth, play_calls
from courtpiece.cards import HandClass, Suit, class_from_index
from courtpiece.errors import UsageError
from courtpiece.players import Lineup, PlayerSpec, check_lineup, parse_built_in
from courtpiece.rules import RuleSet, Trump, name_of
from courtpiece.selection import select
from courtpiece.studies.policies import POLICIES, said
from courtpiece.studies.study import PLAYERS, POSITIVE, Column, Parameters, parameter, whole
from courtpiece.studies.trump_rows import CALLS, OF_TRICKS, sum_columns, sums
from courtpiece.table import Table

CLASSES = 134_459                       # of five-card hands that differ by more than the names of suits
HANDS = 2_598_960                       # five-card hands, 52 over 5
_STRIDE = 83_101                        # a golden section of the classes, with no factor in common with them

CHOOSING = 1 << 40                      # the number of the first deal on which calls are chosen
TRYING = 1 << 41                        # … on which the advice is tried with other players

BOOK, TRIAL = STAGES = ("book", "trial")
ROLES = ("longest", "second", "third", "fourth", "pass", "thirteenth", "redeal")


@dataclass(frozen=True, kw_only=True)
class TrumpBookParameters(Parameters):
    """What the study can be asked."""

    deals: int | None = parameter(
        "on how many deals each call is valued at least; the two best are valued on as many as it took to "
        "tell them apart, if these are more", whole(10, 10**9), 2000,
    )
    hands: int | None = parameter(
        f"how many classes of hands, spread evenly over all; all are {CLASSES}",
        whole(1, CLASSES), None, optional=True, design=False,
    )
    within: float = parameter(
        "a call that is at most so many points a deal behind the best is as good as the best", POSITIVE, 0.02
    )
    against: tuple[Lineup, ...] | None = parameter(
        "with whom to try the book's advice: other players, such as pimc or double-dummy; give several",
        PLAYERS, None, many=True, optional=True,
    )
    trials: int = parameter("on how many deals each call is tried with them", whole(4, 10**9), 100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lineup.double_dummy:
            raise UsageError("players: a book needs players who play cards; "
                             "try its advice with --against double-dummy")
        for name in ("rules", "players"):
            if len(getattr(self, name)) > 1:
                raise UsageError(f"{name}: a book is of one of them; make a book of each")
        if self.ruleset.trump is Trump.FIRST_VOID:
            raise UsageError(f"rules: {name_of(self.ruleset)} has no call, so there is no book")
        if self.lineup in (self.against or ()):
            raise UsageError(f"against: {self.lineup} are the players of the book itself")

    def check_lineups(self) -> None:
        for lineup in self.lineups:
            for rules in self.rules:
                check_lineup(lineup, rules)

    @property
    def ruleset(self) -> RuleSet:
        """The rules of the book."""
        return self.rules[0]

    @property
    def lineup(self) -> Lineup:
        """The players of the book."""
        return self.players[0]

    @property
    def lineups(self) -> tuple[Lineup, ...]:
        return self.players + (self.against or ())


def class_of_unit(unit: int) -> HandClass:
    """Returns the class that a unit is: the first units are spread evenly over the classes."""
    return class_from_index(unit * _STRIDE % CLASSES)


def columns(p: TrumpBookParameters) -> tuple[Column, ...]:
    """Returns the columns of the rows."""
    unit = str(p.ruleset.counting)
    return (
        Column("stage", "category", "",
               "book: the calls valued; trial: the calls tried, with other players too", STAGES),
        Column("class", "uint32", "", "number of the class of hands, alike but for the names of the suits"),
        Column("weight", "uint8", "hands", "how many hands are in the class"),
        Column("cards", "text", "", "one of them, its suits in falling order"),
        *who(p),
        Column("place", "uint8", "", "number of the call among the hand's calls, from 0"),
        Column("call", "category", "", "what eldest says", CALLS),
        Column("also", "text", "", "other words that come to the same, as the suits are held alike"),
        Column("role", "category", "", "what the call is: of the suits in falling order", ROLES),
        Column("rank", "uint8", "", "by the deals that chose: 0 the best call, 1 the next best, …"),
        Column("chosen_on", "int64", "deals", "on which it was compared with others until it was ruled out"),
        Column("chosen_by", "int64", unit, "sum of its points ahead on those deals"),
        Column("deals", "int64", "deals", "others, on which it was valued, or tried"),
        *sum_columns(unit),
        Column("behind", "int64", unit, "sum of the best call's points less this one's, on the same deals"),
        Column("behind_squared", "int64", "", "sum of the squares of these differences"),
        Column("behind_deals", "int64", "deals", "on which they were compared"),
        Column("even_points", "int64", unit, "sum of the points ahead on the deals with even numbers"),
        *(Column(f"says_{policy}", "float64", "", f"chance that the caller {policy} says it")
          for policy in POLICIES),
    )


def who(p: TrumpBookParameters) -> tuple[Column, Column]:
    """Returns the columns that tell the rules and the players."""
    return (
        Column("rules", "category", "", "the rule set", (name_of(p.ruleset),)),
        Column("players", "category", "", "who played: everywhere, or the caller's side and the others",
               tuple(map(str, p.lineups))),
    )


def rows(p: TrumpBookParameters, classes: Iterable[HandClass]) -> Iterator[dict[str, Any]]:
    """Yields the rows of some classes: of each its book, then what other players made of it."""
    rules, worth = name_of(p.ruleset), Worth(p.ruleset)
    tables = {str(lineup): Table(p.ruleset, lineup) for lineup in p.lineups}
    for hand_class in classes:
        for row in _rows(p, hand_class, tables, worth):
            yield {"rules": rules, **row}


def _rows(
    p: TrumpBookParameters, hand_class: HandClass, tables: Mapping[str, Table], worth: Worth
) -> Iterator[dict[str, Any]]:
    calls = Calls.of(hand_class.cards, p.ruleset)
    chosen = _Chosen(tables[str(p.lineup)], worth, calls, p)
    choice = chosen.choice
    about = [
        {
            "class": hand_class.index, "weight": hand_class.weight, "cards": str(hand_class),
            "place": place, "call": words[0], "also": ", ".join(words[1:]),
            "role": role_of(words[0]), "rank": choice.order.index(place),
            "chosen_on": choice.rows[place], "chosen_by": choice.sums[place],
        }
        for place, words in enumerate(calls.words)
    ]
    says = _policies(calls, p)
    for place, found in enumerate(chosen.valued()):
        yield {"stage": BOOK, "players": str(p.lineup), **about[place], **found,
               **{f"says_{policy}": chances[place] for policy, chances in says.items()}}
    for lineup in p.lineups if p.against else ():
        tally = play_calls(tables[str(lineup)], worth, calls, p.seed, TRYING, p.trials)
        for place, found in enumerate(_sums(tally, worth, choice.order[0])):
            if lineup.double_dummy:
                found |= dict.fromkeys(OF_TRICKS)
            yield {"stage": TRIAL, "players": str(lineup), **about[place], **found,
                   **{f"says_{policy}": chances[place] for policy, chances in says.items()}}


def role_of(word: str) -> str:
    """Returns what a call of a canonical hand is: `longest` for S or `hide KS`, …, or the word itself."""
    suit = word[-1]
    return ROLES[Suit[suit]] if suit in Suit.__members__ else word


def _policies(calls: Calls, p: TrumpBookParameters) -> dict[str, list[float]]:
    """Returns for each built-in caller the chance that it makes each of the calls."""
    eldest = p.lineup.caller_side
    card = eldest.card if isinstance(eldest, PlayerSpec) else "greedy"      # whose policies come with it
    legal = [word for words in calls.words for word in words]
    found = {}
    for policy in POLICIES:
        [told] = said(parse_built_in(f"{card}/{policy}"), [calls.hand], p.ruleset, [legal])
        found[policy] = [sum(word in told for word in words) / len(told) for words in calls.words]
    return found


class _Chosen:
    """The calls of a class in the order in which some deals put them."""

    def __init__(self, table: Table, worth: Worth, calls: Calls, p: TrumpBookParameters) -> None:
        self.table, self.worth, self.calls, self.p = table, worth, calls, p
        self.choice = select(self._observe, len(calls.words), zone=p.within)

    def _observe(self, places: Sequence[int], start: int, count: int) -> tuple[Counts, Counts]:
        tally = self._play(places, CHOOSING + start, count)
        return tally.total(self.worth.points).sum(axis=0), tally.products.sum(axis=0)

    def _play(self, places: Sequence[int], start: int, count: int) -> Tally:
        some = Calls(
            self.calls.hand, self.calls.hand_class,
            tuple(self.calls.canonical[place] for place in places),
            tuple(self.calls.words[place] for place in places),
        )
        return play_calls(self.table, self.worth, some, self.p.seed, start, count)

    def valued(self) -> list[dict[str, Any]]:
        """Returns the sums of each call on deals that had no part in the choice.

        The two best are valued on as many as the choice took.
        """
        least = self.p.deals or 0
        order = self.choice.order
        found = _sums(self._play(range(len(order)), 0, least), self.worth, order[0])
        more = max(self.choice.rows) - least
        if more > 0:
            best, runner_up = places = order[:2]
            further = _sums(self._play(places, least, more), self.worth, 0)
            for place, added in zip((best, runner_up), further, strict=True):
                found[place] = {name: value + added[name] for name, value in found[place].items()}
        return found


def _sums(tally: Tally, worth: Worth, best: int) -> list[dict[str, Any]]:
    """Returns the sums of each call over some deals; those of its distance from one of them, `best`."""
    by_half = sums(tally, worth)
    totals = {name: found.sum(axis=0).tolist() for name, found in by_half.items()}
    even = by_half["points"][0].tolist()
    products = tally.products.sum(axis=0)
    squares = np.diag(products)
    behind = (squares + squares[best] - 2 * products[best]).tolist()
    deals = int(tally.deals.sum())
    return [
        {
            "deals": deals, **{name: values[place] for name, values in totals.items()},
            "behind": totals["points"][best] - totals["points"][place], "behind_squared": behind[place],
            "behind_deals": deals, "even_points": even[place],
        }
        for place in range(len(behind))
    ]
