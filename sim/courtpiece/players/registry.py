"""The built-in callers and card players, and the text that names a player.

A player is a card player and a caller, written `CARD` or `CARD/CALLER`, with options after colons:
`greedy`, `simple/longest`, `random/strongest:pass=never:redeal=always`.  Every card player has a caller
of its own that is taken when none is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from courtpiece.errors import PlayerError, UsageError, suggest
from courtpiece.rules import RuleSet, Trump, Uncalled, name_of

if TYPE_CHECKING:
    from courtpiece.players.player import Player


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of a caller or card player, and the words that it takes."""

    name: str
    doc: str
    words: tuple[str, ...]              # the default first

    @property
    def default(self) -> str:
        """The word that holds when nothing is said."""
        return self.words[0]

    @property
    def takes(self) -> str:
        """What may be written after the equals sign, in words."""
        return ", ".join(self.words)

    def read(self, text: str) -> str:
        """Returns the word that `text` is; raises UsageError when it is none."""
        if text in self.words:
            return text
        raise UsageError(f'player option "{self.name}" takes {self.takes}, not "{text}"'
                         f"{suggest(text, self.words)}")


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A built-in way to say trump from the first five cards."""

    name: str
    summary: str
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CardPlayer:
    """A built-in way to play the cards."""

    name: str
    summary: str
    caller: str                         # the caller it comes with
    options: tuple[Option, ...] = ()


def _policies(passes: str, asks: str, thirteenth: str) -> tuple[Option, ...]:
    """Returns the three policies of a caller; each text says what `auto` does."""
    words = ("auto", "never", "always")
    return (
        Option(name="pass", words=words,
               doc=f"leave the call to the partner, where the rules allow; auto: {passes}"),
        Option(name="redeal", words=words, doc=f"ask for a new deal, where the rules allow; auto: {asks}"),
        Option(name="thirteenth", words=words,
               doc=f"let the last of the thirteen cards decide, where the rules allow; auto: {thirteenth}"),
    )


CALLERS: tuple[Caller, ...] = (
    Caller(
        name="random",
        summary="any word the rules allow, all equally likely",
        options=_policies("as likely as any suit", "as likely as any suit", "as likely as any suit"),
    ),
    Caller(
        name="longest",
        summary="the longest suit, then the one with the higher cards",
        options=_policies("never", "whenever allowed", "never"),
    ),
    Caller(
        name="strongest",
        summary="the suit with most points in a weighted count fitted on simulated deals",
        options=_policies("when the count says the partner does better",
                          "when the count says a new deal is better",
                          "when the count says the unseen card is better"),
    ),
    Caller(name="absent", summary="says nothing: time runs out, and the rules decide (uncalled)"),
)

def _signal(name: str, doc: str) -> Option:
    return Option(name=name, words=("on", "send", "read", "off"), doc=doc)


_SIGNALS = (
    _signal("weak", "S4.37: lead a new suit only from weakness, without its ace and king"),
    _signal("top", "S4.38: weak too, take the partner's lead with the highest and lead the suit again"),
    _signal("middle", "S4.39: strong there, take it with the queen or jack"),
    _signal("switch", "S4.40: then lead another suit, in which one is weak"),
    Option(name="low", words=("greedy", "strict", "waste"),
           doc="S4.41: a low card while the partner wins the trick; greedy: unless a high one makes it much "
               "safer; strict: always; waste: as if the trick were nobody's"),
    Option(name="watch", words=("off", "on"), doc="understand what the other side signals"),
)
_FORGETS = (
    Option(name="forgets", words=("both", "trumps", "voids"),
           doc="trumps: those played before the last trick; voids: who has shown to hold none"),
)

CARD_PLAYERS: tuple[CardPlayer, ...] = (
    CardPlayer(name="random", caller="random", summary="any legal card, all equally likely"),
    CardPlayer(name="simple", caller="longest",
               summary="a fixed yardstick: leads masters, else low; wins as cheaply as it can see"),
    CardPlayer(name="greedy", caller="strongest",
               summary="a sound table player: counts trumps and voids, ruffs, protects the partner"),
    CardPlayer(name="double-dummy", caller="strongest",
               summary="sees all cards; best play by both sides: a yardstick, not a player at the table"),
    CardPlayer(name="signals", caller="strongest",
               summary="greedy that sends its partner the signals of S4.37 to S4.41, and reads them",
               options=_SIGNALS),
    CardPlayer(name="forgetful", caller="strongest",
               summary="greedy that does not count trumps (S4.42 to S4.45): what that is worth",
               options=_FORGETS),
)
OPEN_CARDS = "double-dummy"             # the card player who sees all cards
AT_THE_TABLE = "greedy"                 # the one beside whom he is shown

_BETWEEN = r"[,\s]+"                     # what stands between the players of a line-up

Named = TypeVar("Named", Caller, CardPlayer)


@dataclass(frozen=True, kw_only=True)
class PlayerSpec:
    """A player: the names of its card player and caller, and the options that differ from the default."""

    card: str
    caller: str
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str) -> str:
        """Returns the value of an option of this player, said or by default; KeyError for a strange one."""
        said = dict(self.options)
        known = {option.name: option.default for option in _options(self.card, self.caller)}
        return said.get(name, known[name])

    def __str__(self) -> str:
        """The shortest text that names this player."""
        plain = self.caller == _find(CARD_PLAYERS, self.card, "card player").caller
        who = self.card if plain else f"{self.card}/{self.caller}"
        return ":".join([who, *(f"{name}={value}" for name, value in self.options)])


@dataclass(frozen=True)
class OwnPlayer:
    """A player that is a class in Python: found by name, in a file, or given as it is.

    `text` names it with its options; the same text names the same player.  `version` changes when its
    code does, as far as can be told.
    """

    text: str
    make: Callable[[], Player] = field(compare=False, repr=False)   # a new one for each seat
    version: str = ""
    sees_all: bool = False
    loaded: bool = field(default=True, compare=False)   # False for a stand-in, which refuses to play
    foreign: bool = field(default=True, compare=False)  # False for what comes with this package

    def __str__(self) -> str:
        return self.text


AnyPlayer = PlayerSpec | OwnPlayer


@dataclass(frozen=True)
class Lineup:
    """Who sits where, eldest first, in order of play.

    `double-dummy` on all four seats is solved and not played; beside others it is a player in Python.
    """

    players: tuple[AnyPlayer, AnyPlayer, AnyPlayer, AnyPlayer]

    def __post_init__(self) -> None:
        if not self.double_dummy:
            one, two, three, four = map(_beside_others, self.players)
            object.__setattr__(self, "players", (one, two, three, four))

    @classmethod
    def of(cls, caller_side: AnyPlayer, defender_side: AnyPlayer) -> Lineup:
        """Returns the line-up of one player on both seats of a side and one on both of the other."""
        return cls((caller_side, defender_side, caller_side, defender_side))

    @property
    def caller_side(self) -> AnyPlayer:
        """Eldest, and in most line-ups his partner."""
        return self.players[0]

    @property
    def defender_side(self) -> AnyPlayer:
        """Eldest's right-hand neighbour, and in most line-ups the dealer."""
        return self.players[1]

    @property
    def double_dummy(self) -> bool:
        """True when all four see all cards, so that a deal is solved and not played."""
        return all(map(_sees_open_cards, self.players))

    @property
    def at_the_table(self) -> Lineup:
        """The same callers with card players who see their own cards only."""
        one, two, three, four = (
            replace(player, card=AT_THE_TABLE)
            if isinstance(player, PlayerSpec) and _sees_open_cards(player) else player
            for player in self.players
        )
        return Lineup((one, two, three, four))

    @property
    def seats(self) -> tuple[str, str, str, str]:
        """The four players as text."""
        first, second, third, fourth = map(str, self.players)
        return (first, second, third, fourth)

    @property
    def in_kernel(self) -> bool:
        """True when the kernel plays all four."""
        return all(isinstance(player, PlayerSpec) for player in self.players)

    def __str__(self) -> str:
        """`greedy` when all four are the same, `greedy,simple` for two sides, else all four."""
        seats = self.seats
        if seats[:2] != seats[2:]:
            return ",".join(seats)
        return seats[0] if seats[0] == seats[1] else ",".join(seats[:2])


