"""The tables of the trump-call study, made from the rows of its chunks.

The best call of a hand is chosen on the even deals and valued on the odd ones, and the other way round; both
values are averaged.  This is what a player gets who knows the hand from half the deals, so it is a little
less than what the truly best call is worth, and so are the regrets; nothing is made to look better by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from courtpiece.cards import RANKS, SHAPES, Card, Suit
from courtpiece.rules import name_of
from courtpiece.stats import NORMAL, Estimates, Floats, Method, means, proportions, t_intervals
from courtpiece.studies.estimates import estimate_row
from courtpiece.studies.hands import Hand
from courtpiece.studies.policies import POLICIES
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, combination, schema
from courtpiece.studies.trump_rows import CALLS, TrumpCallParameters
from courtpiece.studies.trump_sample import BEST, CHANCES, QUALITIES, Integers, Sample

if TYPE_CHECKING:
    import polars as pl

_PIECE = 20_000                         # rows
_OF_TRICKS = ("tricks", "tricks_half_width")    # what tables do not tell of deals that were solved
HONOURS = ("none", "Q", "K", "KQ", "A", "AQ", "AK", "AKQ")      # the position is a number in binary
SHAPE_NAMES = tuple("-".join(map(str, shape)) for shape in SHAPES)      # 5-0-0-0 …
_EXTREMES = 10
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
        Column(f"{name}_half_width", "float64", unit, f"how far the 95 % interval of {name} reaches"),
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
            # Ten thousand files would give as many pieces, which take twenty times the room of their rows.
            pieces = of_these.collect_batches(chunk_size=_PIECE, engine="streaming")
            part = pl.concat([piece.rechunk() for piece in pieces]).sort("hand", "half", "place")
            sample = Sample.of(part, rules, lineup)
            for name, values in _tables(sample, drawn=not p.given).items():
                size = len(next(iter(values.values())))
                told = {**{key: [value] * size for key, value in who.items()}, **values}
                if lineup.double_dummy:
                    told |= {key: [None] * size for key in _OF_TRICKS if key in told}
                found[name].append(pl.DataFrame(
                    {key: np.asarray(told[key]).tolist() for key in columns[name]}, schema=columns[name]
                ))
    return {name: pl.concat(parts) for name, parts in found.items()}


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
        return t_intervals(value, np.nan, 0)
    found = t_intervals(value, error, freedom, chance=chance)
    if chance:
        alike = proportions(value * n, n)
        found = found._replace(low=np.minimum(found.low, alike.low), high=np.maximum(found.high, alike.high))
    return found


def _tables(sample: Sample, drawn: bool) -> dict[str, dict[str, Any]]:
    """Returns the columns of each table but those that tell the rules and players."""
    called = list(_suits_called(sample))
    return {
        "summary": _columns(_summary(sample, drawn)),
        "lengths": _columns(_by_suit(sample, called, drawn, lambda honours: honours.bit_count(), range(4))),
        "holdings": _columns(_by_suit(sample, called, drawn, lambda honours: honours, HONOURS)),
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


def _summary(sample: Sample, drawn: bool) -> Iterator[dict[str, Any]]:
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
    sample: Sample, called: Sequence[_Called], drawn: bool, kind: Callable[[int], int], kinds: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Yields a row for each length and kind of honours of the suit called.

    In hidden games it is the suit of the card laid, and of a suit's cards the lowest is laid.  A hand with
    two such suits counts once, with the mean of both.
    """
    numbers, places, lengths, honours_held = np.array(called).T
    groups = lengths * len(kinds) + np.array([kind(held) for held in range(len(HONOURS))])[honours_held]
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


class _Called(NamedTuple):
    """A call of a suit."""

    hand: int
    place: int
    length: int
    honours: int                        # the position in HONOURS


def _suits_called(sample: Sample) -> Iterator[_Called]:
    """Yields the call of each suit of each hand, once where suits are alike.

    A hidden suit is called as the built-in callers do: by its highest card.
    """
    for number, (hand, words) in enumerate(zip(sample.hands, sample.words, strict=True)):
        ranks = {suit: [card.rank for card in hand if card.suit is suit] for suit in Suit}
        for place, (word, *_) in enumerate(words):
            kind, _, text = word.partition(" ")
            if kind == "hide" and (card := Card.parse(text)).rank == max(ranks[card.suit]):
                suit = card.suit
            elif word in Suit.__members__:
                suit = Suit[word]
            else:
                continue
            yield _Called(number, place, len(ranks[suit]), _honours(ranks[suit]))


def _honours(ranks: Sequence[int]) -> int:
    """Returns the position in HONOURS."""
    return sum(1 << place for place, rank in enumerate("QKA") if RANKS.index(rank) in ranks)


def _shape(hand: Hand) -> str:
    """Returns one of SHAPE_NAMES."""
    lengths = sorted((sum(card.suit is suit for card in hand) for suit in Suit), reverse=True)
    return "-".join(map(str, lengths))


def _by_shape(sample: Sample, drawn: bool) -> Iterator[dict[str, Any]]:
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


def _extremes(sample: Sample) -> dict[str, Any]:
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


def _hands(sample: Sample) -> dict[str, Any]:
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


def _calls(sample: Sample) -> dict[str, Any]:
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
