"""Rule sets from names, files, mappings and lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from courtpiece.errors import RulesError, UsageError, suggest
from courtpiece.rules.line import read_options, write_options
from courtpiece.rules.ruleset import DEFAULTS, RuleSet, option_names
from courtpiece.rules.values import show
from courtpiece.tomlfile import read_toml

_PRESETS = Path(__file__).parent / "presets"
RulesSpec = str | Path | Mapping[str, Any] | RuleSet


class Preset(NamedTuple):
    """One rule set that comes with the package, as its file tells it."""

    name: str
    about: str  # one line
    base: str  # the preset it changes, or ""
    changes: Mapping[str, Any]  # the options its file gives, as `RuleSet.to_dict` has them
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
        hint = suggest(name, preset_names()) or "; courtpiece rules lists them"
        raise RulesError([f"there is no preset {show(name)}{hint}"])
    return load_preset(name).rules


def presets() -> dict[str, RuleSet]:
    """Returns all presets by name, each followed by those that change it, the largest family first."""
    return {name: load_preset(name).rules for name in preset_names()}


def name_of(rules: RuleSet) -> str:
    """Returns the shortest line that `resolve` reads as `rules`: a preset's name where it is one.

    >>> name_of(resolve("double-sir", pile_blocks=[2, 11]))
    'double-sir,pile_blocks=[2,11]'
    """
    name, changes = nearest_preset(rules)
    if len(rules.difference(RuleSet())) < len(changes):
        return str(rules)
    return ",".join(filter(None, [name, write_options(changes)]))


@lru_cache(maxsize=64)
def nearest_preset(rules: RuleSet) -> tuple[str, Mapping[str, Any]]:
    """Returns the preset that needs the fewest changes to become `rules`, and the changes."""
    changes = {name: rules.difference(base) for name, base in presets().items()}
    name = min(changes, key=lambda name: len(changes[name]))
    return name, changes[name]


@cache
def preset_names() -> tuple[str, ...]:
    """Returns the names of all presets, in the order of `presets`."""
    children: dict[str, list[str]] = {name: [] for name in ["", *_preset_tables()]}
    for name, table in _preset_tables().items():
        children[table.get("preset", "")].append(name)

    def family(name: str) -> list[str]:
        return [name, *(member for child in children[name] for member in family(child))]

    families = sorted(map(family, children[""]), key=len, reverse=True)
    return tuple(member for members in families for member in members)


@cache
def load_preset(name: str) -> Preset:
    """Returns the preset `name`, which must be one of `preset_names`."""
    table = _preset_tables()[name]
    rules = _from_table(_without_about(table))
    changes = {key: rules.to_dict()[key] for key in table if key in option_names()}
    return Preset(name, table["about"], table.get("preset", ""), changes, rules)


@cache
def _preset_tables() -> Mapping[str, Mapping[str, Any]]:
    return {path.stem: read_toml(path) for path in sorted(_PRESETS.glob("*.toml"))}


def _from_text(text: str) -> RuleSet:
    if text.endswith(".toml") or ("/" in text and "=" not in text):
        return _from_file(Path(text))
    first, _, changes = text.partition(",")
    if "=" in first:
        return RuleSet.from_string(text)
    return preset(first.strip()).replace(**read_options(changes))


def _from_table(table: Mapping[str, Any]) -> RuleSet:
    """Returns the rule set of a table of options, with all that is wrong in it and in its base."""
    options = {str(key): value for key, value in table.items() if key != "preset"}
    reasons: list[str] = []
    base = RuleSet()
    try:
        base = _base(table.get("preset", DEFAULTS))
    except RulesError as error:
        reasons += error.reasons
    try:
        rules = base.replace(**options)
    except RulesError as error:
        reasons += error.reasons
    if reasons:
        raise RulesError(reasons)
    return rules


def _base(name: object) -> RuleSet:
    """Returns the preset that a table changes; a file cannot be a base, so no circle can come about."""
    if not isinstance(name, str):
        raise RulesError([f"preset must be the name of a preset, not {show(name)}"])
    if name.endswith(".toml") or "/" in name:
        raise RulesError([f"preset must be the name of a preset, not the file {show(name)}"])
    return preset(name)


def _from_file(path: Path) -> RuleSet:
    try:
        return _from_table(_without_about(read_toml(path)))
    except UsageError as error:
        raise RulesError([str(error)], source=str(path)) from None
    except RulesError as error:
        raise RulesError(error.reasons, source=str(path)) from None


def _without_about(table: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a file's table without `about`, the line in which a file may describe itself."""
    about = table.get("about", "")
    if not isinstance(about, str):
        raise RulesError([f"about must be a line of text, not {show(about)}"])
    return {key: value for key, value in table.items() if key != "about"}
