"""Players that are classes in Python: found among installed packages or in a file that a user names."""

from __future__ import annotations

import copy
import hashlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from courtpiece.errors import CourtpieceError, PlayerError, RunError, UsageError, raised, reason, suggest
from courtpiece.patience import OutOfTime, answering, limited, staying
from courtpiece.players.player import Player
from courtpiece.players.registry import CARD_PLAYERS, OwnPlayer

GROUP = "courtpiece.players"            # of entry points
_IN_FILE = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)(?P<options>(:.*)?)")
_FILE = re.compile(r"(?P<file>[^:]+\.py):?")
_OPTION_DOC = re.compile(r"^(\w+) {2,}(\S.*(?:\n {4,}\S.*)*)", re.MULTILINE)     # in the docstring of a class
_WORDS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}

# Built-in players that are written in Python, with where they lie.
BUILT_IN = {
    "pimc": "courtpiece.players.search:Pimc",
    "alphamu": "courtpiece.players.alphamu:AlphaMu",
    "ismcts": "courtpiece.players.ismcts:Ismcts",
    "mc": "courtpiece.players.search:Mc",
}


def find(text: str) -> OwnPlayer | None:
    """Returns the player in Python that a text names, or None when it names none.

    Raises UsageError for a file or a class that is not there, and for options that it does not take.
    """
    in_file = _IN_FILE.fullmatch(text)
    if in_file:
        return _in_file(in_file["file"], in_file["name"], in_file["options"].split(":")[1:])
    if bare := _FILE.fullmatch(text):
        raise UsageError(f"{text} names a file: name the player in it too, as {bare['file']}:NAME"
                         f"{_there_are(_players_of(_module(bare['file'])))}")
    name, *written = text.split(":")
    card, slash, _ = name.partition("/")
    if card.lower() in {player.name for player in CARD_PLAYERS}:
        return None
    if card.lower() in BUILT_IN:
        card = card.lower()
    if slash and card in names():
        raise UsageError(f'"{card}" says its own calls and takes no caller: write "{card}", not "{name}"')
    if card in BUILT_IN:
        module, _, kind = BUILT_IN[card].partition(":")
        return _player(card, getattr(import_module(module), kind), written, "", foreign=False)
    if card in (packaged := _packaged()):
        with _loading(f'the player "{card}"'):
            kind = packaged[card].load()
        return _player(card, kind, written, _version_of(packaged[card]))
    return None


def is_built_in(text: str) -> bool:
    """True for the text of a player in Python that comes with the package."""
    names_a_file = _IN_FILE.fullmatch(text) or _FILE.fullmatch(text)
    return not names_a_file and text.partition(":")[0].lower() in BUILT_IN


def given(player: Player) -> OwnPlayer:
    """Returns a player made by its user; each seat gets a copy of it.

    Raises UsageError when it cannot be copied.
    """
    try:
        copy.deepcopy(player)
    except Exception as error:
        raise UsageError(f"the player {_shown(player)} cannot be copied, and each seat gets a copy of it: "
                         f"{raised(error)}") from error
    return OwnPlayer(
        _shown(player), partial(copy.deepcopy, player), version=_source_digest(type(player)),
        sees_all=player.sees_all,
    )


def names() -> tuple[str, ...]:
    """Returns the names of all players in Python that need no file."""
    return (*BUILT_IN, *_packaged())


@dataclass(frozen=True)
class About:
    """What the docstring of a player's class says: in one line, and of each option with its default."""

    name: str
    summary: str
    options: tuple[tuple[str, str, str], ...]       # name, default, what it does


def described() -> list[About]:
    """Returns what is told about the built-in players in Python."""
    told = []
    for name, where in BUILT_IN.items():
        module, _, attribute = where.partition(":")
        kind: type[Player] = getattr(import_module(module), attribute)
        docs: dict[str, str] = {}
        for base in reversed(kind.__mro__):
            docs |= dict(_OPTION_DOC.findall(inspect.cleandoc(base.__doc__ or "")))
        options = tuple(
            (option, _written(about.default), " ".join(docs[option].split()))
            for option, about in inspect.signature(kind).parameters.items()
        )
        told.append(About(name, inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0], options))
    return told


def _written(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _shown(player: Player) -> str:
    told = getattr(player, "name", type(player).__name__)
    return re.sub(r"[,\s]+", "-", str(told)) or type(player).__name__


def _in_file(file: str, name: str, written: Sequence[str]) -> OwnPlayer:
    module = _module(file)
    kind = getattr(module, name, None)
    if kind is None:
        known = _players_of(module)
        raise UsageError(f'{file} has no player "{name}"{_there_are(known)}{suggest(name, known)}')
    where = f"{_path(file).absolute()}:{name}"      # other processes may be elsewhere
    return _player(f"{file}:{name}", kind, written, _digest(_path(file))[:8], where)


def _path(file: str) -> Path:
    return Path(os.path.expanduser(file))           # noqa: PTH111 (fails where there is no such user)


def _module(file: str) -> ModuleType:
    return _load(_path(file), _digest(_path(file)))


def _players_of(module: ModuleType) -> list[str]:
    return [key for key, value in vars(module).items() if _is_player(value) and value is not Player]


def _there_are(players: Sequence[str]) -> str:
    return f"; there are {', '.join(players)}" if players else "; no class there derives from Player"


def _is_player(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Player)


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}") from None
    except ValueError as error:         # no file can have this name
        raise UsageError(f"{path} cannot be read: {error}") from None


