"""One rule set: the options of the game as a frozen value, checked whole.

The text of an option and of its values lives here, on the field and on the enumeration's members; the
reference pages and `courtpiece rules` are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, NamedTuple, Self

from courtpiece.errors import MOST_REASONS, RulesError, suggest
from courtpiece.rules.line import read_options, write_options
from courtpiece.rules.options import (
    DEFAULT_SCORE,
    DEFAULT_STREAK_BONUS,
    DEFENDERS_CLAIM_KOTS,
    KOTS_OF_ROWS,
    SCORE_ROWS,
    BlockedRun,
    Collection,
    Counting,
    DealEnds,
    Direction,
    DrawTie,
    Extra,
    FailedClaim,
    FirstCaller,
    FirstLead,
    Kot,
    Objective,
    PileBlock,
    Redeal,
    Reveal,
    RevealScope,
    Trump,
    Uncalled,
)
from courtpiece.rules.outcome import Outcome
from courtpiece.rules.values import (
    Choice,
    Reader,
    UnreadableError,
    alternatives,
    choice,
    counts,
    flag,
    integer,
    is_count,
    several,
    show,
)

DEFAULTS = "defaults"  # the canonical line of the rule set that changes nothing
_SETTLED: Any = None  # the default of an option that another option settles
_ROW_OF = {  # a row has its outcome's name
    Outcome(row.replace("_", "-")): place for rows in SCORE_ROWS.values() for place, row in enumerate(rows)
}


def _score(value: object) -> object:
    """Reads a score: four points in row order, or a mapping of some rows, which `_settle` completes."""
    if value is None or isinstance(value, Mapping):
        return value
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise UnreadableError(f"must be four whole numbers or a table of its rows, not {show(value)}")
    if len(value) == 4 and all(is_count(points, 0) for points in value):
        return tuple(value)
    highest = max((points for points in value if isinstance(points, int)), default=0)
    raise UnreadableError(f"must be four whole numbers {counts(highest, 0)}, not {show(value)}")


def _option(number: int, read: Reader, values: str, doc: str, cites: str) -> dict[str, Any]:
    """Returns the metadata of one option's field.

    `number` is its place in the table of options, `values` tells what it may be, `cites` the rules it
    comes from.
    """
    return {"number": number, "read": read, "values": values, "doc": doc, "cites": tuple(cites.split())}


def _choice(number: int, kind: type[Choice], doc: str, cites: str) -> dict[str, Any]:
    """Returns the metadata of an option that is one member of an enumeration."""
    return _option(number, choice(kind), alternatives(kind), doc, cites)


def _flag(number: int, doc: str, cites: str) -> dict[str, Any]:
    """Returns the metadata of a switch."""
    return _option(number, flag, alternatives([False, True]), doc, cites)


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """The rules of one game: a frozen, hashable value.

    The constructor reads every option as TOML or JSON would give it (`trump="hidden"`), completes what
    depends on another option (`score`, `streak_bonus`), and raises `RulesError` with all reasons at once
    when the whole is not legal.  `str(rules)` is one canonical line that `from_string` reads back.
    """

    direction: Direction = field(
        default=Direction.ANTICLOCKWISE,
        metadata=_choice(1, Direction, "order of the seat letters; changes names only", "S0.5 S2.5 S4.6 B5"),
    )
    first_caller: FirstCaller = field(
        default=FirstCaller.HIGHEST_CARD,
        metadata=_choice(
            2,
            FirstCaller,
            "who sits at the dealer's right in the first deal of a match",
            "S0.6 S3.8 S4.8 A2 B1 B6 B8",
        ),
    )
    draw_tie: DrawTie = field(
        default=DrawTie.ALL_REDRAW,
        metadata=_choice(3, DrawTie, "what a tie in the draw for the first deal leads to", "S4.10 A1 B9"),
    )
    trump: Trump = field(
        default=Trump.CALLED, metadata=_choice(4, Trump, "how trump comes about", "S0.7 S0.52 S0.64")
    )
    caller_may_pass: bool = field(
        default=False,
        metadata=_flag(5, "eldest may pass the call to his partner, who may not pass", "S0.11 S0.13 A4"),
    )
    uncalled: Uncalled = field(
        default=Uncalled.NONE,
        metadata=_choice(
            6,
            Uncalled,
            "what happens when the last chooser runs out of time",
            "S0.14 S0.58 S0.77 A7 A8 A9",
        ),
    )
    redeal: Redeal = field(
        default=Redeal.OFF,
        metadata=_choice(7, Redeal, "whether eldest may ask for a new deal by the same dealer", "S4.17 B10"),
    )
    thirteenth: bool = field(
        default=False,
        metadata=_flag(8, "eldest may let the last of his thirteen cards decide trump", "S4.18 S4.55 B11"),
    )
    reveal: Reveal = field(
        default=Reveal.ON_REQUEST,
        metadata=_choice(9, Reveal, "when the hidden card is shown", "S0.55 S0.79 A36"),
    )
    revealer_must_trump: bool = field(
        default=True,
        metadata=_flag(
            10,
            "the player for whom the hidden card is shown must play a trump if he has one",
            "S0.55 S0.80 A38 A48",
        ),
    )
    reveal_scope: RevealScope = field(
        default=RevealScope.FROM_REVEAL,
        metadata=_choice(
            11,
            RevealScope,
            "which cards of the trick in which trump is shown are trumps",
            "S0.57 A30 A31",
        ),
    )
    reveal_on_lead: bool = field(
        default=True,
        metadata=_flag(
            12,
            "the player who hid the card may show it when leading, and then leads a trump",
            "S0.56 S0.81 A10",
        ),
    )
    first_lead: FirstLead = field(
        default=FirstLead.ELDEST,
        metadata=_choice(13, FirstLead, "who leads the first trick", "S0.63 S2.12 S3.18 A5 B14"),
    )
    collection: Collection = field(
        default=Collection.EACH_TRICK,
        metadata=_choice(14, Collection, "when a trick counts", "S0.41 S0.42 S0.43 S0.44 S0.45 A20 A21"),
    )
    pile_blocks: tuple[PileBlock | int, ...] = field(
        default=(),
        metadata=_option(
            15,
            several(PileBlock, numbers=range(1, 13), number_name="trick number"),
            'a list of "ace-on-ace", "trump-ace" and trick numbers 1 to 12',
            "pick-ups that are refused: on two aces, on the ace of trump, on the tricks named",
            "S0.48 S0.49 S0.50 A22 A23 A24 A25 A26 A27",
        ),
    )
    blocked_run: BlockedRun = field(
        default=BlockedRun.CONTINUES,
        metadata=_choice(16, BlockedRun, "what a refused pick-up does to the winner's run", "A22"),
    )
    deal_ends: DealEnds = field(
        default=DealEnds.AT_SEVEN,
        metadata=_choice(17, DealEnds, "when the deal ends", "S0.37 S0.46 S2.24 S3.22 A28 A47 B13"),
    )
    objective: Objective = field(
        default=Objective.TRICKS,
        metadata=_choice(18, Objective, "what wins the deal", "S0.72 S0.73 A45 A46"),
    )
    kot: Kot = field(
        default=Kot.FIRST_SEVEN,
        metadata=_choice(19, Kot, "what counts as a kot", "S0.38 S0.39 S0.47 S4.30 S4.52 A29"),
    )
    score: tuple[int, int, int, int] = field(
        default=_SETTLED,
        metadata=_option(
            20,
            _score,
            "four points: " + " or ".join(", ".join(rows) for rows in SCORE_ROWS.values()),
            "points of the deal's result, in the order of the rows",
            "S0.20 S0.21 S0.22 S0.23 S0.86 S0.87 S0.88 "
            "S2.27 S3.23 S3.24 S3.25 S4.29 S4.30 S4.31 A42 A44 B2 B3 B4 B12",
        ),
    )
    counting: Counting = field(
        default=Counting.POINTS,
        metadata=_choice(21, Counting, "which column decides the match", "S0.19 S0.30 A19"),
    )
    streak: int = field(
        default=0,
        metadata=_option(
            22,
            integer(0, word="off", meaning=0),
            '"off", or a number of deals',
            "deals won in a row that earn a bonus",
            "S0.24 S0.25 A13 A14 A15 A16 A17 A18",
        ),
    )
    streak_bonus: int = field(
        default=_SETTLED,
        metadata=_option(
            22,
            integer(0),
            "a whole number; by itself 2 in points, 1 in kots",
            "the bonus for a streak, in points or kots as the match counts",
            "S0.24 A13",
        ),
    )
    claim: int = field(
        default=0,
        metadata=_option(
            23,
            integer(1, word="off", meaning=0),
            '"off", or a number of points',
            "points of an open claim of all thirteen tricks",
            "S4.32 S4.57 B17",
        ),
    )
    failed_claim: FailedClaim = field(
        default=FailedClaim.NO_EFFECT,
        metadata=_choice(23, FailedClaim, "what a failed claim does", "B18"),
    )
    kot_moves_call: bool = field(
        default=True,
        metadata=_flag(
            24,
            "after the callers' own kot, or a whitewash of the dealer's side, the dealer's partner deals",
            "S0.28 S0.91 S2.29 S3.9 S4.27 B15 B16",
        ),
    )
    target: int | None = field(
        default=10,
        metadata=_option(
            25,
            integer(1, word="none"),
            'a whole number from 1 up, or "none"',
            "points, or kots, that win the match; without one it is an open session",
            "S0.30 S0.31 S0.92 S2.28 S3.26 A19 B19",
        ),
    )
    extras: tuple[Extra, ...] = field(
        default=(),
        metadata=_option(
            26,
            several(Extra),
            'a list of "swap-cards" and "change-trump"',
            "the publisher's additions",
            "S0.33 S0.34 S0.60 S0.61 S0.67 S0.96 A11 A12",
        ),
    )

    def __post_init__(self) -> None:
        for name, value in _settle({name: getattr(self, name) for name in option_names()}).items():
            object.__setattr__(self, name, value)

    def replace(self, **options: object) -> Self:
        """Returns the rule set with some options changed, checked whole.

        A `score` given as a mapping changes only its rows.  When the objective changes and no score is
        given, or the counting and no streak bonus, the default that belongs to the new one applies.
        """
        return type(self)(**_settle(options, base=self))

    def difference(self, base: RuleSet) -> dict[str, Any]:
        """Returns the options that `base.replace` needs to become this rule set, in the table's order."""
        found = {}
        for name in option_names():
            value, inherited = getattr(self, name), getattr(base, name)
            if name == "score" and self.objective is not base.objective:
                inherited = DEFAULT_SCORE[self.objective]
            if name == "streak_bonus" and self.counting is not base.counting:
                inherited = DEFAULT_STREAK_BONUS[self.counting]
            if value != inherited:
                found[name] = value
        return found

    def to_dict(self) -> dict[str, Any]:
        """Returns every option as TOML and JSON can hold it, in the table's order."""
        return {name: _plain(name, getattr(self, name), self.objective) for name in option_names()}

    def __str__(self) -> str:
        """Returns every option that is not at its default, as `trump=hidden,uncalled=blind-stock`."""
        return write_options(self.difference(_defaults())) or DEFAULTS

    @classmethod
    def from_string(cls, text: str) -> Self:
        """Returns the rule set of a line that `str` wrote: options only, no preset."""
        return cls(**_settle(read_options("" if text.strip() == DEFAULTS else text)))

    def score_of(self, outcome: Outcome, winner_is_caller_side: bool) -> int:
        """Returns the points of a deal for its winner, without any streak; 0 for a redeal."""
        if outcome is Outcome.CLAIM_MADE:
            return self.claim
        return 0 if outcome is Outcome.REDEAL else self.score[_ROW_OF[outcome]]

    def kots_of(self, outcome: Outcome, winner_is_caller_side: bool) -> int:
        """Returns the kots of a deal for its winner, without any streak; 0 for a redeal."""
        if outcome is Outcome.CLAIM_MADE:
            return 1 if winner_is_caller_side else DEFENDERS_CLAIM_KOTS
        return 0 if outcome is Outcome.REDEAL else KOTS_OF_ROWS[_ROW_OF[outcome]]


