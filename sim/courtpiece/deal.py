"""One deal of Court Piece, in plain Python: the rules to read, and the reference for faster engines.

Rule numbers such as S0.57 and A30 refer to the rule book (`courtpiece rules --book`).  Seats are numbered
in order of play: eldest is 0, his partner 2, the dealer 3.  Side 0 is the caller's side, always eldest's
team (S0.66, A4, A41), side 1 the defenders; a seat's side is `seat % 2`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from courtpiece.cards import RANKS, TENS, Card, Suit
from courtpiece.errors import CardError, RecordError
from courtpiece.rules import (
    BlockedRun,
    Collection,
    DealEnds,
    Direction,
    Extra,
    FailedClaim,
    FirstLead,
    Kot,
    Objective,
    Outcome,
    PileBlock,
    Redeal,
    Reveal,
    RevealScope,
    RuleSet,
    Trump,
    Uncalled,
)

if TYPE_CHECKING:
    import numpy as np

    from courtpiece.match import Match
    from courtpiece.view import View

Phase = Literal["call", "play", "over"]

ELDEST, PARTNER, DEALER = 0, 2, 3
CALLERS, DEFENDERS = 0, 1
FULL_HAND = 13
FIRST_CARDS = 5  # S0.8: five cards, on which trump is called, then four and four
MAJORITY = 7
REVEAL = "reveal"  # the word that stands before a card in `Deal.plays`
ACE = RANKS.index("A")

LETTERS = {Direction.ANTICLOCKWISE: "SENW", Direction.CLOCKWISE: "SWNE"}  # S0.5: the turn goes to the right
SIDES = ("SN", "EW")  # the two teams at the table, in either direction

HIGHEST_FOR_REDEAL = {  # S4.17, B10: the condition is on all five cards
    Redeal.NO_CARD_ABOVE_TEN: RANKS.index("T"),
    Redeal.NO_CARD_ABOVE_NINE: RANKS.index("9"),
}


class Shown(NamedTuple):
    """When the hidden card was turned up: before whose card, and after how many cards of the deal."""

    card: Card
    turn: int
    after: int


class Trick(NamedTuple):
    """A finished trick: who led it, its cards in the order played, and who won it."""

    leader: int
    cards: tuple[Card, ...]
    winner: int

    @property
    def winning_card(self) -> Card:
        """The card that won it."""
        return self.cards[(self.winner - self.leader) % 4]

    def _repr_svg_(self) -> str:
        from courtpiece.notebook import trick_picture

        return trick_picture(self)


def winning_position(cards: Sequence[Card], trump: Suit | None, trump_from: int = 0) -> int:
    """Returns the position, 0 for the leader's, of the card that wins a whole or unfinished trick.

    A card of the trump suit is a trump only from position `trump_from` on: trump counts from the moment
    it is shown, card by card (S0.57, A30).

    >>> from courtpiece.cards import parse_cards
    >>> unasked = parse_cards("9C KH 3H AC")        # 3H was played after hearts were shown
    >>> winning_position(unasked, Suit.H, 2), winning_position(unasked, Suit.H)
    (2, 1)
    """
    best, suit = 0, cards[0].suit
    for position, card in enumerate(cards):
        # S0.17: the highest of the suit led.  When that is the trump suit itself, rank alone decides,
        # on whichever side of the reveal a card was played (A31).
        if card.suit is suit:
            if card > cards[best]:
                best = position
        # S0.17: any trump beats the suit led.  A card of a third suit never wins (S2.17).
        elif card.suit is trump and position >= trump_from:
            best, suit = position, trump
    return best


def deal_out(pack: Sequence[Card]) -> list[list[Card]]:
    """Returns the four hands of a pack, eldest's first: five cards each, then four, then four (S0.8)."""
    hands: list[list[Card]] = [[], [], [], []]
    position = 0
    for batch in (FIRST_CARDS, 4, 4):
        for hand in hands:
            hand += pack[position : position + batch]
            position += batch
    return hands


