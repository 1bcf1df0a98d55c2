"""The games of a duel: rows of results, the deals that one player wins both ways, and the time it took."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.deal import DEALER, Deal
from courtpiece.driver import Decision, Draws, Driver, Watch
from courtpiece.errors import PlayerError
from courtpiece.match import Match
from courtpiece.patience import answering
from courtpiece.players import OwnPlayer
from courtpiece.players.builtin import BuiltIn
from courtpiece.players.player import Player
from courtpiece.record import write, write_match
from courtpiece.rules import Counting, Outcome, RuleSet, name_of
from courtpiece.table import RESULT, Table, seed_key

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.studies.duel import DuelParameters

WINNERS = ("us", "them", "nobody")
GAMES = ("calling", "defending")        # of a pair: us as the caller's side, or first to call in a match
MATCHES = 1 << 63                       # + the number of a match: the stream of its deals
_OUTCOMES = tuple(Outcome)
_AT_A_TIME = 16                         # deals of a match played ahead, as many as most matches need
_TIMED_SECONDS = 3.0
_TIMED_GAMES = 200

Rows = dict[str, Any]


class Games:
    """The games of a duel under one rule set: what the players need is made once."""

    def __init__(self, p: DuelParameters, rules: RuleSet) -> None:
        self.p, self.rules = p, rules
        self.tables = [Table(rules, lineup) for lineup in p.players]
        self.drivers = [Driver(rules, lineup) for lineup in p.players]
        self.others: dict[tuple[int, int], Player] = {}

    def rows(self, start: int, stop: int) -> Rows:
        """Returns the rows of deals, or matches, start … stop-1, by column."""
        play = self._matches if self.p.whole_matches else self._deals
        return play(start, stop) | self._compared(start, stop)

    def _deals(self, start: int, stop: int) -> Rows:
        rows: Rows = {"deal": np.arange(start, stop, dtype=np.uint64)}
        counted = self.rules.kots_of if self.rules.counting is Counting.KOTS else self.rules.score_of
        worth, kots = _by_outcome(counted), _by_outcome(self.rules.kots_of)
        for us_side, (game, table) in enumerate(zip(GAMES, self.tables, strict=True)):
            results = table.play(self.p.seed, start, stop - start)
            winner = results["winner"].astype(np.int64)
            decided = winner < 2
            ending = results["outcome"], np.minimum(winner, 1)
            won = np.where(decided, (winner != us_side).astype(np.int64), 2)
            rows[f"{game}_winner"] = np.array(WINNERS)[won]
            rows[f"{game}_ahead"] = np.where(decided, np.where(won == 0, 1, -1) * worth[ending], 0)
            rows[f"{game}_kot"] = decided & (kots[ending] > 0)
        return rows

    def _matches(self, start: int, stop: int) -> Rows:
        rows: Rows = {"match": np.arange(start, stop, dtype=np.uint64)}
        for us_side, game in enumerate(GAMES):
            found = [self._match(number, us_side) for number in range(start, stop)]
            rows[f"{game}_winner"] = [WINNERS[int(match.winner != us_side)] for match in found]
            rows[f"{game}_ahead"] = [match.score[us_side] - match.score[1 - us_side] for match in found]
            rows[f"{game}_deals"] = [match.deals for match in found]
        return rows

    # Matches: the table's side 0 calls first, and us sits on side `us_side`.

    def _match(self, number: int, us_side: int) -> Match:
        """Returns a match played to its end."""
        if self.p.own_players:
            return self.play_match(number, us_side)[0]
        match, stream = Match(self.rules, DEALER), MATCHES + number
        ahead: list[NDArray[np.void]] = [np.empty(0, RESULT)] * 2
        while match.winner is None:
            index = match.deals
            if index == len(ahead[0]):
                ahead = [
                    np.concatenate([known, table.play(self.p.seed, index, _AT_A_TIME, stream=stream)])
                    for known, table in zip(ahead, self.tables, strict=True)
                ]
            result = ahead[_lineup(match, us_side)][index]
            winner = int(result["winner"])
            match.add(_OUTCOMES[int(result["outcome"])], winner if winner < 2 else None)
        return match

    def play_match(self, number: int, us_side: int, watch: Watch | None = None) -> tuple[Match, list[Deal]]:
        """Plays a match step by step; returns it with its deals."""
        match, stream, played = Match(self.rules, DEALER), MATCHES + number, []
        key = seed_key(self.p.seed)
        sittings = [driver.start(self.p.seed, key, stream) for driver in self.drivers]
        while match.winner is None:
            sitting = sittings[_lineup(match, us_side)]
            deal = sitting.play(match.deals, dealer=match.dealer, match=match, watch=watch)
            assert deal.outcome is not None
            match.add(deal.outcome, deal.winner)
            played.append(deal)
        return match, played

    def play(self, number: int, us_side: int, watch: Watch | None = None) -> list[Deal]:
        """Plays one of the two games of a pair step by step; returns its deals."""
        if self.p.whole_matches:
            return self.play_match(number, us_side, watch)[1]
        sitting = self.drivers[us_side].start(self.p.seed, seed_key(self.p.seed), 0)
        return [sitting.play(number, watch=watch)]

    # What each would do in the other's place

    def _compared(self, start: int, stop: int) -> Rows:
        asked = np.zeros((3, stop - start), np.int64)
        for number in range(start, min(stop, self.p.comparisons)):
            for us_side in (0, 1):
                comparison = _Comparison(self, number)
                self.play(number, us_side, comparison.note)
                asked[:2, number - start] += comparison.decisions, comparison.differing
                if us_side == 0:
                    asked[2, number - start] = comparison.first
        return dict(zip(("decisions", "differing", "first_difference"), asked, strict=True))


def _by_outcome(worth: Callable[[Outcome, bool], int]) -> NDArray[np.int64]:
    """Returns what each outcome is worth to its winner, the caller's side or the defenders."""
    return np.array([[worth(outcome, side == 0) for side in (0, 1)] for outcome in _OUTCOMES], np.int64)


