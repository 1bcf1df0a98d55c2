"""Rule sets from names, files, mappings and lines of text."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from courtpiece.errors import RulesError, suggest
from courtpiece.rules.ruleset import DEFAULTS, RuleSet, read_options, split_items, write_options

_PRESETS = Path(__file__).parent / "presets"
RulesSpec = str | Path | Mapping[str, Any] | RuleSet


class Preset(NamedTuple):
    """One rule set that comes with the package, as its file tells it."""

    name: str
    about: str  # one line
    base: str  # the preset it changes, or ""
    changes: Mapping[str, Any]  # the options its file gives
    rules: RuleSet


def resolve(spec: RulesSpec, /, **options: object) -> RuleSet:
    """Returns the rule set that `spec` means, with `options` changed.

    `spec` is a preset's name, the path of a TOML file, a line like "single-sir,target=5" or one that
    `str(rules)` wrote, a mapping of options with an optional "preset" as its base, or a rule set.
    Raises `RulesError` with every reason at once.
    """
    if isinstance(spec, RuleSet):
        rules = spec
    elif isinstance(spec, Mapping):
        rules = _from_table(spec)
    elif isinstance(spec, Path):
        rules = _from_file(spec)
    elif isinstance(spec, str):
        rules = _from_text(spec.strip())
    else:
        raise RulesError([f"a rule set is a preset's name, a TOML file or a table of options, not {spec!r}"])
    return rules.replace(**options) if options else rules


def preset(name: str) -> RuleSet:
    """Returns the preset called `name`; unlike `resolve` it never looks for a file."""
    if name == DEFAULTS:
        return RuleSet()
    if name not in preset_names():
        raise RulesError([f'there is no preset "{name}"{suggest(name, preset_names())}'])
    return load_preset(name).rules


def presets() -> dict[str, RuleSet]:
    """Returns all presets by name, each followed by those that change it, the largest family first."""
    return {name: load_preset(name).rules for name in preset_names()}


def name_of(rules: RuleSet) -> str:
    """Returns the shortest line that `resolve` reads as `rules`: a preset's name where it is one.

    >>> name_of(resolve("double-sir", pile_blocks=[2, 11]))
    'double-sir,pile_blocks=[2,11]'
    """
    lines = [str(rules)]
    for name, base in presets().items():
        lines.append(",".join(filter(None, [name, write_options(rules.difference(base))])))
    return min(lines, key=len)


@cache
def preset_names() -> tuple[str, ...]:
    """Returns the names of all presets, in the order of `presets`."""
    tables = {path.stem: _read(path) for path in sorted(_PRESETS.glob("*.toml"))}
    children: dict[str, list[str]] = {name: [] for name in ["", *tables]}
    for name, table in tables.items():
        children[table.get("preset", "")].append(name)

    def family(name: str) -> list[str]:
        return [name, *(member for child in children[name] for member in family(child))]

    families = sorted(map(family, children[""]), key=len, reverse=True)
    return tuple(member for members in families for member in members)


@cache
def load_preset(name: str) -> Preset:
    """Returns the preset `name`, which must be one of `preset_names`."""
    table = _read(_PRESETS / f"{name}.toml")
    changes = {key: value for key, value in table.items() if key not in {"preset", "about"}}
    return Preset(name, table["about"], table.get("preset", ""), changes, _from_table(table, about=True))


def _from_text(text: str) -> RuleSet:
    if text.endswith(".toml") or ("/" in text and "=" not in text):
        return _from_file(Path(text))
    first, *_ = split_items(text) or [""]
    if "=" in first:
        return RuleSet.from_string(text)
    if first == text and text not in preset_names() and Path(text).is_file():
        return _from_file(Path(text))
    rest = text[len(first) :].lstrip(" ,")
    return preset(first).replace(**read_options(rest))


def _from_table(table: Mapping[str, Any], about: bool = False) -> RuleSet:
    """Returns the rule set of a table of options; `about` allows the one line that describes a file."""
    options = {
        key: value for key, value in table.items() if key != "preset" and not (about and key == "about")
    }
    reasons: list[str] = []
    base = RuleSet()
    name = table.get("preset", DEFAULTS)
    try:
        if not isinstance(name, str):
            raise RulesError([f"preset must be the name of a preset, not {name!r}"])
        base = preset(name)
    except RulesError as error:
        reasons += error.reasons
    try:
        rules = base.replace(**options)
    except RulesError as error:
        reasons += error.reasons
    if reasons:
        raise RulesError(reasons)
    return rules


def _from_file(path: Path) -> RuleSet:
    try:
        return _from_table(_read(path), about=True)
    except RulesError as error:
        raise RulesError(error.reasons, source=str(path)) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        reason = "there is no such file"
    except IsADirectoryError:
        reason = "is a directory, not a file of rules"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        reason = "is not text in UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = f"is not TOML: {error}"
    raise RulesError([reason])
