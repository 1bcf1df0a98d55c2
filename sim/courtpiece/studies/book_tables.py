"""The tables of the trump-book study, made from the rows of its chunks.

All means are over hands: a class counts as often as there are hands in it.  Where all classes are there, a
mean has only the errors of the calls' values; of some classes it is an estimate for all, by the ratio of
weighted sums (W. G. Cochran, "Sampling Techniques", 1977, chapter 6), and its error has a part from which
classes these are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.language import Mean, Sentence, Share, Term
from courtpiece.stats import NORMAL, Estimates, Floats, Method, means
from courtpiece.studies.book_hands import SUITS, Hands, lengths_of, weighted
from courtpiece.studies.book_rows import BOOK, CLASSES, ROLES, TrumpBookParameters, who
from courtpiece.studies.book_trials import TRIAL_MEASURES, trials
from courtpiece.studies.estimates import estimate_row, half_width
from courtpiece.studies.policies import POLICIES
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, schema
from courtpiece.studies.trump_rows import CALLS
from courtpiece.studies.trump_rows import MEASURES as SUMS
from courtpiece.studies.trump_sample import BEST, CHANCES, QUALITIES
from courtpiece.studies.trump_tables import HONOURS, SHAPE_NAMES, qualities, with_half_width

if TYPE_CHECKING:
    import polars as pl

BEST_SHARES = ("longest_best", "other_best", "pass_best")
MEASURES = (*QUALITIES, "regret", "agreement", "clear", "close", *BEST_SHARES, "deals")
MARGINS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1.0)     # lower ends; the first takes all below
_CLOSE = 0.05                           # points a deal: hardly felt
_ROWS_OF_HEADLINE = ("points_ahead", "win", "kot", "conceded", "regret", "agreement")


def table_columns(p: TrumpBookParameters) -> dict[str, tuple[Column, ...]]:
    """Returns the columns of each table."""
    unit = str(p.ruleset.counting)
    which = who(p)
    shape = Column("shape", "category", "", "cards in each suit, the longest first", SHAPE_NAMES)
    role = "of the suits in falling order, by length and then by the higher cards"
    hands = Column("hands", "int64", "hands", "how many five-card hands are like this, of those looked at")
    of_call = (
        *with_half_width("win", "", "chance that the caller's side wins the deal"),
        *with_half_width("kot", "", "chance that it wins with a kot"),
        *with_half_width("conceded", "", "chance that the defenders make a kot"),
        *with_half_width("points_ahead", unit, "points of the caller's side less the defenders', a deal"),
        *with_half_width("tricks", "tricks", "tricks its side takes until the deal ends"),
    )
    margin = with_half_width("margin", unit, "points a deal of the best call less those of the next best")
    return {
        "summary": (
            *which,
            Column("policy", "category", "", "who calls: the book's best call, or a built-in caller",
                   (BEST, *POLICIES)),
            Column("measure", "category", "", "mean over all hands of: the chances to win, to make and to "
                   "concede a kot, points ahead, tricks; regret: points lost against the book's best call; "
                   "agreement: how often it says that call; clear: how often the best call is ahead of the "
                   "next by more than chance explains; close: how often by less than 0.05; longest_best, "
                   "other_best, pass_best: how often the best call is the longest suit, another, a pass; "
                   "deals: on how many a hand's calls were played",
                   MEASURES),
            *ESTIMATE_COLUMNS,
        ),
        "map": (
            *which, shape,
            Column("honours", "category", "", "ace, king and queen of the longest suit", HONOURS),
            Column("beside", "uint8", "cards", "aces and kings in the other suits"),
            hands,
            Column("role", "category", "", "the call that is best for these hands together: " + role, ROLES),
            Column("share", "float64", "", "how many of these hands have it as their own best call"),
            *with_half_width("win", "", "chance to win with each hand's own best call"),
            *with_half_width("points_ahead", unit, "points ahead with each hand's own best call"),
            *margin,
            Column("suit", "category", "", "the suit that is best for these hands together where one must be "
                   "called; null where nobody calls a suit", ROLES),
            Column("suit_share", "float64", "",
                   "how many of these hands have it as their own best suit, by the deals that chose"),
            *with_half_width("suit_points_ahead", unit, "points ahead with each hand's own best suit"),
        ),
        "shapes": (
            *which, shape, hands, *of_call, *margin,
            *(Column(f"{name}_best", "float64", "", f"share of hands whose best call is {name}, {role}")
              for name in ROLES),
        ),
        "margins": (
            *which,
            Column("margin_from", "float64", unit,
                   "lower end of the range of margins; the lowest range holds all below"),
            Column("share", "float64", "", "share of all hands whose margin is in the range"),
            Column("classes", "int64", "classes", "how many classes these are, of those looked at"),
        ),
        "trials": (
            *which,
            Column("measure", "category", "", "see the study's page", TRIAL_MEASURES),
            *ESTIMATE_COLUMNS,
        ),
        "book": (
            *which,
            Column("class", "uint32", "", "number of the class, alike but for the names of the suits"),
            Column("weight", "uint8", "hands", "how many hands are in it"),
            Column("cards", "text", "", "one of them, its suits in falling order"),
            shape,
            Column("call", "category", "", "what eldest says", CALLS),
            Column("also", "text", "", "other words that come to the same"),
            Column("role", "category", "", "what the call is: " + role, ROLES),
            Column("rank", "uint8", "", "0 the best call, 1 the next best, …, by the deals that chose"),
            Column("chosen_on", "int64", "deals", "on which it was compared until it was ruled out"),
            Column("deals", "int64", "deals", "others, on which it was valued"),
            *of_call,
            *with_half_width("behind", unit, "points a deal behind the best call, on the same deals"),
        ),
    }


def summarise(p: TrumpBookParameters, rows: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """Returns all tables.  The book has a row for each call of each class: 660,000 of all classes."""
    import polars as pl

    of_book = rows.filter(stage=BOOK).sort("class", "place").collect(engine="streaming")
    of_trials = rows.filter(stage="trial").sort("class", "players", "place").collect(engine="streaming")
    hands = Hands(of_book)
    told = {
        "summary": list(_summary(hands)),
        "map": list(_map(hands)),
        "shapes": list(_shapes(hands)),
        "margins": list(_margins(hands)),
        "trials": list(trials(p, hands, of_trials)),
    }
    where = {"rules": str(of_book["rules"][0]), "players": str(p.lineup)}
    columns = {name: schema(columns) for name, columns in table_columns(p).items()}
    tables = {
        name: pl.DataFrame([{**where, **row} for row in found], schema=columns[name])
        for name, found in told.items()
    }
    return tables | {"book": _book(of_book).select(
        pl.col(name).cast(dtype) for name, dtype in columns["book"].items()
    )}


def _over(hands: Hands, members: NDArray[np.bool_] | slice = slice(None)) -> Callable[..., Estimates]:
    """Returns what makes the weighted mean of values and errors by class over some of the classes.

    How many classes there are like these is known from the share looked at.
    """
    part = hands.weights[members]
    like_these = max(len(part), round(len(part) * CLASSES / len(hands)))

    def mean(values: Floats, errors: Floats, *, chance: bool = False) -> Estimates:
        return weighted(values[members], errors[members], part, chance=chance, all_of=like_these)

    return mean


def _when(hands: Hands, quality: str, weights: Floats) -> tuple[Floats, Floats]:
    """Returns a quality by class when calls are made with these chances, and its standard error (at most
    that, where several calls are mixed)."""
    value, error = hands.behind if quality == "regret" else hands.mean(quality)
    return (value * weights).sum(axis=1), (error * weights).sum(axis=1)


def _summary(hands: Hands) -> Iterator[dict[str, Any]]:
    mean, none = _over(hands), np.zeros(len(hands))
    best = hands.calls(BEST)
    for policy in (BEST, *POLICIES):
        weights = hands.calls(policy)
        found = {
            quality: mean(*_when(hands, quality, weights), chance=quality in CHANCES) for quality in QUALITIES
        }
        if policy == BEST:
            value, error = hands.margin
            played = (hands.deals + hands.spread("chosen_on")).sum(axis=1)
            role = hands.role_at(hands.rank.argmin(axis=1))
            longest, passed = role == ROLES.index("longest"), role == ROLES.index("pass")
            shares = {"clear": value > NORMAL * error, "close": value < _CLOSE, "longest_best": longest,
                      "other_best": ~longest & ~passed, "pass_best": passed}
            found |= {
                name: mean(share.astype(np.float64), none, chance=True) for name, share in shares.items()
            }
            found["deals"] = mean(played, none)
        else:
            found |= {
                "regret": mean(*_when(hands, "regret", weights)),
                "agreement": mean((best * weights).sum(axis=1), none, chance=True),
            }
        for measure, told in found.items():
            yield {"policy": policy, "measure": measure, **estimate_row(told, len(hands), Method.T)}


def _cell(told: Estimates) -> tuple[float, float | None]:
    half_width = float(told.half_width)
    return float(told.value), half_width if np.isfinite(half_width) else None


def _named(name: str, told: Estimates) -> dict[str, float | None]:
    value, half_width = _cell(told)
    return {name: value, f"{name}_half_width": half_width}


def _map(hands: Hands) -> Iterator[dict[str, Any]]:
    shapes, best, role = hands.shapes, hands.calls(BEST), hands.role_at(hands.rank.argmin(axis=1))
    suit = np.eye(hands.rank.shape[1])[hands.best_suit]
    suit_role, suits = hands.role_at(hands.best_suit), hands.valid & (hands.roles < SUITS)
    honours = np.array([_honours(cards.split(".")[0], "QKA") for cards in hands.cards])
    beside = np.array([sum(card in "AK" for card in "".join(cards.split(".")[1:])) for cards in hands.cards])
    points = hands.mean("points_ahead")[0]
    for shape in SHAPE_NAMES:
        for held in range(len(HONOURS)):
            for others in range(5):
                members = (shapes == shape) & (honours == held) & (beside == others)
                if not members.any():
                    continue
                mean, weights = _over(hands, members), hands.weights[members]
                called = _best_together(points[members], hands.roles[members], hands.valid[members], weights)
                cell: dict[str, Any] = {
                    "shape": shape, "honours": HONOURS[held], "beside": others, "hands": int(weights.sum()),
                    "role": ROLES[called],
                    "share": float(np.average(role[members] == called, weights=weights)),
                    **_named("win", mean(*_when(hands, "win", best), chance=True)),
                    **_named("points_ahead", mean(*_when(hands, "points_ahead", best))),
                    **_named("margin", mean(*hands.margin)),
                }
                if suits.any():
                    named = _best_together(points[members], hands.roles[members], suits[members], weights)
                    cell |= {
                        "suit": ROLES[named],
                        "suit_share": float(np.average(suit_role[members] == named, weights=weights)),
                        **_named("suit_points_ahead", mean(*_when(hands, "points_ahead", suit))),
                    }
                yield cell


def _best_together(
    points: Floats, roles: NDArray[np.int64], valid: NDArray[np.bool_], weights: Floats
) -> int:
    """Returns the role that is worth most for some hands together.

    A suit that a hand holds like an earlier one is called under the earlier one's name.
    """
    worth = {}
    for role in np.unique(roles[valid]):
        said = valid & (roles == role)
        has = said.any(axis=1)
        if role < SUITS:                # suits held alike are one call, under the first one's role
            place = np.where(valid & (roles <= role), roles, -1).argmax(axis=1)
            has = np.ones(len(points), bool)
        else:
            place = said.argmax(axis=1)
        if has.all():
            worth[int(role)] = float((points[np.arange(len(points)), place] * weights).sum())
    return max(worth, key=lambda role: worth[role])


def _honours(held: str, names: str) -> int:
    """Returns the position in HONOURS of the queen, king and ace held."""
    return sum(1 << place for place, rank in enumerate(names) if rank in held)


def _shapes(hands: Hands) -> Iterator[dict[str, Any]]:
    shapes, best, role = hands.shapes, hands.calls(BEST), hands.role_at(hands.rank.argmin(axis=1))
    for shape in SHAPE_NAMES:
        members = shapes == shape
        if not members.any():
            continue
        mean, weights = _over(hands, members), hands.weights[members]
        row: dict[str, Any] = {"shape": shape, "hands": int(weights.sum())}
        for quality in QUALITIES:
            row |= _named(quality, mean(*_when(hands, quality, best), chance=quality in CHANCES))
        yield row | _named("margin", mean(*hands.margin)) | {
            f"{name}_best": float(np.average(role[members] == number, weights=weights))
            for number, name in enumerate(ROLES)
        }


def _margins(hands: Hands) -> Iterator[dict[str, Any]]:
    value, _ = hands.margin
    places = np.digitize(value, MARGINS[1:])
    for place, start in enumerate(MARGINS):
        members = places == place
        share = float(hands.weights[members].sum() / hands.weights.sum())
        yield {"margin_from": start, "share": share, "classes": int(members.sum())}


def _book(rows: pl.DataFrame) -> pl.DataFrame:
    """Returns the rows with the calls' estimates."""
    import polars as pl

    n = rows["deals"].to_numpy()
    told = qualities({name: rows[name].to_numpy() for name in SUMS}, n)
    apart = means(n, rows["behind"].to_numpy(), rows["behind_squared"].to_numpy())
    told |= {"behind": apart.value, "behind_half_width": apart.half_width}
    lengths = {cards: "-".join(map(str, lengths_of(cards))) for cards in rows["cards"].unique()}
    return rows.with_columns(
        pl.col("cards").replace_strict(lengths).alias("shape"),
        *(pl.Series(name, values) for name, values in told.items()),
    )