@cache
def _defaults() -> RuleSet:
    return RuleSet()


@cache
def option_names() -> tuple[str, ...]:
    """Returns the names of all options in the table's order."""
    return tuple(option.name for option in fields(RuleSet))


@cache
def _unset() -> Mapping[str, Any]:
    """Returns each option's default as its field has it."""
    return {option.name: option.default for option in fields(RuleSet)}


@cache
def _readers() -> Mapping[str, Reader]:
    return {option.name: option.metadata["read"] for option in fields(RuleSet)}


class Need(NamedTuple):
    """One constraint: `option`, where it demands something, needs `other` to be one of `allowed`.

    It demands when it has the value `when`, or holds it; without `when`, at any value but its default.
    """

    option: str
    other: str
    allowed: tuple[Choice, ...]
    when: Choice | None = None

    def broken(self, values: Mapping[str, Any]) -> str:
        """Returns the reason why `values` break the constraint, or ""."""
        value, other = values[self.option], values[self.other]
        if self.when is None:
            demands = value != _unset()[self.option]
        elif isinstance(value, tuple):
            demands, value = self.when in value, self.when
        else:
            demands = value is self.when
        if not demands or other in self.allowed:
            return ""
        relation = "with" if self.option == "extras" else "="
        return (
            f"{self.option} {relation} {show(value)} needs {self.other} = {alternatives(self.allowed)}, "
            f"not {show(other)}"
        )


