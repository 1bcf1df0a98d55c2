"""What the signals of partners are worth (S4.37 to S4.41): each alone and together, sent and read.

All four play `greedy`.  On the same deals two partners then send and read signals (the player `signals`),
once as the caller's side and once as the defenders; what they gain against `greedy` in their seats is one
number a deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from courtpiece.language import Mean, PValue, Sentence, Share, Term
from courtpiece.players import AnyPlayer, Lineup, parse_lineup, parse_player
from courtpiece.players.habits import SIGNALS
from courtpiece.rules import RuleSet, name_of
from courtpiece.studies.estimates import half_width, with_estimates
from courtpiece.studies.partners import MEASURES, Played, compared, played, seated, sums
from courtpiece.studies.study import ESTIMATE_COLUMNS, Column, Parameters, Study, combination, schema

if TYPE_CHECKING:
    import polars as pl

    from courtpiece.language import Words
    from courtpiece.plots import Figure

ALL, STRICT, WASTE = "all", "low-strict", "low-waste"
MEANT = (*SIGNALS, ALL, STRICT, WASTE)
READING = "reading"
WAYS = ("both", "one-way", "unread", "understood", READING)
_SURE = 0.05                            # the chance of any false finding in a family


class Setting(NamedTuple):
    """Who does what: the signal, how it is used, and the players that this makes."""

    signal: str
    way: str
    first: AnyPlayer                    # of the two partners, the one who sits first in order of play
    second: AnyPlayer
    others: AnyPlayer

    def lineup(self, side: int) -> Lineup:
        """Returns the line-up in which the partners sit on a side."""
        return seated(side, self.first, self.second, self.others)


def settings() -> list[Setting]:
    """Returns everything that is compared with `greedy`."""
    greedy, watching = parse_player("greedy"), _player("off", SIGNALS, "watch=on")
    found = []
    for signal in (*SIGNALS, ALL):
        names = list(SIGNALS) if signal == ALL else [signal]
        both, send, read = (_player(how, names) for how in ("on", "send", "read"))
        for way, players in zip(WAYS[:-1], (
            (both, both, greedy), (send, read, greedy), (send, send, greedy), (both, both, watching),
        ), strict=True):
            found.append(Setting(signal, way, *players))
    for signal in (STRICT, WASTE):
        player = _player("off", SIGNALS, signal.replace("low-", "low="))
        found.append(Setting(signal, "both", player, player, greedy))
    return found


def _player(how: str, names: Sequence[str] | Mapping[str, int], *more: str) -> AnyPlayer:
    """Returns the player who uses these signals in one way and no others."""
    options = [f"{name}={how if name in names else 'off'}" for name in SIGNALS]
    return parse_player(":".join(["signals", *options, *more]))


@dataclass(frozen=True, kw_only=True)
class ConventionsParameters(Parameters):
    """What the study can be asked; who plays is what it compares."""

    players: tuple[Lineup, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", ())
        super().__post_init__()
        lineups = [setting.lineup(side) for setting in settings() for side in range(2)]
        object.__setattr__(self, "players", (Lineup.of(*[parse_player("greedy")] * 2), *lineups))
        self.check_lineups()


class Conventions(Study[ConventionsParameters]):
    """The gain of each signal in points and deals won, paired on the same deals."""

    name = "conventions"
    title = "Signals between partners"
    question = "What are the signals between partners worth (S4.37 to S4.41)?"
    default_units: ClassVar[int] = 1_000_000
    parallel: ClassVar[Literal["threads", "processes"]] = "threads"
    Parameters: ClassVar[type[Parameters]] = ConventionsParameters

    def chunk_units(self, p: ConventionsParameters) -> int:
        return max(2_000, 40_000 // len(p.rules))

    def columns(self, p: ConventionsParameters) -> tuple[Column, ...]:
        return (
            *_which(p),
            Column("deals", "int64", "deals", "that were played: by the partners as the caller's side, by "
                   "them as defenders, and by greedy alone"),
            Column("changed", "int64", "deals", "in which that made a difference to the points"),
            *(Column(f"{name}{what}", "int64", "", f"{how}{meaning}") for name, meaning in (
                ("points_calling", "what the partners are ahead as the caller's side, less greedy there"),
                ("points_defending", "the same as defenders"),
                ("points", "both together"),
                ("won_calling", "deals won as the caller's side, less those won by greedy there"),
                ("won_defending", "the same as defenders"),
                ("won", "both together"),
            ) for what, how in (("", "sum over the deals: "), ("_squares", "sum of squares: "))),
        )

    def table_columns(self, p: ConventionsParameters) -> dict[str, tuple[Column, ...]]:
        which = (
            *_which(p),
            Column("measure", "category", "", "what is gained a deal over greedy: points ahead, or the share "
                   "of deals won; as the caller's side, as defenders, or both equally often", MEASURES),
        )
        return {
            "summary": (*which, *ESTIMATE_COLUMNS),
            "together": (
                *which,
                Column("value", "float64", "", "the estimate"),
                Column("sure_low", "float64", "", "lower end of an interval that holds for all rows of the "
                       "measure at once with 95 % (Bonferroni)"),
                Column("sure_high", "float64", "", "its upper end"),
                Column("p_value", "float64", "", "of no gain and no loss, as if it were the only question"),
                Column("p_holm", "float64", "", "the same, corrected for all rows of the measure (Holm)"),
                Column("changed", "float64", "", "share of the deals that came out with other points"),
            ),
        }

    def chunk(self, p: ConventionsParameters, start: int, stop: int) -> pl.DataFrame:
        import polars as pl

        rows = [row for rules in p.rules for row in _played(rules, p.seed, start, stop)]
        return pl.DataFrame(rows, schema=schema(self.columns(p)))

    def summarise(self, p: ConventionsParameters, shards: pl.LazyFrame) -> dict[str, pl.DataFrame]:
        import polars as pl

        keys = ["rules", "signal", "way"]
        totals = shards.group_by(keys).agg(pl.exclude(keys).sum()).collect(engine="streaming").sort(keys)
        family = totals.to_dicts()
        rows = [row for measure in MEASURES for row in compared(family, measure)]
        return {
            name: pl.DataFrame(rows, schema=schema(columns)).sort(*keys, maintain_order=True)
            for name, columns in self.table_columns(p).items()
        }

    def headline(self, p: ConventionsParameters, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        keys = ["rules", "signal", "way"]
        found = _beside(tables).filter(measure="points")
        points = found.select(
            *keys, deals="n", points=pl.col("value"), points_half_width=half_width(found),
            p_holm=pl.col("p_holm").round_sig_figs(2), changed=pl.col("changed"),
        )
        return with_estimates(points, keys, {"won": tables["summary"].filter(measure="won")})

    def answer(self, p: ConventionsParameters, tables: Mapping[str, pl.DataFrame]) -> list[Sentence]:
        points = _beside(tables).filter(measure="points", rules=name_of(p.rules[0]))
        told = []
        for row in points.filter(way="both").sort("value", descending=True).iter_rows(named=True):
            if row["signal"] in SIGNALS or row["signal"] == ALL:
                key = "no-change" if row["p_holm"] > _SURE else "gain" if row["value"] > 0 else "loss"
                told.append(Sentence(key, {
                    "signal": Term(row["signal"], "signal"), "p": PValue(row["p_holm"]),
                    "points": Mean(row["value"] if key == "no-change" else abs(row["value"]),
                                   half_width(row)),
                    "changed": Share(row["changed"]),
                }))
        return told

    def figures(
        self, p: ConventionsParameters, tables: Mapping[str, pl.DataFrame], words: Words
    ) -> Sequence[Figure]:
        from courtpiece.plots.conventions import conventions

        return conventions(tables, words)


def _beside(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Returns the estimates with what holds for all of them together."""
    which = ["rules", "signal", "way", "measure"]
    return tables["summary"].join(tables["together"].drop("value"), on=which, maintain_order="left")


