"""What a call tells, how fast one knows more, and what it is worth to count trumps (S4.42 to S4.45).

A unit is one deal in which a defender's beliefs are followed trick by trick (`courtpiece.studies.beliefs`),
and some thousand more of the same seed of which only the call is looked at, and which are played with
partners who do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import RANKS, SUITS, Suit, all_classes
from courtpiece.deal import ELDEST, Deal
from courtpiece.driver import Decision, Driver
from courtpiece.errors import UsageError
from courtpiece.language import Mean, PValue, Sentence, Share
from courtpiece.players import Lineup, PlayerSpec, parse_lineup, parse_player
from courtpiece.rules import Redeal, RuleSet, Trump, name_of
from courtpiece.stats import Estimates, Method, few_large, means, proportions
from courtpiece.studies.beliefs import OBSERVERS, beliefs, dealt_trumps
from courtpiece.studies.estimates import estimate_row, half_width
from courtpiece.studies.partners import compared, played, seated, sums
from courtpiece.studies.rare_kots import played_out
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    PLAYERS,
    Column,
    Parameters,
    Study,
    combination,
    parameter,
    schema,
    whole,
)
from courtpiece.table import Calls, Table, seed_key

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

CARDS = ("five", "thirteen")            # of the caller: those on which he called, and all
HONOURS = ("ace", "king", "queen")
MEASURES = ("length", *HONOURS, "entropy", "surprise", "error", "worlds", "points", "won")
FORGETS = ("both", "trumps", "voids")
_GAINS = ("points_calling", "points_defending", "points", "won_calling", "won_defending", "won")
_KNOWN = "greedy"                       # whose cards tell something
_MILLION = 1_000_000                    # entropies and errors are summed in parts
_HAND = {"five": 5, "thirteen": 13}


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


class CallsThatLie(Study[CallsThatLieParameters]):
    """Trump length and honours by call policy, beliefs trick by trick, and the worth of counting."""

    name = "calls-that-lie"
    title = "What a call tells"
    question = "What does a call tell of the caller's trumps, and what is it worth to count them?"
    version: ClassVar[int] = 2
    default_units: ClassVar[int] = 300
    Parameters: ClassVar[type[Parameters]] = CallsThatLieParameters

    def chunk_units(self, p: CallsThatLieParameters) -> int:
        return 5

    def columns(self, p: CallsThatLieParameters) -> tuple[Column, ...]:
        return (
            *combination(p),
            Column("measure", "category", "", "length: trumps of the caller, value is how many; ace, king, "
                   "queen of trumps, value is 1 where he has it; entropy and surprise of a belief in his "
                   "length; error: of the number expected, squared; worlds: logarithm to base 2 of how many "
                   "are left; points, won: gained by who does not count trumps", MEASURES),
            Column("cards", "category", "", "of the caller: the five he called on, or all", CARDS),
            Column("value", "uint8", "", "what was counted", ()),
            Column("observer", "category", "", "what the belief goes by", OBSERVERS),
            Column("trick", "uint8", "", "before which trick"),
            Column("forgets", "category", "", "what the partners forget", FORGETS),
            Column("side", "category", "", "where the partners sit; null for both", ("calling", "defending")),
            Column("n", "int64", "deals", "how many deals"),
            Column("changed", "int64", "deals", "in how many of them the points changed"),
            Column("total", "int64", "", "the sum over them, in millionths of a bit or of a squared trump"),
            Column("squares", "int64", "", "the sum of squares of the same; of gains, in points"),
        )

    def table_columns(self, p: CallsThatLieParameters) -> dict[str, tuple[Column, ...]]:
        prior = Column("prior", "float64", "", "the same for a suit that nobody chose, exactly")
        exact = Column("exact", "float64", "", "what it must be, all hands counted; null where not done")
        cards = Column("cards", "category", "", "of the caller: the five he called on, or all", CARDS)
        trick = Column("trick", "uint8", "", "before which trick")
        observer = Column("observer", "category", "", "sight: the deals that agree with what was seen; "
                          "call: those in which the callers would have said what they said; cards: as likely "
                          "as the cards played make them", OBSERVERS)
        return {
            "summary": (
                *combination(p), Column("measure", "category", "", "see the other tables", MEASURES),
                Column("about", "text", "", "cards, trick and observer, or what is forgotten"),
                *ESTIMATE_COLUMNS,
            ),
            "calls": (
                *combination(p), cards,
                Column("measure", "category", "", "mean length of the trump suit, or the chance of the card",
                       ("length", *HONOURS)),
                Column("found", "float64", "", "what was found"),
                Column("found_half_width", "float64", "", "half of its 95 % interval"),
                prior, exact,
            ),
            "lengths": (
                *combination(p), cards, Column("length", "uint8", "cards", "trumps of the caller"),
                Column("share", "float64", "", "of the deals"),
                Column("share_half_width", "float64", "", "half of its 95 % interval"), prior, exact,
            ),
            "beliefs": (
                *combination(p), trick, observer,
                *(column for name, unit, meaning in (
                    ("entropy", "bits", "what is missing to know the caller's trumps, mean"),
                    ("surprise", "bits", "at the truth, mean: that of a sound belief is its entropy"),
                    ("error", "cards", "root mean square error of the number expected"),
                    ("worlds", "", "logarithm to base 2 of how many worlds are left, mean"),
                ) for column in (
                    Column(name, "float64", unit, meaning),
                    Column(f"{name}_half_width", "float64", unit, "half of its 95 % interval"),
                )),
                Column("deals", "int64", "deals", "that this rests on"),
            ),
            "counting": (
                combination(p)[0], Column("forgets", "category", "", "what the partners forget", FORGETS),
                Column("gain", "category", "", "points ahead or share of deals won", ("points", "won")),
                Column("lost", "float64", "", "lost a deal by two partners who forget, against greedy"),
                Column("lost_half_width", "float64", "", "half of its 95 % interval"),
                Column("sure_low", "float64", "", "lower end of an interval that holds for all rows at once"),
                Column("sure_high", "float64", "", "its upper end"),
                Column("p_holm", "float64", "", "of no loss, corrected for all rows (Holm)"),
                Column("deals", "int64", "deals", "that this rests on"),
            ),
        }

    def chunk(self, p: CallsThatLieParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        rows: list[dict[str, Any]] = []
        for rules in p.rules:
            for lineup in p.players:
                who = {"rules": name_of(rules), "players": str(lineup)}
                found = [*_called(rules, lineup, p, start, stop), *_believed(rules, lineup, p, start, stop)]
                rows += [{**who, **row} for row in found]
            who = {"rules": name_of(rules), "players": str(p.players[0])}
            rows += [{**who, **row} for row in _forgetting(rules, p, start, stop)]
        return pl.DataFrame(rows, schema=schema(self.columns(p)))

    def summarise(self, p: CallsThatLieParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        counted = ["n", "changed", "total", "squares"]
        keys = [column.name for column in self.columns(p) if column.name not in counted]
        totals = shards.group_by(keys).agg(pl.col(counted).sum()).collect(engine="streaming").sort(keys)
        tables: dict[str, list[dict[str, Any]]] = {name: [] for name in self.table_columns(p)}
        for rules in p.rules:
            for lineup in p.players:
                who = {"rules": name_of(rules), "players": str(lineup)}
                for name, row in _tables(rules, lineup, totals.filter(**who)):
                    tables[name].append({**who, **row})
            for name, row in _worth(totals.filter(pl.col("forgets").is_not_null(), rules=name_of(rules))):
                tables[name].append({"rules": name_of(rules), "players": str(p.players[0]), **row})
        return {name: pl.DataFrame(tables[name], schema=schema(columns))
                for name, columns in self.table_columns(p).items()}

    def headline(self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        which = ["rules", "players"]
        table = tables["calls"].select(which).unique(maintain_order=True)
        for name, cards, measure in (("five", "five", "length"), ("length", "thirteen", "length"),
                                     ("ace", "thirteen", "ace"), ("king", "thirteen", "king")):
            one = tables["calls"].filter(cards=cards, measure=measure).select(
                *which, pl.col("found").alias(name), pl.col("found_half_width").alias(f"{name}_half_width"))
            table = table.join(one, on=which, how="left", maintain_order="left")
        for name, observer, trick in (("bits_by_sight", "sight", 1), ("bits_by_call", "call", 1),
                                      ("bits_before_trick_5", "call", 5)):
            one = tables["beliefs"].filter(observer=observer, trick=trick).select(
                *which, pl.col("entropy").alias(name),
                pl.col("entropy_half_width").alias(f"{name}_half_width"))
            table = table.join(one, on=which, how="left", maintain_order="left")
        return table

    def half_widths(self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        return tables["beliefs"]["entropy_half_width"].to_list()

    def answer(self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        rules = name_of(p.rules[0])
        told = [
            Sentence("call", {
                "players": row["players"], "length": Mean(row["length"], row["length_half_width"]),
                "ace": Share(row["ace"], row["ace_half_width"]),
                "sight": Mean(row["bits_by_sight"], row["bits_by_sight_half_width"]),
                "call": Mean(row["bits_by_call"], row["bits_by_call_half_width"]),
            })
            for row in self.headline(p, tables).filter(rules=rules).iter_rows(named=True)
        ]
        lost = {
            row["gain"]: row
            for row in tables["counting"].filter(rules=rules, forgets="both").iter_rows(named=True)
        }
        points, won = lost["points"], lost["won"]
        counting = Sentence("counting", {
            "points": Mean(points["lost"], points["lost_half_width"]), "p": PValue(points["p_holm"]),
            "won": Share(won["lost"], won["lost_half_width"]),
        })
        return [*told[: _SENTENCES - 1], counting]

    def figures(
        self, p: CallsThatLieParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.calls_that_lie import calls_that_lie

        return calls_that_lie(tables, words)


_SENTENCES = 5

# Chunks


def _called(
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


def _believed(
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
        for deal in _before_each_trick(long, lineup, p.seed, unit):
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
                        found.setdefault((measure, observer, trick), []).append(round(value * _MILLION))
    for (measure, observer, trick), values in sorted(found.items()):
        yield {
            "measure": measure, "observer": observer, "trick": trick, "n": len(values),
            "total": sum(values), "squares": sum(value * value for value in values),
        }


def _before_each_trick(rules: RuleSet, lineup: Lineup, seed: int, index: int) -> list[Deal]:
    """Returns a deal as it stood before the lead of each trick."""
    stood: list[Deal] = []

    def watch(decision: Decision) -> None:
        deal = decision.deal
        if deal.phase == "play" and not deal.trick and len(stood) == len(deal.tricks):
            stood.append(deal.copy())

    Driver(rules, lineup).start(seed, seed_key(seed), 0).play(index, watch=watch)
    return stood


def _forgetting(
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


# Tables


def _tables(
    rules: RuleSet, lineup: Lineup, totals: pl.DataFrame
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of the tables for one rule set and line-up."""
    exact = _exact_of(rules, lineup)
    for cards in CARDS:
        part = totals.filter(cards=cards)
        lengths = part.filter(measure="length")
        n = int(lengths["n"].sum())
        counts = dict(lengths.select("value", "n").iter_rows())
        mean = means(n, sum(k * c for k, c in counts.items()), sum(k * k * c for k, c in counts.items()))
        yield from _call_row(cards, "length", n, mean, Method.T, exact)
        for name in HONOURS:
            held = int(part.filter(measure=name, value=1)["n"].sum())
            yield from _call_row(cards, name, n, proportions(held, n), Method.WILSON, exact)
        for length in range(_HAND[cards] + 1):
            share = proportions(counts.get(length, 0), n)
            yield "lengths", {
                "cards": cards, "length": length, "share": float(share.value),
                "share_half_width": float(share.half_width), "prior": _prior(cards, length),
                "exact": None if exact is None else exact.lengths[cards][length],
            }
    believed = totals.filter(totals["trick"].is_not_null())
    parts = believed.partition_by("trick", "observer", as_dict=True, maintain_order=True)
    for (trick, observer), part in parts.items():
        row: dict[str, Any] = {"trick": trick, "observer": observer}
        for one in part.iter_rows(named=True):
            # Of a belief that is nearly always sure, the few deals in which it is not make up the mean.
            found = means(one["n"], one["total"], one["squares"],
                          unsure=few_large(one["total"], one["squares"]))
            value, half = float(found.value) / _MILLION, float(found.half_width) / _MILLION
            about = f"{observer}, trick {trick}"
            yield "summary", {"measure": one["measure"], "about": about,
                              **estimate_row(found, one["n"], Method.T, _MILLION)}
            if one["measure"] == "error":       # of squares, to that of their root
                value = value**0.5
                half = half / (2 * value) if value else 0.0
            row |= {one["measure"]: value, f"{one['measure']}_half_width": half, "deals": one["n"]}
        yield "beliefs", row


