"""The tables of the study of calls, made from the rows of its chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from courtpiece.players import Lineup
from courtpiece.rules import RuleSet
from courtpiece.stats import Estimates, Method, few_large, means, proportions
from courtpiece.studies.calls_exact import CARDS, HAND_SIZES, HONOURS, Exact, exact_of, prior
from courtpiece.studies.calls_rows import MILLION
from courtpiece.studies.estimates import estimate_row, half_width
from courtpiece.studies.partners import compared

if TYPE_CHECKING:
    import polars as pl


def tables_of(
    rules: RuleSet, lineup: Lineup, totals: pl.DataFrame
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of the tables for one rule set and line-up."""
    exact = exact_of(rules, lineup)
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
        for length in range(HAND_SIZES[cards] + 1):
            share = proportions(counts.get(length, 0), n)
            yield "lengths", {
                "cards": cards, "length": length, "share": float(share.value),
                "share_half_width": float(share.half_width), "prior": prior(cards, length),
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
            value, half = float(found.value) / MILLION, float(found.half_width) / MILLION
            about = f"{observer}, trick {trick}"
            yield "summary", {"measure": one["measure"], "about": about,
                              **estimate_row(found, one["n"], Method.T, MILLION)}
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
        "prior": HAND_SIZES[cards] / 4 if measure == "length" else HAND_SIZES[cards] / 52,
        "exact": None if exact is None else exact.measures[cards][measure],
    }


def worth(totals: pl.DataFrame) -> Iterator[tuple[str, dict[str, Any]]]:
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