def swap_first_five(pack: Sequence[Card], generator: np.random.Generator) -> list[Card]:
    """Returns the pack as it is dealt after eldest swapped his first five cards (the extra swap-cards, A11).

    He gets the next five of the undealt pack, and his old five are shuffled back into it, so that
    `deal_out` of the result gives the hands.  The others keep their first five.
    """
    dealt = 4 * FIRST_CARDS
    fresh, stock = pack[dealt : dealt + FIRST_CARDS], [*pack[:FIRST_CARDS], *pack[dealt + FIRST_CARDS :]]
    return [*fresh, *pack[FIRST_CARDS:dealt], *(stock[index] for index in generator.permutation(len(stock)))]


def _suit_of(text: str) -> Suit | None:
    try:
        return Suit.parse(text)
    except CardError:
        return None


class Deal:
    """One deal under one rule set: what may be said and played, and what comes of it.

    `hands` are the four hands in the order dealt, eldest's first: 13 cards each, or fewer for an ending.
    An ending is the last tricks of a deal that nobody remembers: it is numbered up to trick 13, played to
    its last card, and has no outcome.  `dealer`, a seat of the table, only gives the seats their letters.
    `RecordError` with code `bad-deal` tells of hands that cannot be.

    The caller of the methods says and plays; turn-ups that the rules force happen by themselves.  Every
    illegal step raises `RecordError`, with the codes of the deal record, and changes nothing.

    rules        the rule set
    dealt        the four hands as dealt
    hands        the cards each seat can play; a face-down card is not among them
    phase        "call", "play" or "over"
    turn         the seat to speak or play; after the end, who would have led next
    caller       who called or hid trump, eldest when nobody did; None before that, and in first-void
    trump        the trump suit once it counts, or None
    hidden_card  the card that lies face down, until it is shown
    hider        whose card that is or was
    claimer      who claimed all thirteen tricks
    words        what was said in the call
    plays        what was played: cards, with the word "reveal" before the card of one who asked for, or
                 showed, the hidden card of his own will
    tricks       the finished tricks
    trick        the cards of the trick on the table
    leader       who leads, or led, that trick
    pile         how many tricks lie in the pile
    voids        the suits of which each seat has shown that it holds no more; a card turned up later may
                 have come back to its hand all the same
    shown        when the hidden card was turned up, if it was
    taken        tricks collected by each side
    tens         tens in the tricks collected by each side
    outcome      how the deal ended, or None
    winner       the side that won, or None
    """

    __slots__ = (
        "_awaiting_blind",
        "_blind",
        "_changed",
        "_must_trump",
        "_pile_tens",
        "_run",
        "_runner",
        "_trump_from",
        "caller",
        "claimer",
        "dealer",
        "dealt",
        "hands",
        "hidden_card",
        "hider",
        "leader",
        "outcome",
        "phase",
        "pile",
        "plays",
        "rules",
        "shown",
        "taken",
        "tens",
        "trick",
        "tricks",
        "trump",
        "turn",
        "voids",
        "winner",
        "words",
    )

    def __init__(self, rules: RuleSet, hands: Sequence[Sequence[Card]], *, dealer: int = DEALER) -> None:
        self.rules = rules
        self.dealer = dealer
        self.dealt = tuple(tuple(hand) for hand in hands)
        self.hands = [list(hand) for hand in hands]
        self._check_hands()
        self.phase: Phase = "call"
        self.turn = ELDEST  # S0.7: the player on the dealer's right chooses
        self.caller: int | None = None
        self.trump: Suit | None = None
        self.hidden_card: Card | None = None
        self.hider: int | None = None
        self.claimer: int | None = None
        self.words: list[str] = []
        self.plays: list[Card | str] = []
        self.tricks: list[Trick] = []
        self.trick: list[Card] = []
        self.leader = ELDEST
        self.pile = 0
        self.taken = [0, 0]
        self.tens = [0, 0]
        self.voids: list[frozenset[Suit]] = [frozenset()] * 4
        self.shown: Shown | None = None
        self.outcome: Outcome | None = None
        self.winner: int | None = None
        self._awaiting_blind = False  # the last chooser's time is up; the blind card comes next
        self._blind = False  # nobody called
        self._changed = False  # the extra change-trump has been used
        self._must_trump = False  # whose turn it is owes a trump, having asked for it or shown it
        self._trump_from = 0  # the position in this trick from which trumps count
        self._runner: int | None = None  # who won the last trick
        self._run = 0  # how many in a row since the last pick-up
        self._pile_tens = 0
        if rules.trump is Trump.FIRST_VOID:  # S0.63: nobody calls
            self._begin_play()

    def _check_hands(self) -> None:
        sizes = [len(hand) for hand in self.dealt]
        if len(sizes) != 4 or len(set(sizes)) > 1 or not 1 <= sizes[0] <= FULL_HAND:
            raise RecordError("bad-deal", f"the hands hold {sizes} cards, not 13 a seat")
        owner: dict[Card, int] = {}
        for seat, hand in enumerate(self.dealt):
            for card in hand:
                if card in owner:
                    first, second = self.name(owner[card]), self.name(seat)
                    whom = f"twice to {first}" if first == second else f"to {first} and to {second}"
                    raise RecordError("bad-deal", f"{card} is dealt {whom}", seat=second, card=card)
                owner[card] = seat

    def __repr__(self) -> str:
        return f"<Deal {self.phase}, trick {self.trick_number}, {self.name(self.turn)} to act, {self.rules}>"

    def _repr_svg_(self) -> str:
        from courtpiece.notebook import deal_picture

        return deal_picture(self)

    def copy(self) -> Deal:
        """Returns an independent deal in the same state."""
        twin = object.__new__(Deal)
        for attribute in Deal.__slots__:
            value = getattr(self, attribute)
            setattr(twin, attribute, value.copy() if isinstance(value, list) else value)
        twin.hands = [hand.copy() for hand in self.hands]
        return twin

    # Names

    def name(self, seat: int) -> str:
        """Returns the letter of a seat at the table."""
        return LETTERS[self.rules.direction][(self.dealer + 1 + seat) % 4]

    def side_name(self, side: int) -> str:
        """Returns the name of a side at the table, "SN" or "EW"."""
        return SIDES[(self.dealer + 1 + side) % 2]

    @property
    def trick_number(self) -> int:
        """The number, from 1, of the trick on the table; an ending's last trick is the thirteenth."""
        return FULL_HAND - len(self.dealt[ELDEST]) + len(self.tricks) + 1

    def view(self, seat: int, match: Match | None = None) -> View:
        """Returns what `seat` may see of this deal, and of the match of which it is part."""
        from courtpiece.view import View

        return View.of(self, seat, match)

    # The call

    @property
    def awaits_blind(self) -> bool:
        """True when nobody called and the next word is the card that the dealer turns up (S0.14)."""
        return self._awaiting_blind

    def first_five(self, seat: int) -> tuple[Card, ...]:
        """Returns the cards on which `seat` calls (S0.8, S0.9)."""
        return self.dealt[seat][:FIRST_CARDS]

    def legal_words(self) -> list[str]:
        """Returns all words that may be said now, spelt as in the deal record.

        In the call one of them has to be said; before the first card the words that change trump may be.
        """
        if self.phase == "call":
            return self._blind_words() if self._awaiting_blind else self._calling_words()
        return self._changing_words()

    def _calling_words(self) -> list[str]:
        rules, seat = self.rules, self.turn
        if rules.trump is Trump.HIDDEN:
            words = [f"hide {card}" for card in self.first_five(seat)]  # S0.52: one of his first five
        else:
            words = [suit.name for suit in Suit]  # A3: any suit, held among the five or not
        passing = seat == ELDEST and rules.caller_may_pass
        if passing:
            words.append("pass")  # S0.11, S0.13: once, eldest to partner
        # S0.12, S0.14: a time-out passes as well; with nobody after him a blind card decides, if at all.
        if passing or rules.uncalled is not Uncalled.NONE:
            words.append("timeout")
        # S4.17, S4.18: both are eldest's ways out, of his own five and his own last card.
        if seat == ELDEST and rules.thirteenth:
            words.append("thirteenth")
        if seat == ELDEST and rules.redeal is not Redeal.OFF:
            highest = HIGHEST_FOR_REDEAL[rules.redeal]
            if all(card.rank <= highest for card in self.first_five(ELDEST)):
                words.append("redeal")
        return words

    def _blind_words(self) -> list[str]:
        # Nobody called, so eldest's cards decide even when the partner was the last to be asked: the first
        # chooser counts as the caller (S0.61).
        own_five = self.first_five(ELDEST)
        cards: Sequence[Card]
        if self.rules.uncalled is Uncalled.RANDOM_OWN_FIVE:
            cards = own_five  # S0.77
        elif self.rules.trump is Trump.HIDDEN:
            cards = self.dealt[ELDEST][FIRST_CARDS:]  # A8: it counts among the first chooser's thirteen
        else:
            cards = [card for hand in self.dealt for card in hand if card not in own_five]  # A7, A9
        return [f"blind {card}" for card in cards]

    def _changing_words(self) -> list[str]:
        """S0.34: once, after all 13 cards are dealt and before the first card is played."""
        begun = self.phase != "play" or self.tricks or self.trick
        if begun or self._changed or Extra.CHANGE_TRUMP not in self.rules.extras:
            return []
        if self.rules.trump is Trump.HIDDEN:
            if self.hidden_card is None or self.hider is None:
                return []  # already shown
            # S0.60, S0.61, A12: another of his first five; he may do so also when nobody called.
            return [f"change {card}" for card in self.first_five(self.hider) if card is not self.hidden_card]
        if self._blind or self.trump is None:
            return []  # nobody called, so there is no caller to change it
        return [f"change {suit.name}" for suit in Suit if suit is not self.trump]  # A12: any other suit

    def say(self, word: str) -> None:
        """Says one word of the call; cards and suits in it may be spelt in any accepted notation.

        Raises `RecordError`: `bad-call` when it may not be said now, `bad-card` when its card cannot be read.
        """
        word = self._respell(word)
        legal = self.legal_words()
        if word not in legal:
            seat = self.name(self.turn)
            if not legal:
                raise RecordError("bad-call", f'"{word}" may not be said: nothing is to be called now')
            who = "nobody called, and the dealer turns up" if self._awaiting_blind else f"{seat} may say"
            raise RecordError(
                "bad-call", f'"{word}" may not be said here; {who}: {", ".join(legal)}', seat=seat
            )
        self.words.append(word)
        verb, _, what = word.partition(" ")
        if verb == "pass":
            self.turn = PARTNER
        elif verb == "timeout":
            self._time_out()
        elif verb == "redeal":
            self._finish(Outcome.REDEAL, None)
        elif verb == "thirteenth":
            self._call(ELDEST, self.dealt[ELDEST][-1].suit)  # B11: he stays the caller
        elif verb == "hide":
            self._hide(self.turn, Card.parse(what))
        elif verb == "blind":
            self._lay_blind(Card.parse(what))
        elif verb == "change":
            self._change(what)
        else:
            self._call(self.turn, Suit[verb])

    def _respell(self, word: str) -> str:
        """Returns the word with its card or suit spelt as `legal_words` does."""
        verb, _, what = word.strip().partition(" ")
        if not what:
            suit = _suit_of(verb)
            return word if suit is None else suit.name
        if verb not in {"hide", "blind", "change"}:
            return word
        if verb == "change" and (suit := _suit_of(what)) is not None:
            return f"change {suit.name}"
        try:
            return f"{verb} {Card.parse(what)}"
        except CardError as error:
            raise RecordError("bad-card", f'"{word}": {error}', self.name(self.turn), card=what) from None

    def _time_out(self) -> None:
        if self.turn == ELDEST and self.rules.caller_may_pass:
            self.turn = PARTNER  # S0.12
        else:
            self._awaiting_blind = True  # S0.14
            self.turn = DEALER

    def _call(self, caller: int, trump: Suit) -> None:
        self.caller = caller
        self.trump = trump
        self._begin_play()

    def _hide(self, hider: int, card: Card) -> None:
        self.caller = self.hider = hider  # A4: after a pass the partner is the one who hides and reveals
        self.hands[hider].remove(card)  # S0.54
        self.hidden_card = card
        self._begin_play()

    def _lay_blind(self, card: Card) -> None:
        self._awaiting_blind = False
        self._blind = True
        if self.rules.trump is Trump.HIDDEN:
            self._hide(ELDEST, card)  # S0.58, S0.61, A8, A10
        else:
            self._call(ELDEST, card.suit)  # S0.14, A9: the card itself is dealt on as any other

    def _change(self, what: str) -> None:
        self._changed = True
        if self.hider is None:
            self.trump = Suit[what]
            return
        hand = self.hands[self.hider]
        if self.hidden_card is not None:
            hand.append(self.hidden_card)  # S0.60, S0.61: the old card comes into his hand
        self.hidden_card = Card.parse(what)
        hand.remove(self.hidden_card)

    def claim(self, seat: int) -> None:
        """Claims all thirteen tricks for the side of `seat`, his hand laid open (S4.32, B17).

        Raises `RecordError` with code `bad-claim` where no claim can be made.
        """
        name = self.name(seat)
        if not self.rules.claim:
            raise RecordError("bad-claim", f"{name} claims, but these rules know no claim", seat=name)
        if self.phase != "play" or self.tricks or self.trick:
            raise RecordError(
                "bad-claim", f"{name} can claim only after the call and before the first card", seat=name
            )
        if self.claimer is not None:
            raise RecordError("bad-claim", f"{self.name(self.claimer)} has already claimed", seat=name)
        self.claimer = seat

    # The play

    def _begin_play(self) -> None:
        self.phase = "play"
        # A5, B14.  In first-void nobody calls and eldest leads (S0.63); so he does when nobody called.
        called = self.caller is not None and self.rules.first_lead is FirstLead.CALLER
        self.turn = self.leader = self.caller if called and self.caller is not None else ELDEST
        self._turn_up_if_due()

    def _is_void(self, seat: int) -> bool:
        """True when `seat` has no card of the suit led; a card lying face down does not count (A32)."""
        led = self.trick[0].suit
        return all(card.suit is not led for card in self.hands[seat])

    def legal_cards(self) -> list[Card]:
        """Returns the cards that the seat in turn may play, reveal made or not; [] outside the play."""
        if self.phase != "play":
            return []
        hand = self.hands[self.turn]
        if self.trick:
            led = self.trick[0].suit
            # S0.15.  A shown card that came back to the hand must follow as well (A32, A33).
            if following := [card for card in hand if card.suit is led]:
                return following
        # S0.16: trumping is never compulsory but for who asked for trump, or was the first void in band
        # (S0.55, S0.80, S0.100, A38), and for who showed it when leading (S0.56, S0.81).
        if self._must_trump and (trumps := [card for card in hand if card.suit is self.trump]):
            return trumps
        return hand.copy()

    @property
    def can_reveal(self) -> bool:
        """True when the seat in turn may ask for the hidden card, or show it."""
        if self.phase != "play" or self.hidden_card is None:
            return False
        if not self.trick:
            return self.turn == self.hider and self.rules.reveal_on_lead  # S0.56, S0.81
        # S0.55, A35, A36: anyone without the suit led may, the hider too; nobody has to.  At the first
        # void it is turned up before anyone can ask (S0.79), so there is nothing left to ask for.
        return self.rules.reveal is Reveal.ON_REQUEST and self._is_void(self.turn)

    def reveal(self) -> None:
        """Asks for the hidden card, or shows it, before the card of the seat in turn.

        Raises `RecordError`: `deal-over` after the end, `bad-reveal` where it may not be asked.
        """
        if not self.can_reveal:
            raise self._reveal_error()
        self.plays.append(REVEAL)
        self._turn_up()

    def _turn_up(self) -> None:
        if self.hidden_card is None or self.hider is None:
            return
        self.hands[self.hider].append(self.hidden_card)  # A34
        self.trump = self.hidden_card.suit  # S0.53
        self.shown = Shown(self.hidden_card, self.turn, 4 * len(self.tricks) + len(self.trick))
        self.hidden_card = None
        whole_trick = self.rules.reveal_scope is RevealScope.WHOLE_TRICK
        self._trump_from = 0 if whole_trick else len(self.trick)  # S0.57, A30
        self._must_trump = self.rules.revealer_must_trump or not self.trick

    def _turn_up_if_due(self) -> None:
        """Turns the hidden card up where the rules do so unasked, as the turn comes to a player."""
        if self.hidden_card is None:
            return
        first_void = self.rules.reveal is Reveal.AT_FIRST_VOID and self.trick and self._is_void(self.turn)
        last_card = self.turn == self.hider and not self.hands[self.turn]
        # S0.79, A48: before the first player plays who lacks the suit led, be it the hider himself.
        # A37: at the hider's own turn when he has no other card; led, it is a trump lead.
        if first_void or last_card:
            self._turn_up()

    def play(self, card: Card) -> None:
        """Plays a card for the seat in turn.

        Raises `RecordError` with the first that applies of `deal-over`, `not-in-hand`, `hidden-card`,
        `must-follow`, `must-trump`; before the call is complete, with `bad-call`.
        """
        if card not in self.legal_cards():
            raise self._play_error(card)
        self._note_void(card)
        self.plays.append(card)
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        self._must_trump = False  # A38: owed by him alone, in this trick alone
        sets_trump = self.trump is None and self.rules.trump is Trump.FIRST_VOID
        if sets_trump and card.suit is not self.trick[0].suit:
            self.trump = card.suit  # S0.64, S0.74; it counts at once (S0.65, S0.75, A39)
        if len(self.trick) < 4:
            self.turn = (self.turn + 1) % 4
        else:
            self._finish_trick()
        if self.phase == "play":
            self._turn_up_if_due()

    def _note_void(self, card: Card) -> None:
        """Notes what the card of the seat in turn tells of the suits that it does not hold."""
        if not self.trick or card.suit is self.trick[0].suit:
            return
        lacks = {self.trick[0].suit}
        if self._must_trump and self.trump is not None and card.suit is not self.trump:
            lacks.add(self.trump)  # S0.55, S0.80: he owed one
        self.voids[self.turn] |= lacks

    def _finish_trick(self) -> None:
        position = winning_position(self.trick, self.trump, self._trump_from)
        winner = (self.leader + position) % 4
        number = self.trick_number
        trick = Trick(self.leader, tuple(self.trick), winner)
        self.tricks.append(trick)
        self.trick = []
        self._trump_from = 0
        self.turn = self.leader = winner  # S0.18
        self.pile += 1
        self._pile_tens += sum(card in TENS for card in trick.cards)
        if self.rules.collection is Collection.EACH_TRICK or self._picks_up(number, trick):
            self.taken[winner % 2] += self.pile
            self.tens[winner % 2] += self._pile_tens
            self.pile = self._pile_tens = 0
        self._end_if_over()

    def _picks_up(self, number: int, trick: Trick) -> bool:
        """Counts the run of tricks won by one player, and tells whether it earns him the pile now."""
        # S0.42, A21: one and the same player; his partner's win breaks the run as anyone's does.
        self._run = self._run + 1 if trick.winner == self._runner else 1
        self._runner = trick.winner
        if number == FULL_HAND:
            return True  # S0.45; no house rule touches it (A24)
        if self._run < 2:
            return False
        if self._is_blocked(number, trick):
            # A22: only the pick-up is refused, so the next win makes a pair with this one.
            if self.rules.blocked_run is BlockedRun.RESTARTS:
                self._run = 0
            return False
        self._run = 0  # S0.43, A20: this trick is not the first of a new pair
        return True

    def _is_blocked(self, number: int, trick: Trick) -> bool:
        blocks = self.rules.pile_blocks
        if number in blocks:
            return True  # S0.50, A25: refused on the trick that would complete the pair
        card = trick.winning_card
        if card.rank != ACE:
            return False
        if PileBlock.TRUMP_ACE in blocks and card.suit is self.trump:
            return True  # S0.49: the second of the two wins
        # S0.48, A23: both winning cards are aces, of any suit, led or not.
        return PileBlock.ACE_ON_ACE in blocks and self.tricks[-2].winning_card.rank == ACE

    # The end

    def _end_if_over(self) -> None:
        size = len(self.dealt[ELDEST])
        if size < FULL_HAND:
            if len(self.tricks) == size:
                self.phase = "over"  # an ending, which has no outcome
        elif self._claim_is_lost():
            # B18: the other side wins plainly with its first trick.  In a pile game a trick is taken when
            # it is picked up (A29).  The outcome names the side whatever the objective.
            side = 1 - self._claiming_side()
            self._finish(Outcome.CALLER_WIN if side == CALLERS else Outcome.DEFENDER_WIN, side)
        elif self._is_over():
            self._finish(*self._result())

    def _claiming_side(self) -> int:
        return CALLERS if self.claimer is None else self.claimer % 2

    def _claim_is_lost(self) -> bool:
        if self.claimer is None or self.rules.failed_claim is not FailedClaim.DEAL_LOST:
            return False
        return self.taken[1 - self._claiming_side()] > 0

    def _is_over(self) -> bool:
        if len(self.tricks) == FULL_HAND:
            return True
        if self.rules.deal_ends is DealEnds.AFTER_THIRTEEN:
            return False
        if max(self.taken) < MAJORITY:
            return False  # S0.37, S0.46
        # A28, B13: against a shut-out side play goes on, until it has a trick or all are played.
        return self.rules.deal_ends is DealEnds.AT_SEVEN or min(self.taken) > 0

    def _result(self) -> tuple[Outcome, int]:
        """Returns the outcome of a deal that is over, and the side that won it."""
        if self.claimer is not None and self.taken[self._claiming_side()] == FULL_HAND:
            return Outcome.CLAIM_MADE, self._claiming_side()  # S4.32, B17: instead of the kot
        if self.rules.objective is Objective.TENS:
            return self._tens_result()
        side = CALLERS if self.taken[CALLERS] >= MAJORITY else DEFENDERS
        if self._is_kot(side):
            return (Outcome.CALLER_KOT, Outcome.DEFENDER_KOT)[side], side
        return (Outcome.CALLER_WIN, Outcome.DEFENDER_WIN)[side], side

    def _is_kot(self, side: int) -> bool:
        if self.rules.kot is Kot.FIRST_SEVEN:
            # S0.38; where play goes on after them, the later tricks do not undo it.
            return all(trick.winner % 2 == side for trick in self.tricks[:MAJORITY])
        return self.rules.kot is Kot.ALL_THIRTEEN and self.taken[side] == FULL_HAND  # S0.47, S4.27, A29

    def _tens_result(self) -> tuple[Outcome, int]:
        for side in (CALLERS, DEFENDERS):
            if self.taken[side] == FULL_HAND:
                return Outcome.WHITEWASH, side  # S0.88, A44: the highest row only
            if self.tens[side] == 4:
                return Outcome.FOUR_TENS, side  # S0.87, A45
            if self.tens[side] == 3:
                return Outcome.THREE_TENS, side  # S0.86, A45
        side = CALLERS if self.taken[CALLERS] >= MAJORITY else DEFENDERS
        return Outcome.TWO_TENS, side  # S0.73, A42, A46

    def _finish(self, outcome: Outcome, winner: int | None) -> None:
        self.phase = "over"
        self.outcome = outcome
        self.winner = winner

    @property
    def claim_failed(self) -> bool:
        """True when the deal is over and a claim was made in it that did not come true."""
        return self.claimer is not None and self.outcome not in {None, Outcome.CLAIM_MADE}

    @property
    def points(self) -> tuple[int, int]:
        """The points of this deal by side, without streaks; (0, 0) until it is over."""
        return self._by_side(self.rules.score_of)

    @property
    def kots(self) -> tuple[int, int]:
        """The kots of this deal by side, without streaks; (0, 0) until it is over."""
        return self._by_side(self.rules.kots_of)

    def _by_side(self, worth: Callable[[Outcome, bool], int]) -> tuple[int, int]:
        if self.outcome is None or self.winner is None:
            return 0, 0
        won = worth(self.outcome, self.winner == CALLERS)
        return (won, 0) if self.winner == CALLERS else (0, won)

    # What went wrong

    def _error(self, code: str, text: str, card: Card | str) -> RecordError:
        number = self.trick_number
        return RecordError(code, f"trick {number}: {text}", self.name(self.turn), number, card)

    def _over_error(self, card: Card | str) -> RecordError:
        ended = f"after trick {self.trick_number - 1}" if self.tricks else "before the first card"
        return self._error("deal-over", f"the deal ended {ended}, {card} comes too late", card)

    def _play_error(self, card: Card) -> RecordError:
        """Returns the error of a card that may not be played: the first rule it breaks."""
        if self.phase == "over":
            return self._over_error(card)
        name = self.name(self.turn)
        if self.phase == "call":
            return RecordError("bad-call", f"{name} has to call before the first card", name, card=card)
        hand = self.hands[self.turn]
        if card not in hand:
            if card is self.hidden_card and self.turn == self.hider:
                return self._error("hidden-card", f"{name} cannot play {card}, which lies face down", card)
            return self._error("not-in-hand", f"{name} does not hold {card}", card)
        held = ", ".join(map(str, self.legal_cards()))
        if self.trick and self.trick[0].suit is not card.suit and not self._is_void(self.turn):
            duty = f"must follow {self.trick[0].suit.word}"
            return self._error("must-follow", f"{name} holds {held} and {duty}, played {card}", card)
        duty = "must play a trump as the hidden card is shown"
        return self._error("must-trump", f"{name} holds {held} and {duty}, played {card}", card)

    def _reveal_error(self) -> RecordError:
        if self.phase == "over":
            return self._over_error(REVEAL)
        name = self.name(self.turn)
        if self.rules.trump is not Trump.HIDDEN:
            text = "there is no hidden trump in these rules"
        elif self.phase == "call":
            text = "no card lies face down yet"
        elif self.hidden_card is None:
            text = "the hidden card has been shown"
        elif not self.trick:
            can = "only the player who hid the card can show it when leading"
            text = can if self.rules.reveal_on_lead else "the hidden card cannot be shown on a lead"
        elif self.rules.reveal is Reveal.AT_FIRST_VOID:
            text = "the hidden card is turned up by itself at the first void"
        else:
            text = f"{name} holds {self.trick[0].suit.word}, the suit led, and cannot ask for the hidden card"
        return self._error("bad-reveal", text, REVEAL)
