"""Deals played step by step where at least one player is a class in Python.

The readable engine judges every answer; a kernel's deal goes along with it, which the built-in players
on the other seats are asked on, so that they decide, and toss, exactly as in a batch of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.cards import Card
from courtpiece.deal import DEALER, ELDEST, PARTNER, REVEAL, Deal
from courtpiece.errors import CardError, CourtpieceError, PlayerError, RecordError, told
from courtpiece.match import Match
from courtpiece.patience import answering
from courtpiece.players.callers import kernel_caller
from courtpiece.players.habits import kernel_card
from courtpiece.players.player import Player
from courtpiece.players.registry import Lineup, PlayerSpec, parse_built_in
from courtpiece.rules import Extra, RuleSet, name_of
from courtpiece.view import View
from courtpiece.words import NONE, word_code, word_text
from courtpiece.words import REVEAL as REVEAL_CODE

# Purposes of random numbers of players in Python: from here on, four for each decision, one for each seat.
PLAYERS = 1 << 32

_STAND_IN = parse_built_in("greedy")    # is never asked: sits where a player in Python does
Answer = TypeVar("Answer")


class Decision(NamedTuple):
    """What a seat decided, told before it is done."""

    deal: Deal
    seat: int
    answer: Card | str                  # a card, "reveal", or a word of the call
    seconds: float                      # that it took to decide
    match: Match | None
    lineup: Lineup


Watch = Callable[[Decision], None]


class Driver:
    """Rules and four players, not all of them in the kernel.  Used by one thread at a time."""

    def __init__(self, rules: RuleSet, lineup: Lineup) -> None:
        self.rules = rules
        self.lineup = lineup
        self.players: list[Player | None] = [
            None if isinstance(player, PlayerSpec) else player.make() for player in lineup.players
        ]
        kernel = [player if isinstance(player, PlayerSpec) else _STAND_IN for player in lineup.players]
        callers = [kernel_caller(kernel[seat]) for seat in (ELDEST, PARTNER)]
        cards, habits = zip(*map(kernel_card, kernel), strict=True)
        self._setup = engine.Setup(rules, cards, callers, habits=habits)

    def start(self, seed: int, key: NDArray[np.uint64], stream: int) -> Sitting:
        """Returns the players sitting down to deals of one seed and stream."""
        return Sitting(self, seed, key, stream)


class Sitting:
    """Players at the deals of one seed and stream."""

    def __init__(self, driver: Driver, seed: int, key: NDArray[np.uint64], stream: int) -> None:
        self.driver = driver
        self.rules = driver.rules
        self.walk = engine.Walk(driver._setup, key, stream=stream)
        self._seed, self._stream = seed, stream
        self._draws = Draws(key, stream)
        self._index = 0
        self._told = [0, 0, 0, 0]       # decisions of each seat in this deal

    def play(
        self,
        index: int,
        *,
        five: Sequence[int] | None = None,
        word: str | None = None,
        dealer: int = DEALER,
        match: Match | None = None,
        watch: Watch | None = None,
    ) -> Deal:
        """Returns deal `index`, played to its end.

        five    eldest's first cards, where the deal is dealt round them
        word    what eldest has to say first
        dealer  the dealer's seat at the table
        match   of which the deal is part
        watch   is told of every decision
        """
        self._index, self._told = index, [0, 0, 0, 0]
        self._match, self._watch = match, watch
        if five is None:
            self.walk.deal(index)
        else:
            self.walk.deal_round(index, five)
        deal = self._dealt(dealer)
        for seat, player in enumerate(self.driver.players):
            if player is not None:
                begin = partial(player.begin, self.rules, seat, self._draws.generator(seat))
                self._asked(deal, seat, begin)
        if five is None and Extra.SWAP_CARDS in self.rules.extras and self._swaps(deal):
            self.walk.swap()
            deal = self._dealt(dealer)
        if word is not None:
            self._say(deal, word)
        self._speak(deal)
        while deal.phase == "play":
            self._act(deal)
        return deal

    def _dealt(self, dealer: int) -> Deal:
        hands = [[Card(card) for card in hand] for hand in self.walk.hands()]
        return Deal(self.rules, hands, dealer=dealer)

    # The call

    def _swaps(self, deal: Deal) -> bool:
        player = self.driver.players[ELDEST]
        if player is None:
            return bool(self.walk.wants_swap())
        return self._decided(deal, ELDEST, lambda seen: bool(player.swap(seen)))[0]

    def _speak(self, deal: Deal) -> None:
        while deal.phase == "call":
            player = None if deal.awaits_blind else self.driver.players[deal.turn]
            if player is None:
                began = perf_counter()
                word = word_text(self.walk.word())
                seconds = perf_counter() - began
            else:
                word, seconds = self._decided(deal, deal.turn, player.call)
            self._tell(deal, deal.turn, word, seconds)
            self._say(deal, word)
        if deal.phase == "play":
            self._change(deal)
            self._claim(deal)

    def _say(self, deal: Deal, word: str) -> None:
        seat = deal.turn if deal.phase == "call" else deal.caller
        assert seat is not None
        try:
            if not isinstance(word, str):
                raise CardError("a word of the call is a text")
            deal.say(word)
        except (RecordError, CardError) as error:
            raise self._refused(deal, seat, "says", word, error) from None
        self.walk.say(word_code(deal.words[-1]))

    def _change(self, deal: Deal) -> None:
        if deal.caller is None or not deal.legal_words():
            return
        player = self.driver.players[deal.caller]
        if player is None:
            code = self.walk.change()
            word = None if code == NONE else word_text(code)
        else:
            word, _ = self._decided(deal, deal.caller, player.change)
        if word is not None:
            self._say(deal, word)

    def _claim(self, deal: Deal) -> None:
        if not self.rules.claim:
            return
        for seat, player in enumerate(self.driver.players):
            if player is not None and self._decided(deal, seat, partial(_claims, player))[0]:
                deal.claim(seat)
                self.walk.claim(seat)
                return

    # The play

    def _act(self, deal: Deal) -> None:
        seat = deal.turn
        player = self.driver.players[seat]
        if player is None:
            began = perf_counter()
            code = self.walk.action()
            seconds = perf_counter() - began
            action: Card | str = REVEAL if code == REVEAL_CODE else Card(code)
        else:
            answer, seconds = self._decided(deal, seat, player.play)
            action = self._read(deal, seat, answer)
        self._tell(deal, seat, action, seconds)
        try:
            if isinstance(action, Card):
                deal.play(action)
            else:
                deal.reveal()
        except RecordError as error:
            raise self._refused(deal, seat, "plays", action, error) from None
        self.walk.act(int(action) if isinstance(action, Card) else REVEAL_CODE)

    def _read(self, deal: Deal, seat: int, answer: object) -> Card | str:
        if isinstance(answer, Card):
            return answer
        try:
            if isinstance(answer, str):
                return answer if answer == REVEAL else Card.parse(answer)
            if isinstance(answer, (int, np.integer)) and not isinstance(answer, bool) and 0 <= answer < 52:
                return Card(int(answer))
            raise CardError(f'an answer is a Card or "{REVEAL}"')
        except CardError as error:
            raise self._refused(deal, seat, "plays", answer, error) from None

    # The players

    def _decided(self, deal: Deal, seat: int, ask: Callable[[Any], Answer]) -> tuple[Answer, float]:
        """Returns what a player in Python decides on what it may see, and the seconds that it took."""
        player = self.driver.players[seat]
        self._draws.set(self._index, seat, self._told[seat])
        self._told[seat] += 1
        sees_all = player is not None and player.sees_all
        seen = deal.copy() if sees_all else deal.view(seat, self._match)
        began = perf_counter()
        answer = self._asked(deal, seat, lambda: ask(seen))
        return answer, perf_counter() - began

    def _asked(self, deal: Deal, seat: int, ask: Callable[[], Answer]) -> Answer:
        try:
            with answering():
                return ask()
        except PlayerError as error:
            what = f"{self._who(deal, seat)} {error}; {self._again()}"
            raise PlayerError(what, self._index) from error.__cause__

    def _refused(
        self, deal: Deal, seat: int, verb: str, answer: object, error: CourtpieceError
    ) -> PlayerError:
        seen = deal.view(seat, self._match)
        return PlayerError(
            f"{self._who(deal, seat)} {verb} {told(answer)}, which the rules forbid: {error}. "
            f"It sees: {seen}; {self._again()}",
            self._index,
        )

    def _who(self, deal: Deal, seat: int) -> str:
        where = f"deal {self._index} of seed {self._seed}"
        if self._stream:
            where += f", stream {self._stream}"
        return f"{self.driver.lineup.players[seat]} as {deal.name(seat)} in {where}"

    def _again(self) -> str:
        if self._stream:
            return f"rules {name_of(self.rules)}, players {self.driver.lineup}"
        return (
            f"to see it again: courtpiece play --seed {self._seed} --index {self._index} "
            f"--rules {name_of(self.rules)} --players {self.driver.lineup}"
        )

    def _tell(self, deal: Deal, seat: int, answer: Card | str, seconds: float) -> None:
        if self._watch is not None:
            self._watch(Decision(deal, seat, answer, seconds, self._match, self.driver.lineup))


def _claims(player: Player, view: View) -> bool:
    return bool(player.claim(view))


class Draws:
    """The generators of random numbers of the seats, each set anew before a decision."""

    def __init__(self, key: NDArray[np.uint64], stream: int) -> None:
        self._key, self._stream = key, stream
        self._streams = [np.random.Philox(key=key) for _ in range(4)]
        self._generators = [np.random.Generator(stream) for stream in self._streams]

    def generator(self, seat: int) -> np.random.Generator:
        """Returns the generator of a seat; it stays the same object."""
        return self._generators[seat]

    def set(self, index: int, seat: int, decision: int) -> None:
        """Sets a seat's generator to the numbers of one of its decisions in a deal."""
        counter = np.array([0, PLAYERS + 4 * decision + seat, index, self._stream], np.uint64)
        self._streams[seat].state = {
            "bit_generator": "Philox",
            "state": {"counter": counter, "key": self._key},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }


def plays_of(deal: Deal) -> list[int]:
    """Returns the plays of a deal as bytes of the kernel."""
    return [int(play) if isinstance(play, Card) else REVEAL_CODE for play in deal.plays]


def open_choices(deal: Deal) -> int:
    """Returns what the seat in turn may do, as bits: 13*suit + rank for a card, 63 for `reveal`."""
    return sum(1 << card for card in deal.legal_cards()) | (deal.can_reveal << 63)