def _sees_open_cards(player: AnyPlayer) -> bool:
    return isinstance(player, PlayerSpec) and player.card == OPEN_CARDS


def _beside_others(player: AnyPlayer) -> AnyPlayer:
    """Returns the player itself, or for one who sees open cards the class that plays so beside others."""
    if not isinstance(player, PlayerSpec) or player.card != OPEN_CARDS:
        return player
    from courtpiece.players.double_dummy import DoubleDummy

    caller = ":".join([player.caller, *(f"{name}={value}" for name, value in player.options)])
    return OwnPlayer(str(player), partial(DoubleDummy, caller), sees_all=True, foreign=False)


def parse_player(text: str) -> AnyPlayer:
    """Returns the player that a text names; raises UsageError, with the nearest name, when there is none.

    A name is first that of a built-in player, then one that an installed package gives (entry points of the
    group `courtpiece.players`); `FILE.py:CLASS` names a class in a file, and that file is executed.

    >>> parse_player("simple/longest:pass=never").caller
    'longest'
    >>> str(parse_player("simple/longest:pass=never"))
    'simple:pass=never'
    """
    from courtpiece.players import own

    found = own.find(text.strip())
    if found is not None:
        return found
    if len(names := re.split(_BETWEEN, text.strip())) > 1:
        raise UsageError(f'"{text}" names {len(names)} players where one is to be named')
    return parse_built_in(text, others=() if "/" in text else own.names())