_CALLING = (Trump.CALLED, Trump.HIDDEN)
NEEDS: tuple[Need, ...] = (
    Need("collection", "kot", (Kot.ALL_THIRTEEN, Kot.NONE)),
    Need("collection", "deal_ends", (DealEnds.AT_SEVEN_UNLESS_SHUTOUT, DealEnds.AFTER_THIRTEEN)),
    Need("kot", "deal_ends", (DealEnds.AT_SEVEN_UNLESS_SHUTOUT, DealEnds.AFTER_THIRTEEN), Kot.ALL_THIRTEEN),
    Need("objective", "deal_ends", (DealEnds.AFTER_THIRTEEN,)),
    Need("caller_may_pass", "trump", _CALLING),
    Need("uncalled", "trump", _CALLING),
    Need("redeal", "trump", (Trump.CALLED,)),
    Need("thirteenth", "trump", (Trump.CALLED,)),
    Need("reveal", "trump", (Trump.HIDDEN,)),
    Need("revealer_must_trump", "trump", (Trump.HIDDEN,)),
    Need("reveal_scope", "trump", (Trump.HIDDEN,)),
    Need("reveal_on_lead", "trump", (Trump.HIDDEN,)),
    Need("extras", "trump", _CALLING, Extra.CHANGE_TRUMP),
    Need("extras", "objective", (Objective.TRICKS,), Extra.CHANGE_TRUMP),
    Need("claim", "kot", (Kot.ALL_THIRTEEN,)),
)


