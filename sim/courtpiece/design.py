"""What a run is: the study, its parameters, the plan of the work."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from courtpiece.rules import name_of
from courtpiece.studies.study import Parameters, Study, parameter_fields

FORMAT = 1                              # of a run's folder; goes up when an older package could not read it

# Goes up when a deal, a random draw or a built-in player changes, so that the same seed gives other
# results; never for speed.
BEHAVIOUR = 1

MOST_CHUNKS = 1_000_000                 # files in one folder


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Units 0 to `units`-1 in chunks of `chunk`; the last may be shorter.

    A longer plan with the same chunk begins with the same chunks, all but a short last one.
    """

    units: int
    chunk: int

    def __len__(self) -> int:
        return -(-self.units // self.chunk)

    def bounds(self, index: int) -> tuple[int, int]:
        """Returns the first unit of a chunk and the one after its last."""
        return index * self.chunk, min((index + 1) * self.chunk, self.units)


@dataclass(frozen=True, kw_only=True)
class Design:
    """What study.json tells: the study, its parameters, and the plan of the work.

    `study`, `behaviour` and `parameters` decide the results of every unit; the rest may change.
    """

    study: str
    behaviour: str                      # changes whenever the same parameters give other results
    parameters: Mapping[str, Any]
    shown: Mapping[str, str]            # the same as a person would type them
    rules: Mapping[str, str]            # by name: every option that is not at its default, in one line
    unit: str
    plan: Plan
    precision: float | None = None
    command: str = ""                   # makes the same folder again
    package: str = ""                   # the version of the package that wrote this

    def json(self) -> dict[str, Any]:
        """Returns the design as JSON can hold it."""
        return {"format": FORMAT, **asdict(self)}

    def text(self) -> bytes:
        """Returns what study.json holds."""
        return (json.dumps(self.json(), indent=2, ensure_ascii=False) + "\n").encode()

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Design:
        """Returns the design that study.json tells; ValueError or TypeError when it cannot be one."""
        values = {key: value for key, value in told.items() if key != "format"}
        design = cls(**{**values, "plan": Plan(**values["plan"])})
        texts = [design.study, design.behaviour, design.unit, design.command, design.package]
        for table in (design.shown, design.rules):
            texts += [*table.keys(), *table.values()]
        counts, precision = (design.plan.units, design.plan.chunk), design.precision
        if not (
            all(isinstance(text, str) for text in texts)
            and isinstance(design.parameters, dict)
            and all(type(count) is int and count > 0 for count in counts)
            and (precision is None or isinstance(precision, (int, float)))
        ):
            raise ValueError("a value of the wrong type")
        if len(design.plan) > MOST_CHUNKS:
            raise ValueError("more chunks than can be")
        return design

    def differences(self, other: Design) -> list[str]:
        """Returns what makes the results of two designs different, in words, this one first."""
        if self.study != other.study:
            return [f"study: {self.study} there, {other.study} here"]
        found = []
        for name in sorted({*self.parameters, *other.parameters}):
            if self.parameters.get(name) != other.parameters.get(name):
                there, here = (side.shown.get(name, "") or "nothing" for side in (self, other))
                found.append(f"{name}: {there} there, {here} here")
        if not found and self.behaviour != other.behaviour:
            was, now = (side.behaviour.split(", ", 2) for side in (self, other))
            found.append(f"its players' code: {was[2]} there, {now[2]} here"
                         if was[:2] == now[:2] and len(was) == len(now) == 3 else
                         f"behaviour: {self.behaviour} there, {other.behaviour} here")
        return found


def design_of(study: Study[Any], p: Parameters, plan: Plan) -> Design:
    """Returns what study.json tells of a run."""
    command = ["courtpiece", "run", study.name]
    for about in parameter_fields(type(p)):
        if about.metadata["design"]:
            option = "--" + about.name.replace("_", "-")
            command += [part for text in p.typed(about.name) for part in (option, text)]
    return Design(
        study=study.name,
        behaviour=", ".join([
            f"courtpiece {BEHAVIOUR}", f"{study.name} {study.version}",
            *(f"{player} {player.version}" for player in p.own_players if player.version),
        ]),
        parameters=p.design(),
        shown=p.shown(),
        rules={name_of(rules): str(rules) for rules in p.rules},
        unit=study.extent_of(p),
        plan=plan,
        precision=p.precision,
        command=shlex.join([*command, "--" + study.extent_of(p).replace("_", "-"), str(plan.units)]),
        package=_package_version(),
    )


@cache                                  # reads a file, and each chunk asks
def _package_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("courtpiece")
    except PackageNotFoundError:        # run from its sources
        return ""