def parse_built_in(text: str, *, others: Sequence[str] = ()) -> PlayerSpec:
    """Returns the kernel's player that a text names; an error names the `others` that there are too."""
    names, *written = text.strip().lower().split(":")
    card_name, slash, caller_name = names.partition("/")
    if written and "/" in ":".join(written):        # options may also stand right after the card player
        before, _, after = ":".join(written).partition("/")
        caller_name, *rest = after.split(":")
        slash, written = "/", [*before.split(":"), *rest]
    card = _find(CARD_PLAYERS, card_name, "card player", others)
    caller = _find(CALLERS, caller_name, "caller") if slash else _find(CALLERS, card.caller, "caller")
    return PlayerSpec(card=card.name, caller=caller.name, options=_read_options(card, caller, written))


def parse_lineup(text: str) -> Lineup:
    """Returns the line-up of one player (all four seats), two (the caller's side, then the defenders), or
    four (eldest, and on in order of play).

    >>> parse_lineup("greedy, simple").seats
    ('greedy', 'simple', 'greedy', 'simple')
    """
    return _lineup(text, parse_player)


def recall_lineup(text: str) -> Lineup:
    """Returns the line-up of a text that lies in a folder or a file, and loads no code for it.

    Whoever wrote that text is not who gives commands now.  A player who is not built in is a stand-in with
    his name, and refuses to play.

    >>> recall_lineup("mine.py:Mine,greedy").seats
    ('mine.py:Mine', 'greedy', 'mine.py:Mine', 'greedy')
    """
    return _lineup(text, recall_player)


def recall_player(text: str) -> AnyPlayer:
    """Returns the player of a text that lies in a folder or a file, and loads no code for it."""
    from courtpiece.players import own

    if own.is_built_in(text):
        return parse_player(text)
    try:
        return parse_built_in(text)
    except UsageError:
        return OwnPlayer(text, partial(_refuse_to_play, text), loaded=False)


def _refuse_to_play(text: str) -> Player:
    raise PlayerError(f"{text} was not loaded: a folder's text may name code, and only a command has it run")


def _lineup(text: str, read: Callable[[str], AnyPlayer]) -> Lineup:
    names = re.split(_BETWEEN, text.strip())
    if len(names) not in (1, 2, 4):
        raise UsageError(f'players "{text}" names {len(names)}; name one for all four seats, or two: '
                         "the caller's side and the defenders, or four in order of play")
    one, two, three, four = (read(name) for name in names * (4 // len(names)))
    return Lineup((one, two, three, four))


def check_lineup(lineup: Lineup, rules: RuleSet) -> None:
    """Raises UsageError where these players cannot play by these rules.

    The caller may be one under whom the rules never come to a trump; and what all cards seen come to must
    be computable.
    """
    callers = [player.caller for player in lineup.players[::2] if isinstance(player, PlayerSpec)]
    if "absent" in callers and rules.trump is not Trump.FIRST_VOID and rules.uncalled is Uncalled.NONE:
        raise UsageError(
            'the caller "absent" needs rules whose uncalled is blind-stock or random-own-five, '
            f"and in {name_of(rules)} it is {rules.uncalled}"
        )
    if lineup.double_dummy:
        from courtpiece.solve import check_outcomes

        try:
            check_outcomes(rules)
        except UsageError as error:
            raise UsageError(f"{OPEN_CARDS} cannot play {name_of(rules)}: {error}") from None


def available() -> list[CardPlayer | Caller]:
    """Returns all card players, then all callers."""
    return [*CARD_PLAYERS, *CALLERS]


def _find(known: Sequence[Named], name: str, kind: str, others: Sequence[str] = ()) -> Named:
    by_name: Mapping[str, Named] = {item.name: item for item in known}
    if name not in by_name:
        what = f'there is no {kind} "{name}"' if name else f"a {kind} is missing"
        there_are = (*by_name, *others)
        raise UsageError(f"{what}; there are {', '.join(there_are)}{suggest(name, there_are)}")
    return by_name[name]


def _options(card: str, caller: str) -> tuple[Option, ...]:
    return (*_find(CARD_PLAYERS, card, "card player").options, *_find(CALLERS, caller, "caller").options)


def _read_options(card: CardPlayer, caller: Caller, written: Sequence[str]) -> tuple[tuple[str, str], ...]:
    known = {option.name: option for option in (*card.options, *caller.options)}
    said: dict[str, str] = {}
    for part in written:
        name, equals, text = part.partition("=")
        if name not in known:
            there_are = f"there are {', '.join(known)}" if known else "it has none"
            raise UsageError(f'player "{card.name}/{caller.name}" has no option "{name}"; '
                             f"{there_are}{suggest(name, known)}")
        if not equals:
            raise UsageError(f'player option "{name}" needs a value: {name}=… ({known[name].takes})')
        if name in said:
            raise UsageError(f'player option "{name}" is given twice')
        said[name] = known[name].read(text)
    return tuple((name, said[name]) for name, option in known.items()
                 if said.get(name, option.default) != option.default)