def _call_row(
    cards: str, measure: str, n: int, found: Estimates, method: Method, exact: Exact | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "summary", {"measure": measure, "about": cards, **estimate_row(found, n, method)}
    yield "calls", {
        "cards": cards, "measure": measure,
        "found": float(found.value), "found_half_width": float(found.half_width),
        "prior": _HAND[cards] / 4 if measure == "length" else _HAND[cards] / 52,
        "exact": None if exact is None else exact.measures[cards][measure],
    }


def _worth(totals: pl.DataFrame) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of what partners lose who do not count, corrected for each other."""
    family = [
        {
            "forgets": row["forgets"], "gain": measure, "deals": row["n"], "changed": row["changed"],
            "points": -row["total"], "points_squares": row["squares"],
        }
        for measure in ("points", "won")
        for row in totals.filter(totals["side"].is_null(), measure=measure).iter_rows(named=True)
    ]
    for row in compared(family, "points"):
        yield "counting", {
            **row, "lost": row["value"], "lost_half_width": half_width(row), "deals": row["n"],
        }
        yield "summary", {**row, "measure": row["gain"], "about": f"lost, forgets {row['forgets']}"}


# What can be counted


class Exact(NamedTuple):
    """What a caller has of the suit that he calls, by counting all hands."""

    lengths: Mapping[str, Sequence[float]]
    measures: Mapping[str, Mapping[str, float]]


def _exact_of(rules: RuleSet, lineup: Lineup) -> Exact | None:
    """Returns the exact numbers where eldest always calls his longest suit, else None."""
    eldest = lineup.players[ELDEST]
    calls = isinstance(eldest, PlayerSpec) and eldest.caller == "longest" and not eldest.options
    return exact_of_longest() if calls and rules.redeal is Redeal.OFF else None


@cache
def exact_of_longest() -> Exact:
    """Returns what the caller of the longest suit has of it, from the 134,459 classes of five cards."""
    five: Counter[int] = Counter()
    honours: Counter[str] = Counter()
    for hand in all_classes():
        suit = [card.rank for card in hand.cards if card.suit is Suit.S]     # the longest, then the highest
        five[len(suit)] += hand.weight
        honours.update({name: hand.weight for place, name in enumerate(HONOURS) if 12 - place in suit})
    hands = comb(52, 5)
    shares = [five[length] / hands for length in range(6)]
    thirteen = [
        sum(shares[had] * _drawn(length - had, 13 - had) for had in range(6) if had <= length)
        for length in range(14)
    ]
    chances = {name: honours[name] / hands for name in HONOURS}
    return Exact(
        {"five": shares, "thirteen": thirteen},
        {
            "five": {"length": _mean(shares), **chances},
            "thirteen": {
                "length": _mean(thirteen),
                **{name: had + (1 - had) * 8 / 47 for name, had in chances.items()},
            },
        },
    )


def _drawn(hits: int, left: int) -> float:
    """Returns the chance that of 8 cards from the other 47 so many are of a suit with `left` cards there."""
    return comb(left, hits) * comb(47 - left, 8 - hits) / comb(47, 8) if 0 <= hits <= 8 else 0.0


def _mean(shares: Sequence[float]) -> float:
    return sum(length * share for length, share in enumerate(shares))


def _prior(cards: str, length: int) -> float:
    """Returns the chance of so many cards of a given suit in a hand."""
    size = _HAND[cards]
    return comb(13, length) * comb(39, size - length) / comb(52, size)