@cache
def _load(path: Path, digest: str) -> ModuleType:
    """Returns the module of a file, executed once for each content it has."""
    name = f"courtpiece_player_{path.stem}_{digest[:8]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be read as Python")
    module = module_from_spec(spec)
    sys.modules[name] = module          # pickle and dataclasses look a class's module up there
    try:
        with _loading(str(path)), staying():
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _loading(what: str) -> Iterator[None]:
    """Raises UsageError for whatever code does in the body that is loaded, instead of being there in time."""
    try:
        with limited():
            yield
    except KeyboardInterrupt:
        raise
    except OutOfTime as error:
        raise UsageError(f"{what} is not loaded within {error}") from None
    except BaseException as error:
        raise UsageError(f"{what} fails when it is loaded: {raised(error)}") from error


def _player(
    name: str, kind: Any, written: Sequence[str], version: str, where: str = "", *, foreign: bool = True
) -> OwnPlayer:
    if not _is_player(kind):
        raise UsageError(f'"{name}" is no class that derives from courtpiece.Player')
    options, texts = _read_options(name, kind, written)
    make = _Maker(":".join([where or name, *texts]), kind, options, version)
    return OwnPlayer(":".join([name, *texts]), make, version, kind.sees_all, foreign=foreign)


class _Maker:
    """Makes a player of a class; it is sent to other processes as text, as they have to load a file anew.

    They do when they make the first player: then loading has a limit of time, and its errors are told.
    """

    def __init__(
        self, text: str, kind: type[Player] | None, options: Mapping[str, Any], version: str
    ) -> None:
        self.text, self.kind, self.options, self.version = text, kind, dict(options), version

    def __call__(self) -> Player:
        kind = self.kind = self.kind or self._load()
        try:
            with answering():
                return kind(**self.options)
        except PlayerError as error:
            if isinstance(error.__cause__, CourtpieceError):    # of options that it does not take
                raise error.__cause__ from None
            raise PlayerError(f"{self.text} cannot be made: it {error}") from error.__cause__

    def _load(self) -> type[Player]:
        found = find(self.text)
        if found is None or found.version != self.version:
            there = "none" if found is None else found.version
            raise RunError(f"{self.text} is another player for a worker ({there}) than where the run began "
                           f"({self.version}): it was changed meanwhile, or differs between machines")
        assert isinstance(found.make, _Maker)
        assert found.make.kind is not None
        return found.make.kind

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _Maker, (self.text, None, self.options, self.version)


def _read_options(name: str, kind: type[Player], written: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Returns the values of the options by name, and the texts of those that are not at their default."""
    takes = {
        key: parameter
        for key, parameter in inspect.signature(kind).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    given: dict[str, str] = {}
    for part in written:
        key, equals, text = part.partition("=")
        key = key.strip().replace("-", "_")
        if key not in takes:
            there_are = f"there are {', '.join(takes)}" if takes else "it has none"
            raise UsageError(f'player "{name}" has no option "{key}"; {there_are}{suggest(key, takes)}')
        if not equals:
            raise UsageError(f'player option "{key}" needs a value: {key}=…')
        if key in given:
            raise UsageError(f'player option "{key}" is given twice')
        given[key] = text.strip()
    missing = [key for key, about in takes.items() if about.default is about.empty and key not in given]
    if missing:
        raise UsageError(f'player "{name}" needs the option "{missing[0]}": {name}:{missing[0]}=…')
    values = {key: _value(key, text, takes[key]) for key, text in given.items()}
    texts = [f"{key}={given[key]}" for key in takes if key in given and values[key] != takes[key].default]
    return values, texts


def _value(key: str, text: str, about: inspect.Parameter) -> Any:
    """Returns an option's value: of the type of its default, or of its annotation."""
    kind = type(about.default) if about.default not in (about.empty, None) else about.annotation
    kind = {"bool": bool, "int": int, "float": float}.get(str(kind).partition(" ")[0], kind)
    if kind is bool:
        if text.lower() not in _WORDS:
            raise UsageError(f'player option "{key}" is on or off, not "{text}"')
        return _WORDS[text.lower()]
    if kind not in (int, float):
        return text
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise UsageError(f'player option "{key}" takes {what}, not "{text}"') from None


@cache
def _packaged() -> Mapping[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _version_of(entry: Any) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else ""


def _source_digest(kind: type[Player]) -> str:
    try:
        return hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()[:8]
    except (OSError, TypeError):        # typed at a prompt
        return ""