def _lineup(match: Match, us_side: int) -> int:
    """Returns which of the line-ups plays the next deal: 0 when us is the caller's side in it."""
    return int(match.eldest % 2 != us_side)


class _Comparison:
    """Counts the turns at which the player who is not to play would do something else."""

    def __init__(self, games: Games, number: int) -> None:
        self.decisions = self.differing = self.first = 0
        self._games, self._number = games, number
        self._draws = Draws(seed_key(games.p.seed), MATCHES + number if games.p.whole_matches else 0)
        self._dealt: object = None
        self._begun: set[int] = set()

    def note(self, decision: Decision) -> None:
        """Asks the other player, and counts."""
        deal = decision.deal
        if deal.awaits_blind or not _has_choice(deal):
            return
        if deal.dealt is not self._dealt:
            self._dealt, self._begun = deal.dealt, set()
        try:
            with answering():
                answer = self._answer(decision)
        except PlayerError as error:
            unit = "match" if decision.match is not None else "deal"
            raise PlayerError(
                f"{decision.lineup.players[(decision.seat + 1) % 4]}, asked what it would do as "
                f"{deal.name(decision.seat)} in {unit} {self._number} of seed {self._games.p.seed}, "
                f"{error}; it sees: {deal.view(decision.seat, decision.match)}"
            ) from error.__cause__
        self.decisions += 1
        if answer != str(decision.answer):
            self.differing += 1
            self.first = self.first or self.decisions

    def _answer(self, decision: Decision) -> str:
        """Returns what the other player would do."""
        deal, other = decision.deal, self._other(decision)
        seen: Any = deal.copy() if other.sees_all else deal.view(decision.seat, decision.match)
        self._draws.set(self._number, decision.seat, self.decisions)
        return str(other.call(seen) if deal.phase == "call" else other.play(seen))

    def _other(self, decision: Decision) -> Player:
        """Returns the player of the other side, begun on this seat."""
        seat, lineup = decision.seat, decision.lineup
        key = seat, self._games.p.players.index(lineup)
        if key not in self._games.others:
            player = lineup.players[(seat + 1) % 4]
            made = player.make() if isinstance(player, OwnPlayer) else BuiltIn(player)
            self._games.others[key] = made
        other = self._games.others[key]
        if seat not in self._begun:
            self._begun.add(seat)
            other.begin(self._games.rules, seat, self._draws.generator(seat))
        return other


def _has_choice(deal: Deal) -> bool:
    if deal.phase == "call":
        return len(deal.legal_words()) > 1
    return deal.can_reveal or len(deal.legal_cards()) > 1


# Files of the run


def files(p: DuelParameters, shards: pl.LazyFrame) -> dict[str, bytes]:
    """Returns the records of what one player won both ways, and how long decisions took."""
    import polars as pl

    unit = "match" if p.whole_matches else "deal"
    games = {name_of(rules): Games(p, rules) for rules in p.rules}
    found = {}
    for name, winner in (("won", "us"), ("lost", "them")):
        both = (pl.col("calling_winner") == winner) & (pl.col("defending_winner") == winner)
        rows = shards.filter(both).select(unit, "rules").head(p.records).collect()
        lines = [
            json.dumps(record)
            for number, rules in rows.iter_rows()
            for record in _records(games[str(rules)], number)
        ]
        found[f"{name}.jsonl"] = "".join(f"{line}\n" for line in lines).encode()
    found["timing.json"] = json.dumps(timing(games[name_of(p.rules[0])]), indent=1).encode()
    return found


def _records(games: Games, number: int) -> Iterator[dict[str, Any]]:
    """Yields the records of both games of a pair."""
    for us_side, name in enumerate(GAMES):
        played = games.play(number, us_side)
        about = f"{games.p.seed}/{number} us {name}"
        yield write_match(played, id=about) if games.p.whole_matches else write(played[0], id=about)


def timing(games: Games) -> dict[str, dict[str, Any]]:
    """Returns the seconds a decision of each player, measured on the first games: their mean and quantile.

    A decision of the kernel's players takes less than can be measured so.
    """
    p = games.p
    spent: dict[str, list[float]] = {"us": [], "them": []}

    def note(decision: Decision) -> None:
        of_us = decision.lineup.players[decision.seat] is p.us
        if not decision.deal.awaits_blind:
            spent["us" if of_us else "them"].append(decision.seconds)

    began = perf_counter()
    for number in range(_TIMED_GAMES):
        for us_side in (0, 1):
            with suppress(PlayerError):     # such a game is left out of the results, too
                games.play(number, us_side, note)
        if perf_counter() - began > _TIMED_SECONDS:
            break
    return {
        who: {"player": str(player), "decisions": len(seconds), **_quantiles(seconds)}
        for (who, seconds), player in zip(spent.items(), (p.us, p.them), strict=True)
    }


def _quantiles(seconds: Sequence[float]) -> dict[str, float]:
    if not seconds:
        return {}
    return {"mean": float(np.mean(seconds)), "p95": float(np.quantile(seconds, 0.95))}


