"""The tables of the trump-call study, made from the rows of its chunks.

The best call of a hand is chosen on the even deals and valued on the odd ones, and the other way round; both
values are averaged.  This is what a player gets who knows the hand from half the deals, so it is a little
less than what the truly best call is worth, and so are the regrets; nothing is made to look better by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.advice import MOST_CALLS, distinct_calls
from courtpiece.cards import RANKS, SHAPES, Card, Suit, parse_cards
from courtpiece.language import Cards, Mean, Sentence, Share, Term
from courtpiece.players import Lineup, PlayerSpec, parse_built_in
from courtpiece.rules import RuleSet, name_of
from courtpiece.stats import NORMAL, Estimates, Floats, Method, means, proportions, t_intervals
from courtpiece.studies.estimates import estimate_row, half_width
from courtpiece.studies.hands import Hand
from courtpiece.studies.policies import POLICIES, said
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, combination, schema
from courtpiece.studies.trump_rows import CALLS, HALVES, MEASURES, TrumpCallParameters

if TYPE_CHECKING:
    import polars as pl

Integers = NDArray[np.int64]

BEST = "best"
# What is told of a call, by the sums it comes from.
QUALITIES = {
    "win": "wins", "kot": "kots", "conceded": "conceded", "points_ahead": "points", "tricks": "tricks"
}
CHANCES = ("win", "kot", "conceded")
_OF_TRICKS = ("tricks", "tricks_half_width")    # what tables do not tell of deals that were solved
HONOURS = ("none", "Q", "K", "KQ", "A", "AQ", "AK", "AKQ")      # the position is a number in binary
SHAPE_NAMES = tuple("-".join(map(str, shape)) for shape in SHAPES)      # 5-0-0-0 …
_NUMBERS = ("no card of it", "one card", "two cards", "three cards", "four cards", "five cards")
_HOW_MANY = ("no_A_K_Q", "one_of_A_K_Q", "two_of_A_K_Q", "all_of_A_K_Q")
_EXTREMES = 10
_FEW_HANDS = 6                          # of which the headline tells all calls
_MANY_HANDS = 40                        # beyond which it tells of no single hand
_TOLD = {
    "win": ("", "chance that the caller's side wins the deal"),
    "kot": ("", "chance that it wins with a kot"),
    "conceded": ("", "chance that the defenders make a kot"),
    "points_ahead": ("points", "mean of the points of the caller's side less the defenders' (or kots)"),
    "tricks": ("tricks", "mean of the tricks its side takes until the deal ends; null for double-dummy"),
}


def table_columns(p: TrumpCallParameters) -> dict[str, tuple[Column, ...]]:
    """Returns the columns of each table."""
    which = combination(p)
    hand = (
        Column("hand", "uint32", "", "number of the hand"),
        Column("cards", "text", "", "the five cards"),
    )
    count = Column("hands", "int64", "hands", "how many hands it rests on")
    of_call = tuple(column for name, told in _TOLD.items() for column in with_half_width(name, *told))
    best = Column("best", "category", "", "the best call, chosen on the even deals", CALLS)
    length = Column("length", "uint8", "cards", "how many of the five cards are of the suit called")
    best_share = with_half_width("best_share", "", "how often such a call is the best of its hand")
    shape = Column("shape", "category", "", "cards in each suit, the longest first",
                   SHAPE_NAMES)
    return {
        "summary": (
            *which,
            Column("policy", "category", "", "who calls: the best call, found on the other half of the "
                   "deals, or a built-in caller", (BEST, *POLICIES)),
            Column("measure", "category", "", "mean over the hands of: the chances to win, to make and to "
                   "concede a kot, points ahead, tricks; regret: points lost against the best call; "
                   "agreement: how often it is the best call", (*QUALITIES, "regret", "agreement")),
            *ESTIMATE_COLUMNS,
        ),
        "lengths": (
            *which, length,
            Column("honours", "uint8", "cards", "how many of its ace, king and queen are among them"),
            count, *of_call, *best_share,
        ),
        "holdings": (
            *which, length,
            Column("honours", "category", "", "its ace, king and queen among them", HONOURS),
            count, *of_call, *best_share,
        ),
        "shapes": (
            *which, shape, count, *of_call,
            *with_half_width("longest_best", "", "how often the longest suit is the best call"),
        ),
        "extremes": (
            *which,
            Column("end", "category", "", "the hands with the best or with the worst best call, picked on "
                   "the even deals; the numbers are from the odd deals", ("best", "worst")),
            *hand, best, *of_call,
        ),
        "hands": (
            *which, *hand,
            Column("class", "uint32", "", "number of the hand's class, alike but for the names of the suits"),
            shape, best,
            Column("next", "category", "", "the next best call on the even deals", CALLS),
            *with_half_width("lead", "points", "mean difference of their points, measured on the odd deals"),
            Column("sure", "bool", "", "the lead is more than chance would give"),
            *of_call,
            *(
                column
                for policy in POLICIES
                for column in (
                    *((Column(policy, "category", "", "what it says", CALLS),) if policy != "random" else ()),
                    *with_half_width(f"{policy}_regret", "points", "points it loses against the best call"),
                )
            ),
        ),
        "calls": (
            *which, *hand,
            Column("class", "uint32", "", "number of the hand's class"),
            Column("call", "category", "", "what eldest says", CALLS),
            Column("also", "text", "", "other words that come to the same"),
            Column("deals", "int64", "deals", "how many were played"),
            *of_call,
        ),
    }


def with_half_width(name: str, unit: str, meaning: str) -> tuple[Column, Column]:
    """Returns the columns of an estimate and of half of its interval."""
    return (
        Column(name, "float64", unit, meaning),
        Column(f"{name}_half_width", "float64", unit, f"half the 95 % interval of {name}"),
    )


def summarise(p: TrumpCallParameters, rows: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """Returns all tables from the rows of all chunks.

    One rule set with one line-up is in memory at a time.  Within it memory grows with the number of hands,
    since the tables of hands and calls have rows for each: about 10 KB a hand, so 1 GB for 100,000 hands.
    The number of deals does not matter.
    """
    import polars as pl

    found: dict[str, list[pl.DataFrame]] = {name: [] for name in table_columns(p)}
    columns = {name: schema(columns) for name, columns in table_columns(p).items()}
    for rules in p.rules:
        for lineup in p.players:
            who = {"rules": name_of(rules), "players": str(lineup)}
            of_these = rows.filter(rules=who["rules"], players=who["players"])
            part = of_these.collect(engine="streaming").sort("hand", "half", "place")
            sample = _Sample.of(part, rules, lineup)
            for name, values in _tables(sample, drawn=not p.given).items():
                size = len(next(iter(values.values())))
                told = {**{key: [value] * size for key, value in who.items()}, **values}
                if lineup.double_dummy:
                    told |= {key: [None] * size for key in _OF_TRICKS if key in told}
                found[name].append(pl.DataFrame(
                    {key: np.asarray(told[key]).tolist() for key in columns[name]}, schema=columns[name]
                ))
    return {name: pl.concat(parts) for name, parts in found.items()}


@dataclass(frozen=True)
class _Sample:
    """All hands under one rule set with one line-up.  Arrays are (hands, halves, calls)."""

    rules: RuleSet
    lineup: Lineup
    hands: list[Hand]
    cards: list[str]
    classes: Integers
    words: list[list[list[str]]]        # of each call of each hand; the first is the one that is told
    valid: NDArray[np.bool_]            # (hands, calls): there is such a call
    deals: Integers                     # (hands, halves)
    sums: Mapping[str, Integers]
    products: Integers                  # (hands, halves, calls, calls)

    @classmethod
    def of(cls, rows: pl.DataFrame, rules: RuleSet, lineup: Lineup) -> _Sample:
        """Returns the sample of rows sorted by hand, half and place."""
        numbers = rows["hand"].to_numpy()
        where = (
            np.unique(numbers, return_inverse=True)[1],
            (rows["half"] == HALVES[1]).to_numpy().astype(np.int64),
            rows["place"].to_numpy().astype(np.int64),
        )
        firsts = rows.unique("hand", keep="first", maintain_order=True)
        size = len(firsts)

        def spread(name: str) -> Integers:
            out = np.zeros((size, 2, MOST_CALLS), np.int64)
            out[where] = rows[name].fill_null(0).to_numpy()
            return out

        words: list[list[list[str]]] = [[] for _ in range(size)]
        evens = rows.filter(half=HALVES[0])
        for place, call, also in zip(where[0][where[1] == 0], evens["call"], evens["also"], strict=True):
            words[place].append([call, *filter(None, also.split(", "))])
        deals = spread("deals")
        return cls(
            rules, lineup, [parse_cards(text) for text in firsts["cards"]], firsts["cards"].to_list(),
            firsts["class"].to_numpy().astype(np.int64), words, deals[:, 0] > 0, deals[:, :, 0],
            {name: spread(name) for name in MEASURES},
            np.stack([spread(f"product_{place}") for place in range(MOST_CALLS)], axis=-1),
        )

    @cached_property
    def means(self) -> dict[str, Floats]:
        """(hands, halves, calls): the mean of each quality; 0 where there is no such call."""
        return {name: self.sums[column] / self.deals[:, :, None] for name, column in QUALITIES.items()}

    @cached_property
    def errors(self) -> dict[str, Floats]:
        """(hands, halves, calls): the standard error of each mean."""
        n = self.deals[:, :, None]
        squares = {  # a chance's values are their own squares
            name: self.sums[column if name in CHANCES else f"{column}_squared"]
            for name, column in QUALITIES.items()
        }
        return {
            name: np.sqrt((squares[name] / n - mean**2).clip(0) / (n - 1))
            for name, mean in self.means.items()
        }

    @cached_property
    def ranked(self) -> Integers:
        """(hands, halves, calls): the calls by their points on each half of the deals, the best first."""
        points = np.where(self.valid[:, None, :], self.means["points_ahead"], -np.inf)
        return np.argsort(-points, axis=-1, kind="stable")

    @cached_property
    def best(self) -> Floats:
        """(hands, halves, calls): 1 for the call to be valued on a half, the best of the other half."""
        return np.eye(MOST_CALLS)[self.ranked[:, ::-1, 0]]

    @cached_property
    def policies(self) -> dict[str, Floats]:
        """(hands, 1, calls) for each built-in caller: the chance that it makes the call."""
        found = {policy: np.zeros((len(self.hands), 1, MOST_CALLS)) for policy in POLICIES}
        eldest = self.lineup.caller_side
        card = eldest.card if isinstance(eldest, PlayerSpec) else "greedy"      # whose policies come with it
        for number, (hand, words) in enumerate(zip(self.hands, self.words, strict=True)):
            place = {word: at for at, alike in enumerate(words) for word in alike}
            legal = [word for alike in distinct_calls(hand, self.rules) for word in alike]
            for policy, weights in found.items():
                told = said(parse_built_in(f"{card}/{policy}"), hand, self.rules, legal)
                for word in told:
                    weights[number, 0, place[word]] += 1 / len(told)
        return found

    def value(self, quality: str, weights: Floats) -> Floats:
        """Returns the mean of a quality, for each hand, when calls are made with these chances."""
        return np.asarray((self.means[quality] * weights).sum(axis=-1).mean(axis=-1))

    def value_error(self, quality: str, weights: Floats) -> Floats:
        """Returns the standard error of `value`; at most that, where several calls are mixed."""
        return _root_of_halves((self.errors[quality] * weights).sum(axis=-1))

    def points_error(self, weights: Floats) -> Floats:
        """Returns the standard error of the mean over halves of a weighted sum of the calls' points."""
        n = self.deals[:, :, None, None]
        points = self.sums["points"]
        spread = self.products / n - points[..., :, None] * points[..., None, :] / n**2
        variance = np.einsum("nhi,nhij,nhj->nh", weights, spread, weights).clip(0) / (self.deals - 1)
        return _root_of_halves(np.sqrt(variance))


