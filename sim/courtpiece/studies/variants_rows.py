"""The rows of the variants study: deals counted by how they ended, and matches simulated to check the chain.

Every rule set has the same deals.  Rule sets that differ in how a match is counted alone have the same play,
too, and are played once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.deal import DEALER
from courtpiece.match import Match
from courtpiece.players import Lineup
from courtpiece.rules import RuleSet, name_of
from courtpiece.studies.duel_games import MATCHES
from courtpiece.studies.study import Column, combination, schema
from courtpiece.studies.variants_measures import CELLS, ENDINGS, OUTCOMES, TRICKS, WINNERS
from courtpiece.table import Table

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.studies.variants import VariantsParameters

Integers = NDArray[np.int64]

_OUTCOMES = tuple(map(str, OUTCOMES))
KINDS = ("deals", "pair", "match")
SIMULATED = ("first-call", "deals-a-match", "tricks-a-match", "behind-at-half", "comeback", "match-share")
MATCH_EVERY = 100                       # deals: one match is simulated for so many
# Options of which the play of a deal knows nothing.
_MATCH_OPTIONS = ("direction", "first_caller", "draw_tie", "score", "counting", "streak", "streak_bonus",
                  "kot_moves_call", "target")
_BATCH = 131_072
_AT_A_TIME = 16                         # deals of a match played ahead, as many as most matches need
_UNKNOWN = TRICKS - 1


def columns(p: VariantsParameters) -> tuple[Column, ...]:
    """Returns the columns of a chunk."""
    rules, players = combination(p)

    def ending(prefix: str, what: str) -> tuple[Column, Column]:
        return (Column(f"{prefix}outcome", "category", "", f"how {what} ended", _OUTCOMES),
                Column(f"{prefix}winner", "category", "", f"the side that won {what}", WINNERS))

    return (
        rules,
        players,
        Column("kind", "category", "", "what is counted: deals of the players; deals of us and them, once "
               "with each of them calling (players: null); or matches simulated as a check", KINDS),
        *ending("", "the deal (of a pair: with us calling)"),
        Column("tricks", "uint8", "tricks", "taken by both sides when the deal ended; null for a pair"),
        *ending("other_", "the same deal with them calling, of a pair"),
        *ending("first_", "the same deal under the first rule set"),
        Column("first_tricks", "uint8", "tricks", "taken in the same deal under the first rule set"),
        *ending("first_other_", "the same deal with them calling under the first rule set"),
        Column("measure", "category", "", "of a match: whether the first caller's side won it (0, 1), its "
               "deals, its tricks, whether its winner was behind when a side first had half of the target "
               "(0, 1), the most that the winner was behind by; how many us won of two matches with sides "
               "exchanged", SIMULATED),
        Column("value", "uint32", "", "of that measure"),
        Column("count", "int64", "", "how many deals, pairs or matches of the chunk were like this"),
    )


class Played(NamedTuple):
    """A match that was simulated, sides being those of the table; side 0 called first."""

    winner: int
    deals: int
    tricks: int | None
    behind_at_half: bool
    deficit: int


class _Deals:
    """The deals of one stream, played as far as somebody asks."""

    def __init__(self, table: Table, seed: int, stream: int) -> None:
        self._table, self._seed, self._stream = table, seed, stream
        self._known: list[tuple[int, int, int]] = []

    def __getitem__(self, index: int) -> tuple[int, int, int]:
        """Returns outcome, winner and tricks of a deal."""
        while index >= len(self._known):
            more = self._table.play(self._seed, len(self._known), _AT_A_TIME, stream=self._stream)
            columns = more["outcome"], more["winner"], _tricks(more)
            self._known += list(zip(*(column.tolist() for column in columns), strict=True))
        return self._known[index]


def play_match(rules: RuleSet, deals: Sequence[_Deals]) -> Played:
    """Returns a match of the deals of one stream, `deals[side]` being those in which a side calls."""
    assert rules.target is not None
    match = Match(rules, DEALER)
    index = played = tricks = 0
    leader: int | None = None
    most = [0, 0]
    while match.winner is None:
        outcome, winner, taken = deals[match.eldest % 2][index]
        index += 1
        if winner > 1:
            match.add(OUTCOMES[outcome], None)
            continue
        match.add(OUTCOMES[outcome], winner)
        played, tricks = played + 1, tricks + (-10**6 if taken == _UNKNOWN else taken)
        ahead = match.score[0] - match.score[1]
        most = [max(most[0], -ahead), max(most[1], ahead)]
        if leader is None and 2 * max(match.score) >= rules.target:
            leader = int(match.score[1] > match.score[0])
    return Played(match.winner, played, tricks if tricks >= 0 else None, leader != match.winner,
                  most[match.winner])


class Rows:
    """What is needed to play the chunks of one design."""

    def __init__(self, p: VariantsParameters) -> None:
        self.p = p
        plays = [_play_of(p, rules) for rules in p.rules]
        self.group = [plays.index(play) for play in plays]      # of each rule set: the first of the same play
        groups = sorted(set(self.group))
        lineups = [*p.players, Lineup.of(p.us, p.them), Lineup.of(p.them, p.us)]
        self.tables = {(group, at): Table(p.rules[group], lineup)
                       for group in groups for at, lineup in enumerate(lineups)}
        self.sides = len(p.players), len(p.players) + 1         # line-ups with us, and them, calling

    def chunk(self, start: int, stop: int) -> pl.DataFrame:
        """Returns the rows of deals start … stop-1, and of the matches whose numbers lie among them."""
        import polars as pl

        deals: Counter[tuple[int, int, int, int]] = Counter()           # rules, line-up, cell, first cell
        pairs: Counter[tuple[int, int, int, int, int]] = Counter()      # rules, endings, first endings
        for at in range(start, stop, _BATCH):
            self._count(at, min(_BATCH, stop - at), deals, pairs)
        matches: Counter[tuple[int, int | None, str, int]] = Counter()
        for number in range(-(-start // MATCH_EVERY), -(-stop // MATCH_EVERY)):
            self._simulate(number, matches)
        told = [*self._deal_rows(deals), *self._pair_rows(pairs), *self._match_rows(matches)]
        return pl.DataFrame(told, schema=schema(columns(self.p)), orient="row")

    def _count(self, start: int, count: int, deals: Counter[Any], pairs: Counter[Any]) -> None:
        cells = {key: _cells(table.play(self.p.seed, start, count)) for key, table in self.tables.items()}
        first = self.group[0]
        for rules, group in enumerate(self.group):
            for at in range(len(self.p.players)):
                for key, n in _counted((cells[group, at], cells[first, at]), CELLS):
                    deals[rules, at, *key] += n
            both = [cells[of, side] // TRICKS for of in (group, first) for side in self.sides]
            for key, n in _counted(both, ENDINGS):
                pairs[rules, *key] += n

    def _simulate(self, number: int, found: Counter[Any]) -> None:
        deals = {key: _Deals(table, self.p.seed, MATCHES + number) for key, table in self.tables.items()}
        for rules, group in enumerate(self.group):
            if not self.p.has_matches(self.p.rules[rules]):
                continue
            for at in range(len(self.p.players)):
                match = play_match(self.p.rules[rules], (deals[group, at],) * 2)
                told = (1 - match.winner, match.deals, match.tricks, int(match.behind_at_half), match.deficit)
                for measure, value in zip(SIMULATED, told, strict=False):
                    if value is not None:
                        found[rules, at, measure, value] += 1
            us, them = (deals[group, side] for side in self.sides)
            # Us are side 0 of the first match and side 1 of the second.
            won = (play_match(self.p.rules[rules], (us, them)).winner == 0) + (
                play_match(self.p.rules[rules], (them, us)).winner == 1)
            found[rules, None, SIMULATED[-1], int(won)] += 1

    def _deal_rows(self, counts: Counter[Any]) -> Iterator[tuple[Any, ...]]:
        for (rules, at, cell, first), n in sorted(counts.items()):
            yield (name_of(self.p.rules[rules]), str(self.p.players[at]), "deals", *_told(cell, TRICKS),
                   None, None, *_told(first, TRICKS), None, None, None, None, n)

    def _pair_rows(self, counts: Counter[Any]) -> Iterator[tuple[Any, ...]]:
        for (rules, us, them, first_us, first_them), n in sorted(counts.items()):
            yield (name_of(self.p.rules[rules]), None, "pair", *_told(us), None, *_told(them),
                   *_told(first_us), None, *_told(first_them), None, None, n)

    def _match_rows(self, counts: Counter[Any]) -> Iterator[tuple[Any, ...]]:
        for (rules, at, measure, value), n in sorted(counts.items(), key=str):
            players = None if at is None else str(self.p.players[at])
            yield (name_of(self.p.rules[rules]), players, "match", *[None] * 10, measure, value, n)


def _play_of(p: VariantsParameters, rules: RuleSet) -> RuleSet:
    """Returns a rule set that is the same for all whose deals these players play alike."""
    by_points = any(not lineup.in_kernel or lineup.double_dummy for lineup in p.lineups)
    if by_points:
        return rules
    plain = RuleSet()
    return rules.replace(**{name: getattr(plain, name) for name in _MATCH_OPTIONS if name != "score"},
                         score=None)


def _tricks(results: NDArray[np.void]) -> Integers:
    """Returns the tricks taken in deals by both sides together, _UNKNOWN where they are not told."""
    taken = results["taken"].astype(np.int64).sum(axis=1)
    return np.asarray(np.minimum(taken, _UNKNOWN))


def _cells(results: NDArray[np.void]) -> Integers:
    """Returns how deals ended, as CELLS."""
    endings = results["outcome"].astype(np.int64) * len(WINNERS) + np.minimum(results["winner"], 2)
    return np.asarray(endings * TRICKS + _tricks(results))


def _counted(codes: Sequence[Integers], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yields each combination of codes below `size` that occurs, and how often."""
    whole = np.ravel_multi_index(tuple(codes), (size,) * len(codes))
    counts = np.bincount(whole)
    found = np.flatnonzero(counts)
    for *key, n in zip(*np.unravel_index(found, (size,) * len(codes)), counts[found], strict=True):
        yield tuple(map(int, key)), int(n)


def _told(code: int, tricks: int = 1) -> tuple[Any, ...]:
    """Returns outcome and winner of a code as text, and of a cell the tricks."""
    ending, taken = divmod(code, tricks)
    outcome, winner = divmod(ending, len(WINNERS))
    told = _OUTCOMES[outcome], WINNERS[winner]
    return told if tricks == 1 else (*told, None if taken == _UNKNOWN else taken)