def _settle(options: Mapping[str, Any], base: RuleSet | None = None) -> dict[str, Any]:
    """Returns the value of every option, or raises `RulesError` with all that is wrong.

    What `options` leaves open comes from `base`, or is the default.
    """
    values, reasons = _read_values(options)
    start: Mapping[str, Any] = vars(base) if base else _unset()
    whole = {**start, **values}
    if base is None or whole["objective"] is not base.objective:
        rows = DEFAULT_SCORE[whole["objective"]]
    else:
        rows = base.score
    if not {"score", "objective"} & reasons.keys():
        try:
            whole["score"] = _fill(values.get("score"), rows, whole["objective"])
        except UnreadableError as problem:
            reasons["score"] = f"score {problem}"
    if "streak_bonus" not in values and (base is None or whole["counting"] is not base.counting):
        whole["streak_bonus"] = DEFAULT_STREAK_BONUS[whole["counting"]]
    broken = [need.broken(whole) for need in NEEDS if not {need.option, need.other} & reasons.keys()]
    if reasons or any(broken):
        raise RulesError([*reasons.values(), *filter(None, broken)])
    return whole


def _read_values(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the values of the options given, and by option the reason why one has none."""
    values: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for name, value in options.items():
        if len(reasons) >= MOST_REASONS:
            reasons[name] = "and more of the kind"
            break
        if name not in _readers():
            reasons[name] = f"there is no option {show(name)}{suggest(str(name), option_names())}"
        elif value is not None or _unset()[name] is not _SETTLED:
            try:
                values[name] = _readers()[name](value)
            except UnreadableError as problem:
                reasons[name] = f"{name} {problem}"
    return values, reasons


def _fill(score: Any, rows: tuple[int, int, int, int], objective: Objective) -> tuple[int, ...]:
    """Returns the four points of a score of which a mapping may give only some rows."""
    if score is None:
        return rows
    if not isinstance(score, Mapping):
        return tuple(score)
    names = SCORE_ROWS[objective]
    for name, points in score.items():
        if name not in names:
            hint = suggest(str(name), names)
            raise UnreadableError(
                f'has no row {show(name)} when objective = "{objective}"; rows are {", ".join(names)}{hint}'
            )
        if not is_count(points, 0):
            raise UnreadableError(f"{name} must be a whole number {counts(points, 0)}, not {show(points)}")
    return tuple(score.get(name, points) for name, points in zip(names, rows, strict=True))


def _plain(name: str, value: Any, objective: Objective) -> Any:
    if name == "score":
        return dict(zip(SCORE_ROWS[objective], value, strict=True))
    if isinstance(value, tuple):
        return [_plain(name, item, objective) for item in value]
    if isinstance(value, str):
        return str(value)
    if (name, value) in {("target", None), ("claim", 0), ("streak", 0)}:
        return "none" if value is None else "off"
    return value