def headline(p: TrumpBookParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Returns what each way of calling is worth over all hands; where it was tried, how the advice holds."""
    import polars as pl

    if p.against:
        return _across(tables["trials"], "players", TRIAL_MEASURES)
    return _across(tables["summary"].rename({"policy": "caller"}), "caller", _ROWS_OF_HEADLINE).with_columns(
        pl.col("caller").replace_strict({BEST: "the book"}, default=pl.col("caller").cast(pl.String))
    )


def answer(p: TrumpBookParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
    """Returns what the book is worth, which calls are best, how clear they are, what others lose."""
    who = {"rules": str(tables["summary"]["rules"][0]), "players": str(p.lineup)}

    def told(policy: str, measure: str, kind: type[Share | Mean]) -> Share | Mean:
        row = tables["summary"].filter(policy=policy, measure=measure).row(0, named=True)
        return kind(row["value"], half_width(row) or None)      # exact where all classes are there

    longest, other, passed = (told(BEST, name, Share) for name in BEST_SHARES)
    worth = {"win": told(BEST, "win", Share), "ahead": told(BEST, "points_ahead", Mean)}
    found = [Sentence("best", {**who, **worth})]
    if passed.value:
        found.append(Sentence("roles", {"longest": longest, "other": other, "pass": passed}))
    else:
        found.append(Sentence("suits", {"longest": longest, "other": other}))
    found.append(Sentence("clear", {"close": told(BEST, "close", Share), "within": Mean(_CLOSE)}))
    for policy in ("longest", "strongest"):
        loss = told(policy, "regret", Mean)
        found.append(Sentence("policy" if loss.value > (loss.half_width or 0) else "policy-even", {
            "policy": Term(policy, "policy"), "regret": loss, "agreement": told(policy, "agreement", Share),
        }))
    for players in dict.fromkeys(map(str, tables["trials"]["players"])):
        if players != str(p.lineup):
            rows = {str(row["measure"]): row for row in
                    tables["trials"].filter(players=players).iter_rows(named=True)}
            regret, still = rows["regret"], rows["still_best"]
            found.append(Sentence("trial", {
                "players": players, "regret": Mean(regret["value"], half_width(regret)),
                "still": Share(still["value"], half_width(still)),
            }))
    return found


def _across(table: pl.DataFrame, key: str, measures: Sequence[str]) -> pl.DataFrame:
    """Returns a long table with a row for each of `key` and a column for each measure."""
    import polars as pl

    rows = []
    for (name,), part in table.partition_by(key, as_dict=True, maintain_order=True).items():
        row: dict[str, Any] = {key: str(name)}
        found = {str(told["measure"]): told for told in part.iter_rows(named=True)}
        for measure in measures:
            told = found.get(measure)
            row[measure] = told and told["value"]
            row[f"{measure}_half_width"] = told and half_width(told)
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)
