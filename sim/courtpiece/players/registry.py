"""The built-in callers and card players, and the text that names a player.

A player is a card player and a caller, written `CARD` or `CARD/CALLER`, with options after colons:
`greedy`, `simple/longest`, `random/strongest:pass=never:redeal=always`.  Every card player has a caller
of its own that is taken when none is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from courtpiece.errors import UsageError, suggest
from courtpiece.rules import RuleSet, Trump, Uncalled, name_of


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

CARD_PLAYERS: tuple[CardPlayer, ...] = (
    CardPlayer(name="random", caller="random", summary="any legal card, all equally likely"),
    CardPlayer(name="simple", caller="longest",
               summary="a fixed yardstick: leads masters, else low; wins as cheaply as it can see"),
    CardPlayer(name="greedy", caller="strongest",
               summary="a sound table player: counts trumps and voids, ruffs, protects the partner"),
    CardPlayer(name="double-dummy", caller="strongest",
               summary="sees all cards; best play by both sides: a yardstick, not a player at the table"),
)
OPEN_CARDS = "double-dummy"             # the card player who sees all cards
AT_THE_TABLE = "greedy"                 # the one beside whom he is shown

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


@dataclass(frozen=True, kw_only=True)
class Lineup:
    """Who sits where: one player for both seats of the caller's side, one for the defenders."""

    caller_side: PlayerSpec
    defender_side: PlayerSpec

    @property
    def double_dummy(self) -> bool:
        """True when all four see all cards, so that a deal is solved and not played."""
        return self.caller_side.card == self.defender_side.card == OPEN_CARDS

    @property
    def at_the_table(self) -> Lineup:
        """The same callers with card players who see their own cards only."""
        ours, theirs = (
            replace(player, card=AT_THE_TABLE) if player.card == OPEN_CARDS else player
            for player in (self.caller_side, self.defender_side)
        )
        return Lineup(caller_side=ours, defender_side=theirs)

    @property
    def seats(self) -> tuple[str, str, str, str]:
        """The four players as text, eldest first, in order of play."""
        ours, theirs = str(self.caller_side), str(self.defender_side)
        return (ours, theirs, ours, theirs)

    def __str__(self) -> str:
        """`greedy` when all four are the same, else `greedy,simple`: the caller's side first."""
        ours, theirs = str(self.caller_side), str(self.defender_side)
        return ours if ours == theirs else f"{ours},{theirs}"


def parse_player(text: str) -> PlayerSpec:
    """Returns the player that a text names; raises UsageError, with the nearest name, when there is none.

    >>> parse_player("simple/longest:pass=never").caller
    'longest'
    >>> str(parse_player("simple/longest:pass=never"))
    'simple:pass=never'
    """
    names, *written = text.strip().lower().split(":")
    card_name, slash, caller_name = names.partition("/")
    if written and "/" in ":".join(written):        # options may also stand right after the card player
        before, _, after = ":".join(written).partition("/")
        caller_name, *rest = after.split(":")
        slash, written = "/", [*before.split(":"), *rest]
    card = _find(CARD_PLAYERS, card_name, "card player")
    caller = _find(CALLERS, caller_name, "caller") if slash else _find(CALLERS, card.caller, "caller")
    return PlayerSpec(card=card.name, caller=caller.name, options=_read_options(card, caller, written))


def parse_lineup(text: str) -> Lineup:
    """Returns the line-up of one player (all four seats) or two: the caller's side, then the defenders.

    >>> parse_lineup("greedy, simple").seats
    ('greedy', 'simple', 'greedy', 'simple')
    """
    players = re.split(r"[,\s]+", text.strip())
    if len(players) > 2:
        raise UsageError(f'players "{text}" names {len(players)}; name one for all four seats, or two: '
                         "the caller's side and the defenders")
    return Lineup(caller_side=parse_player(players[0]), defender_side=parse_player(players[-1]))


def check_lineup(lineup: Lineup, rules: RuleSet) -> None:
    """Raises UsageError where these players cannot play by these rules.

    The caller may be one under whom the rules never come to a trump; and what all cards seen come to must
    be computable.
    """
    caller = lineup.caller_side.caller
    if caller == "absent" and rules.trump is not Trump.FIRST_VOID and rules.uncalled is Uncalled.NONE:
        raise UsageError(
            f'the caller "{caller}" needs rules whose uncalled is blind-stock or random-own-five, '
            f"and in {name_of(rules)} it is {rules.uncalled}"
        )
    if OPEN_CARDS in (lineup.caller_side.card, lineup.defender_side.card):
        from courtpiece.solve import check_outcomes

        if not lineup.double_dummy:
            raise UsageError(f"{OPEN_CARDS} plays with all four hands open, so it takes all four seats: "
                             f'"{lineup}" has another player too')
        try:
            check_outcomes(rules)
        except UsageError as error:
            raise UsageError(f"{OPEN_CARDS} cannot play {name_of(rules)}: {error}") from None


def available() -> list[CardPlayer | Caller]:
    """Returns all card players, then all callers."""
    return [*CARD_PLAYERS, *CALLERS]


def _find(known: Sequence[Named], name: str, kind: str) -> Named:
    by_name: Mapping[str, Named] = {item.name: item for item in known}
    if name not in by_name:
        what = f'there is no {kind} "{name}"' if name else f"a {kind} is missing"
        raise UsageError(f"{what}; there are {', '.join(by_name)}{suggest(name, by_name)}")
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
