"""The rows of the study of calls: what callers have, what a defender believes, what it costs to forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import RANKS, SUITS
from courtpiece.deal import Deal
from courtpiece.driver import Decision, Driver
from courtpiece.errors import UsageError
from courtpiece.players import Lineup, PlayerSpec, parse_lineup, parse_player
from courtpiece.rules import RuleSet, Trump, name_of
from courtpiece.studies.beliefs import beliefs, dealt_trumps
from courtpiece.studies.calls_exact import HONOURS
from courtpiece.studies.partners import played, seated, sums
from courtpiece.studies.rare_kots import played_out
from courtpiece.studies.study import PLAYERS, Parameters, parameter, whole
from courtpiece.table import Calls, Table, seed_key

FORGETS = ("both", "trumps", "voids")
MILLION = 1_000_000                    # entropies and errors are summed in parts
_GAINS = ("points_calling", "points_defending", "points", "won_calling", "won_defending", "won")
_KNOWN = "greedy"                       # whose cards tell something


@dataclass(frozen=True, kw_only=True)
class CallsThatLieParameters(Parameters):
    """What the study can be asked."""

    players: tuple[Lineup, ...] = parameter(
        "who plays: the callers decide what a call tells; built-in players; give several to compare them",
        PLAYERS, ("greedy", "greedy/longest", "greedy/random"), many=True,
    )
    draws: int = parameter("how many worlds a belief is drawn from", whole(50, 20_000), 500)
    more: int = parameter("how many deals more of each, for what the call tells and for counting trumps",
                          whole(1, 10**6), 2000)

    def check_lineups(self) -> None:
        """Raises UsageError where no trump is called, or a caller is not known."""
        super().check_lineups()
        for rules in self.rules:
            if rules.trump is not Trump.CALLED:
                raise UsageError(f"rules: in {name_of(rules)} no trump is called for all to hear: it is "
                                 f"trump={rules.trump}")
        for lineup in self.players:
            if not lineup.in_kernel or lineup.double_dummy:
                raise UsageError(f"players: nobody knows what {lineup} would call: take built-in players")


def called(
    rules: RuleSet, lineup: Lineup, p: CallsThatLieParameters, start: int, stop: int
) -> Iterator[dict[str, Any]]:
    """Yields how many trumps and which honours the callers had."""
    table = Table(rules, lineup)
    counts: Counter[tuple[str, str, int]] = Counter()
    for unit in range(start, stop):
        hands, calls = table.called(p.seed, unit * p.more, p.more)
        for cards, masks in (("five", calls.fives), ("thirteen", hands)):
            suits = trumps_of(masks, calls)
            lengths = np.bincount(np.bitwise_count(suits).astype(np.int64))
            counts.update({("length", cards, value): int(n) for value, n in enumerate(lengths) if n})
            for place, name in enumerate(HONOURS):
                held = int((suits >> np.uint64(12 - place) & np.uint64(1)).sum())
                counts.update({(name, cards, 1): held, (name, cards, 0): len(suits) - held})
    for (measure, cards, value), n in sorted(counts.items()):
        yield {"measure": measure, "cards": cards, "value": value, "n": n}


def trumps_of(masks: NDArray[np.uint64], calls: Calls) -> NDArray[np.uint64]:
    """Returns the ranks of the suit called in each hand, of the deals in which one was called."""
    called = calls.suits < len(SUITS)
    shifts = calls.suits[called].astype(np.uint64) * np.uint64(len(RANKS))
    return masks[called] >> shifts & np.uint64(2 ** len(RANKS) - 1)


def believed(
    rules: RuleSet, lineup: Lineup, p: CallsThatLieParameters, start: int, stop: int
) -> Iterator[dict[str, Any]]:
    """Yields sums of what the caller's right-hand neighbour believes before each trick."""
    long = played_out(rules)
    callers = [player for player in lineup.players[:3:2] if isinstance(player, PlayerSpec)]
    cards = str(lineup) == _KNOWN
    found: dict[tuple[str, str, int], list[int]] = {}
    for unit in range(start, stop):
        truth: list[int] = []
        moments = []
        for deal in before_each_trick(long, lineup, p.seed, unit):
            assert deal.caller is not None
            if deal.trump is None or "thirteenth" in deal.words:
                continue
            told = beliefs(deal, (deal.caller + 1) % 4, callers, p.seed, unit, p.draws, cards=cards)
            truth.append(dealt_trumps(deal))
            moments.append((len(deal.tricks) + 1, told))
        for (trick, told), length in zip(moments, truth, strict=True):
            for observer, belief in told.items():
                for measure, value in (("entropy", belief.entropy), ("surprise", belief.surprise(length)),
                                       ("error", (belief.mean - length) ** 2), ("worlds", belief.worlds)):
                    if np.isfinite(value):
                        found.setdefault((measure, observer, trick), []).append(round(value * MILLION))
    for (measure, observer, trick), values in sorted(found.items()):
        yield {
            "measure": measure, "observer": observer, "trick": trick, "n": len(values),
            "total": sum(values), "squares": sum(value * value for value in values),
        }


def before_each_trick(rules: RuleSet, lineup: Lineup, seed: int, index: int) -> list[Deal]:
    """Returns a deal as it stood before the lead of each trick."""
    stood: list[Deal] = []

    def watch(decision: Decision) -> None:
        deal = decision.deal
        if deal.phase == "play" and not deal.trick and len(stood) == len(deal.tricks):
            stood.append(deal.copy())

    Driver(rules, lineup).start(seed, seed_key(seed), 0).play(index, watch=watch)
    return stood


def forgetting(
    rules: RuleSet, p: CallsThatLieParameters, start: int, stop: int
) -> Iterator[dict[str, Any]]:
    """Yields sums of what partners who do not count gain, which is a loss."""
    first, last = start * p.more, stop * p.more
    greedy = parse_player("greedy")
    usual = played(rules, [parse_lineup("greedy")] * 2, p.seed, first, last)
    for forgets in FORGETS:
        player = parse_player(f"forgetful:forgets={forgets}")
        lineups = [seated(side, player, player, greedy) for side in range(2)]
        found = sums(played(rules, lineups, p.seed, first, last).less(usual))
        for name in _GAINS:
            measure, _, side = name.partition("_")
            yield {
                "measure": measure, "forgets": forgets, "side": side or None, "n": found["deals"],
                "changed": found["changed"], "total": found[name], "squares": found[f"{name}_squares"],
            }
