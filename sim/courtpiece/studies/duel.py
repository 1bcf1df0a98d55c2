"""Two players against each other, on the same deals with the sides exchanged.

Each deal, or match, is played twice: once with `us` as the side that calls (first), once with `them`.  The
two games are a pair, and what is estimated are means over pairs, so that luck with the cards cancels out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from courtpiece.errors import UsageError, suggest
from courtpiece.language import Mean, PValue, Sentence, Share
from courtpiece.players import AnyPlayer, Lineup, parse_player, recall_player
from courtpiece.players.player import Player
from courtpiece.rules import name_of
from courtpiece.rules.values import show
from courtpiece.stats import (
    LEVEL,
    Estimate,
    confidence_sequence,
    few_apart,
    paired_difference,
    proportion,
    ratio,
    sequential_p_value,
    shares_of_pairs,
    units_to_detect,
    unlike,
)
from courtpiece.studies.duel_games import GAMES, WINNERS, Games, files
from courtpiece.studies.estimates import half_width, single_row, with_estimates
from courtpiece.studies.study import (
    ESTIMATE_COLUMNS,
    MOST_UNITS,
    POSITIVE,
    Column,
    Kind,
    Parameters,
    Study,
    combination,
    parameter,
    schema,
    whole,
)

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

DIFFERENCES = (0.005, 0.01, 0.02, 0.05, 0.1)
POWER = 0.9
LEAST_DETECTED = 1e-6                   # a smaller difference takes more deals than there are
PILOT = 1000                            # pairs, where only a power calculation is asked for


def _read_player(value: Any) -> AnyPlayer:
    from courtpiece.players.own import given

    if isinstance(value, Player):
        return given(value)
    if isinstance(value, str):
        return parse_player(value)
    if isinstance(value, AnyPlayer):
        return value
    raise UsageError(f"must be a player or the text that names one, not {show(value)}")


def _read_play(value: Any) -> str:
    if value not in ("deals", "matches"):
        raise UsageError(f"must be deals or matches, not {show(value)}{suggest(str(value), GAMES)}")
    return str(value)


def _recall_player(value: Any) -> AnyPlayer:
    if not isinstance(value, str):
        raise UsageError(f"must be the text that names a player, not {show(value)}")
    return recall_player(value)


PLAYER = Kind("PLAYER", _read_player, str, str, _recall_player, code=True)
PLAY = Kind("deals|matches", _read_play, str, str)


@dataclass(frozen=True, kw_only=True)
class DuelParameters(Parameters):
    """What a duel can be asked."""

    players: tuple[Lineup, ...] = field(init=False)
    us: AnyPlayer = parameter(          # noqa: RUF009 (as the base class's, a dataclass field)
        "the first player, such as greedy or mine.py:Mine", PLAYER, "greedy"
    )
    them: AnyPlayer = parameter("the player it plays against", PLAYER, "simple")    # noqa: RUF009
    play: str = parameter("whether single deals or whole matches are played", PLAY, "deals")
    matches: int | None = parameter(
        "how many matches, each played twice; instead of deals", whole(1, MOST_UNITS), None, optional=True,
        design=False,
    )
    target: int | None = parameter(
        "the points that win a match, if not those of the rules", whole(1, 10**6), None, optional=True
    )
    compare: int | None = parameter(
        "in how many of the deals, or matches, both are asked what they would do at every turn; by default "
        "100 deals or 5 matches", whole(0, 10**6), None, optional=True,
    )
    decide: float | None = parameter(
        "stop as soon as one is shown to be better, and be wrong with at most this chance",
        POSITIVE, None, optional=True, design=False,
    )
    detect: float | None = parameter(
        f"say how many deals it takes to find a difference of the share won as large as this (of {PILOT:,} "
        "deals, unless told otherwise)", POSITIVE, None, optional=True, design=False,
    )
    records: int = parameter(
        "how many of the deals that one player wins both ways are written as records", whole(0, 10**6), 100,
        design=False,
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", ())
        super().__post_init__()
        if self.matches is not None:
            if self.deals is not None:
                raise UsageError("matches: a duel is of deals or of matches; give one of the two")
            object.__setattr__(self, "play", "matches")
        if self.decide is not None and self.decide >= 1:
            raise UsageError(f"decide: is a chance of being wrong, below 1, not {self.decide:g}")
        if self.detect is not None and not LEAST_DETECTED <= self.detect < 1:
            raise UsageError("detect: is a difference of the share won, at least 0.000001 and below 1, not "
                             f"{self.detect:g}")
        if self.play == "matches":
            rules = tuple(replace(rule, target=self.target or rule.target) for rule in self.rules)
            object.__setattr__(self, "rules", rules)
            endless = [name_of(rule) for rule in rules if rule.target is None]
            if endless:
                raise UsageError(f"target: {endless[0]} has none; say how many points win a match")
        elif self.target is not None:
            raise UsageError("target: is for matches; say --matches N as well")
        object.__setattr__(self, "players", (Lineup.of(self.us, self.them), Lineup.of(self.them, self.us)))
        self.check_lineups()

    @property
    def stops_early(self) -> bool:
        return self.decide is not None

    @property
    def comparisons(self) -> int:
        """In how many pairs both players are asked at every turn."""
        if self.compare is not None:
            return self.compare
        return 5 if self.whole_matches else 100

    @property
    def whole_matches(self) -> bool:
        """True when matches are played."""
        return self.play == "matches"


class Duel(Study[DuelParameters]):
    """Who wins how much more, how sure that is, and the deals that show why."""

    name = "duel"
    title = "Duel"
    question = "Which of two players is better, and by how much?"
    default_units: ClassVar[int] = 10_000
    Parameters: ClassVar[type[Parameters]] = DuelParameters

    def extent_of(self, p: DuelParameters) -> str:
        return p.play

    def units(self, p: DuelParameters) -> int | None:
        asked = p.matches if p.whole_matches else p.deals
        if asked is None and p.precision is None:
            slow = p.whole_matches or bool(p.own_players)
            return PILOT if slow or p.detect is not None else self.default_units
        return asked

    def chunk_units(self, p: DuelParameters) -> int:
        each = 50 if p.whole_matches else 2
        return max(100, 200_000 // (each * len(p.rules)))

    def backend(self, p: DuelParameters) -> Literal["threads", "processes"]:
        return "processes"

    def columns(self, p: DuelParameters) -> tuple[Column, ...]:
        unit = "match" if p.whole_matches else "deal"
        columns = [
            Column(unit, "uint64", "", f"number of the {unit}"),
            combination(p)[0],
        ]
        for game, what in zip(GAMES, ("us calling", "us defending"), strict=True):
            if p.whole_matches:
                what += " first"
            columns.append(Column(f"{game}_winner", "category", "", f"who won with {what}", WINNERS))
            columns.append(Column(f"{game}_ahead", "int32", _unit(p), "points of us less those of them"))
            if p.whole_matches:
                columns.append(Column(f"{game}_deals", "uint32", "deals", "how many the match took"))
            else:
                columns.append(Column(f"{game}_kot", "bool", "", "the deal ended in a kot"))
        return (
            *columns,
            Column("decisions", "uint32", "", "at how many turns with a choice both were asked; 0: not here"),
            Column("differing", "uint32", "", "at how many of them they would do different things"),
            Column("first_difference", "uint16", "",
                   "of these turns, with us calling, the number of the first at which they differ; 0: none"),
        )

    def table_columns(self, p: DuelParameters) -> dict[str, tuple[Column, ...]]:
        rules, _ = combination(p)
        return {
            "summary": (
                rules,
                Column("measure", "category", "",
                       "the share that us won: of all, of those with us calling (first), of the others; the "
                       "points us is ahead by, a game; the share of deals with a kot of us, and of them; the "
                       "share of turns at which the two would do different things; the deals a match",
                       _MEASURES),
                *ESTIMATE_COLUMNS,
            ),
            "pairs": (
                rules,
                Column("both", "uint64", p.play, "pairs of which us won both games"),
                Column("one", "uint64", p.play, "pairs of which each won one"),
                Column("neither", "uint64", p.play, "pairs of which them won both"),
                Column("void", "uint64", p.play, "pairs with a game that nobody won, a redeal; not counted"),
                Column("p_value", "float64", "",
                       "of the two being equal; it holds however often one looks, whenever one stops"),
                Column("low", "float64", "", "lower end of the share won, which holds so too, at 95 %"),
                Column("high", "float64", "", "its upper end"),
            ),
            "power": (
                rules,
                Column("difference", "float64", "", "a difference of the share won from one half"),
                Column(p.play, "uint64", p.play,
                       f"how many find it with a chance of {POWER:g}, tested at 5 %, by the variance here"),
            ),
        }

    def chunk(self, p: DuelParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        columns = {column.name: column for column in self.columns(p)}
        frames = []
        for rules in p.rules:
            rows = Games(p, rules).rows(start, stop)
            rows["rules"] = [name_of(rules)] * (stop - start)
            frames.append(pl.DataFrame([
                pl.Series(name, rows[name]).cast(column.dtype) for name, column in columns.items()
            ]))
        unit = next(iter(columns))
        return pl.concat(frames).sort(unit, maintain_order=True)

    def summarise(self, p: DuelParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        rows = shards.collect()
        unit = rows.columns[0]
        summary: list[dict[str, Any]] = []
        pairs: list[dict[str, Any]] = []
        power: list[dict[str, Any]] = []
        for rules in p.rules:
            who = {"rules": name_of(rules)}
            part = rows.filter(pl.col("rules") == who["rules"]).sort(unit)
            count = _count_pairs(part)
            summary += [{**who, "measure": measure, **single_row(found)}
                        for measure, found in _estimates(p, part, count)]
            won = count["both"], count["one"], count["neither"]
            low, high = confidence_sequence(*won)
            pairs.append({**who, **count, "p_value": sequential_p_value(*won), "low": low, "high": high})
            power += [{**who, "difference": difference, p.play: needed}
                      for difference in DIFFERENCES
                      if (needed := _needed(won, difference)) is not None]
        columns = self.table_columns(p)
        return {
            name: pl.DataFrame(found, schema=schema(columns[name]))
            for name, found in (("summary", summary), ("pairs", pairs), ("power", power))
        }

    def half_widths(self, p: DuelParameters, tables: Mapping[str, pl.DataFrame]) -> list[float]:
        return half_width(tables["summary"].filter(measure="won")).to_list()

    def settled(self, p: DuelParameters, tables: Mapping[str, pl.DataFrame]) -> bool:
        return p.decide is not None and bool((tables["pairs"]["p_value"] <= p.decide).all())

    def notes(self, p: DuelParameters, tables: Mapping[str, pl.DataFrame]) -> Sequence[str]:
        found = []
        for row in tables["pairs"].iter_rows(named=True):
            won = row["both"], row["one"], row["neither"]
            if p.decide is not None:
                found.append(_verdict(p, row, p.decide))
            if p.detect is not None and (needed := _needed(won, p.detect)) is not None:
                found.append(f"{row['rules']}: to find a difference of {p.detect:g} in the share won with a "
                             f"chance of {POWER:g} takes about {needed:,} {p.play}: --{p.play} {needed}")
        found += [f"{player} sees all four hands: a bound, not a player at the table"
                  for player in p.own_players if player.sees_all]
        return found

    def extra_files(
        self, p: DuelParameters, tables: Mapping[str, pl.DataFrame], shards: pl.LazyFrame
    ) -> dict[str, bytes]:
        return files(p, shards)

    def headline(self, p: DuelParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        summary = tables["summary"]
        table = summary.filter(measure="won").select("rules").with_columns(
            us=pl.lit(str(p.us)), them=pl.lit(str(p.them))
        )
        units = summary.filter(measure="won").select("rules", pl.col("n").alias(p.play))
        table = table.join(units, on="rules", maintain_order="left")
        found = {measure: summary.filter(measure=measure) for measure in ("won", "ahead", "differing")}
        return with_estimates(table, ["rules"], {name: rows for name, rows in found.items() if len(rows)})

    def answer(self, p: DuelParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        summary = tables["summary"]
        told = []
        for row in tables["pairs"].iter_rows(named=True):
            found = {one["measure"]: (one["value"], half_width(one))
                     for one in summary.filter(rules=row["rules"]).iter_rows(named=True)}
            told.append(Sentence(p.play, {
                "rules": str(row["rules"]), "us": str(p.us), "them": str(p.them),
                "won": Share(*found["won"]), "ahead": Mean(*found["ahead"]),
            }))
            better = p.us if row["both"] > row["neither"] else p.them
            verdict = "better" if row["p_value"] <= 1 - LEVEL else "open"
            told.append(Sentence(verdict, {
                "better": str(better), "us": str(p.us), "p": PValue(row["p_value"]),
                "low": Share(row["low"]), "high": Share(row["high"]),
            }))
            if "differing" in found and len(p.rules) == 1:
                told.append(Sentence("differing", {"differing": Share(*found["differing"])}))
        return told

    def figures(
        self, p: DuelParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.duel import duel

        return duel(tables, words, us=str(p.us), them=str(p.them), matches=p.whole_matches)


_MEASURES = ("won", "won-calling", "won-defending", "ahead", "ahead-calling", "ahead-defending", "kot",
             "kot-conceded", "differing", "match-deals")


def _unit(p: DuelParameters) -> str:
    return " or ".join(sorted({str(rules.counting) for rules in p.rules}, reverse=True))


def _count_pairs(rows: pl.DataFrame) -> dict[str, int]:
    won = [rows[f"{game}_winner"].cast(str) for game in GAMES]
    decided = (won[0] != "nobody") & (won[1] != "nobody")
    by_us = ((won[0] == "us").cast(int) + (won[1] == "us").cast(int)).filter(decided)
    both, one, neither = (int((by_us == games).sum()) for games in (2, 1, 0))
    return {"both": both, "one": one, "neither": neither, "void": int((~decided).sum())}


def _estimates(
    p: DuelParameters, rows: pl.DataFrame, count: Mapping[str, int]
) -> Iterator[tuple[str, Estimate]]:
    yield "won", shares_of_pairs(count["both"], count["one"], count["neither"])
    for game in GAMES:
        winner = rows[f"{game}_winner"].cast(str)
        yield f"won-{game}", proportion(int((winner == "us").sum()), int((winner != "nobody").sum()))
    ahead = [rows[f"{game}_ahead"].cast(int).to_list() for game in GAMES]
    yield "ahead", _halved(paired(map(sum, zip(*ahead, strict=True))))
    for game, values in zip(GAMES, ahead, strict=True):
        yield f"ahead-{game}", paired(values)
    if p.whole_matches:
        taken = [rows[f"{game}_deals"].cast(int).to_list() for game in GAMES]
        yield "match-deals", _halved(paired(map(sum, zip(*taken, strict=True))))
    else:
        for measure, side in (("kot", "us"), ("kot-conceded", "them")):
            first, second = (rows[f"{game}_kot"] & (rows[f"{game}_winner"] == side) for game in GAMES)
            made = first.cast(int) + second.cast(int)
            yield measure, shares_of_pairs(*(int((made == games).sum()) for games in (2, 1, 0)))
    asked = rows.filter(rows["decisions"] > 0)
    if len(asked) > 1:
        yield "differing", ratio(
            asked["differing"].cast(float).to_numpy(), asked["decisions"].cast(float).to_numpy(), seed=p.seed
        )


def paired(values: Iterable[int]) -> Estimate:
    """Returns the mean of differences taken deal by deal."""
    listed = list(values)
    squares = sum(value * value for value in listed)
    unsure = few_apart(unlike(listed), len(listed))
    return paired_difference(len(listed), sum(listed), squares, unsure=unsure)


def _halved(found: Estimate) -> Estimate:
    """Returns the mean of each of two games from the mean of their sum."""
    return replace(
        found, value=found.value / 2, standard_error=found.standard_error / 2, low=found.low / 2,
        high=found.high / 2,
    )


def _needed(won: tuple[int, int, int], difference: float) -> int | None:
    """Returns how many pairs find a difference of the share won, or None where nothing is known of it."""
    pairs = sum(won)
    if pairs in won:                    # all came out alike: how much luck there is remains unknown
        return None
    share = (won[0] + won[1] / 2) / pairs
    variance = ((won[0] + won[1] / 4) / pairs - share * share) * pairs / (pairs - 1)
    return units_to_detect(variance, difference, power=POWER)


def _verdict(p: DuelParameters, row: Mapping[str, Any], decide: float) -> str:
    if row["p_value"] > decide:
        return (f"{row['rules']}: neither is shown to be better (p = {row['p_value']:.2g}; {p.us} wins "
                f"{row['low']:.3f} to {row['high']:.3f}, by the interval that holds whenever one stops)")
    better = p.us if row["both"] > row["neither"] else p.them
    return f"{row['rules']}: {better} is better (p = {row['p_value']:.2g}, whenever one stops)"