def _root_of_halves(errors: Floats) -> Floats:
    """Returns the standard error of the mean of two independent values, (hands, 2) to (hands,)."""
    return np.asarray(np.sqrt((errors**2).sum(axis=-1)) / 2)


def _mean(values: Floats, errors: Floats, n: int, drawn: bool, chance: bool) -> Estimates:
    """Returns the mean of some hands' values, which rest on `n` deals, with its interval.

    Of hands drawn at random the interval is for all hands, from how the values differ.  Of hands that were
    given it is for these hands, from the values' own errors.  The interval of a chance is never shorter
    than that of so many deals all alike, so that it has a length when nothing or everything happened.
    """
    size = len(values)
    value = float(values.mean())
    if not drawn:
        error, freedom = float(np.sqrt((errors**2).sum()) / size), n - 1
    elif size > 1:
        error, freedom = float(values.std(ddof=1) / np.sqrt(size)), size - 1
    else:
        return Estimates(*map(np.asarray, (value, np.nan, -np.inf, np.inf)))
    found = t_intervals(value, error, freedom, chance=chance)
    if chance:
        alike = proportions(value * n, n)
        found = found._replace(low=np.minimum(found.low, alike.low), high=np.maximum(found.high, alike.high))
    return found


def _tables(sample: _Sample, drawn: bool) -> dict[str, dict[str, Any]]:
    """Returns the columns of each table but those that tell the rules and players."""
    return {
        "summary": _columns(_summary(sample, drawn)),
        "lengths": _columns(_by_suit(sample, drawn, lambda honours: honours.bit_count(), range(4))),
        "holdings": _columns(_by_suit(sample, drawn, lambda honours: honours, HONOURS)),
        "shapes": _columns(_by_shape(sample, drawn)),
        "extremes": _extremes(sample),
        "hands": _hands(sample),
        "calls": _calls(sample),
    }