def _which(p: Parameters) -> tuple[Column, ...]:
    return (
        combination(p)[0],
        Column("signal", "category", "", "weak S4.37, top S4.38, middle S4.39, switch S4.40, all: these "
               "four; low-strict: always the lowest card while the partner wins the trick (S4.41), "
               "low-waste: never for that reason", MEANT),
        Column("way", "category", "", "both: both partners send and read it; one-way: the first of them in "
               "order of play sends and the second reads; unread: both send, none reads; understood: both "
               "send and read, and the other side understands; reading: both, less unread", WAYS),
    )


def _played(rules: RuleSet, seed: int, start: int, stop: int) -> Iterator[dict[str, Any]]:
    """Yields the sums of a chunk for one rule set."""
    usual = parse_lineup("greedy")
    greedy = played(rules, [usual] * 2, seed, start, stop)
    found: dict[tuple[str, str], Played] = {}
    for setting in settings():
        which = setting.signal, setting.way
        found[which] = played(rules, [setting.lineup(side) for side in range(2)], seed, start, stop)
        yield {**_named(rules, *which), **sums(found[which].less(greedy))}
    for signal in (*SIGNALS, ALL):
        added = found[signal, "both"].less(found[signal, "unread"])
        yield {**_named(rules, signal, READING), **sums(added)}


def _named(rules: RuleSet, signal: str, way: str) -> dict[str, str]:
    return {"rules": name_of(rules), "signal": signal, "way": way}