def _columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return found


def _summary(sample: _Sample, drawn: bool) -> Iterator[dict[str, Any]]:
    size, deals = len(sample.hands), int(sample.deals.sum())
    for policy, weights in {BEST: sample.best, **sample.policies}.items():
        found = {
            quality: (sample.value(quality, weights), sample.value_error(quality, weights))
            for quality in QUALITIES
        }
        if policy != BEST:
            lost = sample.best - weights
            found["regret"] = sample.value("points_ahead", lost), sample.points_error(lost)
            found["agreement"] = _over_halves((sample.best * weights).sum(axis=-1))
        if sample.lineup.double_dummy:
            del found["tricks"]         # the deals were solved, not played
        for measure, (values, errors) in found.items():
            n = size if measure == "agreement" else deals
            told = _mean(values, errors, n, drawn, measure in (*CHANCES, "agreement"))
            yield {"policy": policy, "measure": measure,
                   **estimate_row(told, size if drawn else n, Method.T)}


def _over_halves(values: Floats) -> tuple[Floats, Floats]:
    """Returns the mean of what the two halves say, and its standard error from how they differ."""
    return values.mean(axis=-1), np.abs(values[:, 0] - values[:, 1]) / 2


def _by_suit(
    sample: _Sample, drawn: bool, kind: Callable[[int], int], kinds: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Yields a row for each length and kind of honours of the suit called.

    In hidden games it is the suit of the card laid, and of a suit's cards the lowest is laid.  A hand with
    two such suits counts once, with the mean of both.
    """
    entries = [
        (number, place, len(ranks) * len(kinds) + kind(_honours(ranks)))
        for number, (hand, words) in enumerate(zip(sample.hands, sample.words, strict=True))
        for place, ranks in _suits_called(hand, words)
    ]
    numbers, places, groups = np.array(entries).T
    pairs, owner = np.unique(groups * len(sample.hands) + numbers, return_inverse=True)
    share = np.bincount(owner)

    def by_pair(values: Floats) -> Floats:
        return np.bincount(owner, values[numbers, places]) / share

    found = {
        quality: (by_pair(sample.means[quality].mean(axis=1)),
                  by_pair(np.sqrt((sample.errors[quality] ** 2).sum(axis=1)) / 2))
        for quality in QUALITIES
    }
    chosen = sample.best[numbers, :, places]
    share_best = np.array([np.bincount(owner, chosen[:, half]) / share for half in (0, 1)]).T
    found["best_share"] = _over_halves(share_best)
    for group in np.unique(pairs // len(sample.hands))[::-1]:
        length, honours = divmod(int(group), len(kinds))
        members = pairs // len(sample.hands) == group
        deals = int(sample.deals[pairs[members] % len(sample.hands)].sum())
        yield {
            "length": length, "honours": kinds[honours], "hands": int(members.sum()),
            **_group({name: (v[members], e[members]) for name, (v, e) in found.items()}, deals, drawn),
        }


def _group(
    found: Mapping[str, tuple[Floats, Floats]], deals: int, drawn: bool
) -> dict[str, float | None]:
    """Returns the mean and the half-width of each quantity, for one row of a table; None if unknown."""
    told: dict[str, float | None] = {}
    for name, (values, errors) in found.items():
        n = deals if name in QUALITIES else len(values)
        half_width = float(_mean(values, errors, n, drawn, name not in ("points_ahead", "tricks")).half_width)
        told[name] = float(values.mean())
        told[f"{name}_half_width"] = half_width if np.isfinite(half_width) else None
    return told


def _suits_called(hand: Hand, words: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[int]]]:
    """Yields the call of each suit, once where suits are alike, and the ranks held in it.

    A hidden suit is called as the built-in callers do: by its highest card.
    """
    highest = {suit: max((card for card in hand if card.suit is suit), default=None) for suit in Suit}
    for place, alike in enumerate(words):
        word = alike[0]
        kind, _, text = word.partition(" ")
        if kind == "hide" and highest[Card.parse(text).suit] is Card.parse(text):
            suit = Card.parse(text).suit
        elif word in Suit.__members__:
            suit = Suit[word]
        else:
            continue
        yield place, [card.rank for card in hand if card.suit is suit]


def _honours(ranks: Sequence[int]) -> int:
    """Returns the position in HONOURS."""
    return sum(1 << place for place, rank in enumerate("QKA") if RANKS.index(rank) in ranks)


def _shape(hand: Hand) -> str:
    """Returns one of SHAPE_NAMES."""
    lengths = sorted((sum(card.suit is suit for card in hand) for suit in Suit), reverse=True)
    return "-".join(map(str, lengths))


def _by_shape(sample: _Sample, drawn: bool) -> Iterator[dict[str, Any]]:
    found = {
        quality: (sample.value(quality, sample.best), sample.value_error(quality, sample.best))
        for quality in QUALITIES
    }
    found["longest_best"] = _over_halves((sample.best * sample.policies["longest"]).sum(axis=-1))
    shapes = np.array([_shape(hand) for hand in sample.hands])
    for shape in SHAPE_NAMES:
        members = shapes == shape
        if members.any():
            told = {name: (values[members], errors[members]) for name, (values, errors) in found.items()}
            deals = int(sample.deals[members].sum())
            yield {"shape": shape, "hands": int(members.sum()), **_group(told, deals, drawn)}


def qualities(sums: Mapping[str, Integers], n: Integers) -> dict[str, Floats]:
    """Returns the estimates of calls and their half-widths, from whole-number sums over `n` deals."""
    told: dict[str, Floats] = {}
    for quality, column in QUALITIES.items():
        if quality in CHANCES:
            found = proportions(sums[column], n)
        else:
            found = means(n, sums[column], sums[f"{column}_squared"])
        told |= {quality: found.value, f"{quality}_half_width": found.half_width}
    return told


def _extremes(sample: _Sample) -> dict[str, Any]:
    numbers = np.arange(len(sample.hands))
    best = sample.ranked[:, 0, 0]
    order = np.argsort(-sample.means["points_ahead"][numbers, 0, best], kind="stable")
    size = min(_EXTREMES, len(order) // 2)
    picked = np.concatenate([order[:size], order[len(order) - size:]])
    return {
        "end": ["best"] * size + ["worst"] * size,
        "hand": picked,
        "cards": [sample.cards[number] for number in picked],
        "best": [sample.words[number][best[number]][0] for number in picked],
        **qualities({name: sums[picked, 1, best[picked]] for name, sums in sample.sums.items()},
                     sample.deals[picked, 1]),
    }


def _hands(sample: _Sample) -> dict[str, Any]:
    numbers = np.arange(len(sample.hands))
    best, second = sample.ranked[:, 0, 0], sample.ranked[:, 0, 1]
    n = sample.deals[:, 1]
    points, products = sample.sums["points"][:, 1], sample.products[:, 1]
    ahead = points[numbers, best] - points[numbers, second]
    squares = (products[numbers, best, best] + products[numbers, second, second]
               - 2 * products[numbers, best, second])
    lead = means(n, ahead, squares)
    told: dict[str, Any] = {
        "hand": numbers,
        "cards": sample.cards,
        "class": sample.classes,
        "shape": [_shape(hand) for hand in sample.hands],
        "best": [words[place][0] for words, place in zip(sample.words, best, strict=True)],
        "next": [words[place][0] for words, place in zip(sample.words, second, strict=True)],
        "lead": lead.value,
        "lead_half_width": lead.half_width,
        "sure": lead.low > 0,
        **qualities({name: sums[numbers, 1, best] for name, sums in sample.sums.items()}, n),
    }
    for policy, weights in sample.policies.items():
        lost = sample.best - weights
        told |= {
            policy: [words[place][0] for words, place
                     in zip(sample.words, weights[:, 0].argmax(axis=-1), strict=True)],
            f"{policy}_regret": sample.value("points_ahead", lost),
            f"{policy}_regret_half_width": NORMAL * sample.points_error(lost),
        }
    return told


def _calls(sample: _Sample) -> dict[str, Any]:
    numbers, places = np.nonzero(sample.valid)
    words = [sample.words[number][place] for number, place in zip(numbers, places, strict=True)]
    n = sample.deals[numbers].sum(axis=-1)
    return {
        "hand": numbers,
        "cards": [sample.cards[number] for number in numbers],
        "class": sample.classes[numbers],
        "call": [alike[0] for alike in words],
        "also": [", ".join(alike[1:]) for alike in words],
        "deals": n,
        **qualities({name: sums[numbers, :, places].sum(axis=-1) for name, sums in sample.sums.items()}, n),
    }


def headline(p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Returns the chance to win with a suit by its cards and honours; of a few given hands, their calls."""
    import polars as pl

    which = [name for name in ("rules", "players") if len(getattr(p, name)) > 1]
    shown = [name for quality in QUALITIES for name in (quality, f"{quality}_half_width")]
    if p.given and len(p.given) <= _FEW_HANDS:
        order = [*which, "hand", "points_ahead"]
        falling = [False] * (len(order) - 1) + [True]
        calls = tables["calls"].sort(order, descending=falling, maintain_order=True)
        return calls.select(*which, "cards", "call", "also", *shown)
    if p.given and len(p.given) <= _MANY_HANDS:
        return tables["hands"].select(*which, "cards", "best", "lead", "lead_half_width", *shown)
    lengths = tables["lengths"].filter(pl.col("win_half_width").is_not_null())
    rows = lengths.select(*which, "length").unique(maintain_order=True)
    for honours, name in enumerate(_HOW_MANY):
        one = lengths.filter(honours=honours).select(
            *which, "length", pl.col("win").alias(name), pl.col("win_half_width").alias(f"{name}_half_width")
        )
        rows = rows.join(one, on=[*which, "length"], how="left", maintain_order="left")
    cards = pl.Series("chance_to_win_with", [_NUMBERS[length] for length in rows["length"]])
    return rows.select(*which, cards, pl.exclude(*which, "length"))


def answer(p: TrumpCallParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
    """Returns what random hands are worth called best, and what other ways lose; of a few given hands, calls.

    Beyond the first rule set and line-up it is left to the tables.
    """
    import polars as pl

    rules, players = tables["summary"]["rules"][0], tables["summary"]["players"][0]
    where = (pl.col("rules") == rules) & (pl.col("players") == players)
    who = {"rules": str(rules), "players": str(players)}
    if p.given and len(p.given) <= _FEW_HANDS:
        return [sentence for row in tables["hands"].filter(where).iter_rows(named=True)
                for sentence in _of_hand(who, row)]
    summary = tables["summary"].filter(where)
    told = [Sentence("best", {
        **who, "win": Share(*_in_summary(summary, BEST, "win")),
        "ahead": Mean(*_in_summary(summary, BEST, "points_ahead")),
    })]
    for policy in ("longest", "strongest"):
        regret, half_width = _in_summary(summary, policy, "regret")
        told.append(Sentence("policy" if regret > half_width else "policy-even", {
            "policy": Term(policy, "policy"), "regret": Mean(regret, half_width),
            "agreement": Share(*_in_summary(summary, policy, "agreement")),
        }))
    three = tables["lengths"].filter(where, length=3).drop_nulls("win_half_width")
    shares = {row["honours"]: Share(row["win"], row["win_half_width"]) for row in three.iter_rows(named=True)}
    if {0, 3} <= shares.keys():
        told.append(Sentence("honours", {"none": shares[0], "all": shares[3]}))
    return told


def _of_hand(who: Mapping[str, str], row: Mapping[str, Any]) -> Iterator[Sentence]:
    yield Sentence("hand", {
        **who, "cards": Cards(row["cards"]), "best": _called(row["best"]),
        "win": Share(row["win"], row["win_half_width"]),
        "ahead": Mean(row["points_ahead"], row["points_ahead_half_width"]),
    })
    lead = Mean(row["lead"], row["lead_half_width"])
    yield Sentence("lead" if row["sure"] else "open", {"lead": lead, "next": _called(row["next"])})


def _called(word: str) -> Cards | Term:
    """Returns a call as a sentence has it: the card that is laid, or the suit or other word."""
    kind, _, card = word.partition(" ")
    return Cards(card) if kind == "hide" else Term(word, "said")


def _in_summary(summary: pl.DataFrame, policy: str, measure: str) -> tuple[float, float]:
    row = summary.filter(policy=policy, measure=measure).row(0, named=True)
    return row["value"], half_width(row)
