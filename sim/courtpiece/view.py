"""What one seat may see of a deal: all that a player decides on, and nothing that is hidden from him."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from courtpiece.cards import SYMBOLS, Card, Suit, format_cards
from courtpiece.deal import DEALER, ELDEST, FIRST_CARDS, PARTNER, Deal, Phase, Shown, Trick
from courtpiece.rules import Outcome, RuleSet, Trump, Uncalled, name_of

if TYPE_CHECKING:
    from courtpiece.match import Match

Cards = frozenset[Card]
_NO_CARDS: Cards = frozenset()


class Said(NamedTuple):
    """A word of the call as a seat hears it: a card that only its owner knows is not in it."""

    seat: int                           # the dealer says the blind card
    word: str


class Played(NamedTuple):
    """A card on the table, who played it, and in which trick, from 1."""

    seat: int
    card: Card
    trick: int


@dataclass(frozen=True, kw_only=True)
class View:
    """A deal as one seat sees it.  Seats are numbered from eldest, side 0 is the caller's.

    rules         the rule set
    seat          whose view this is
    dealer        the dealer's seat at the table, which gives the seats their letters
    phase         "call", "play" or "over"
    turn          the seat to speak or play
    pack          the cards of the deal: all 52, fewer in an ending
    dealt         its cards in the order dealt: five before the call is over; without a face-down card of
                  its own that it has not seen (S0.58)
    hand          those that it can play now
    sizes         how many cards each seat can play; before the call is over, how many it holds
    words         what was said, as this seat hears it
    tricks        the finished tricks
    trick         the cards of the trick on the table
    leader        who leads, or led, that trick
    voids         for each seat, the suits of which it has shown to hold no card but those in `known`
    known         for each seat, the cards of which this seat knows that they are in that hand
    turned_up     the card that the dealer turned up as nobody called, wherever it was dealt then (A9)
    thirteenth    eldest's last card, which all have seen if he let it decide (B11)
    trump         the trump suit once it counts, or None
    caller        who called or hid trump, eldest when nobody did
    hider         whose card lies, or lay, face down
    face_down     True while a card lies face down
    hidden_card   that card, if this seat knows it; at the end of the deal everybody does (S0.59)
    shown         when it was turned up, if it was
    must_trump    True when this seat is in turn and owes a trump
    claimer       who claimed all thirteen tricks
    taken         tricks collected by each side
    tens          tens in the tricks collected by each side
    pile          how many tricks lie in the pile
    runner        who won the last trick, while that win can pair with the next; None without a pile
    run           how many in a row he has won since the last pick-up
    legal_words   what this seat may say now: in the call it has to, and before the first card it may
    legal_cards   the cards that it may play now, in the order dealt
    may_reveal    True when it may ask for the hidden card, or show it, before its card
    score         what each side of this deal has in the match
    streaks       how many deals each side has won in a row
    outcome       how the deal ended, or None
    winner        the side that won it, or None
    """

    rules: RuleSet
    seat: int
    dealer: int
    phase: Phase
    turn: int
    pack: Cards
    dealt: tuple[Card, ...]
    hand: tuple[Card, ...]
    sizes: tuple[int, ...]
    words: tuple[Said, ...]
    tricks: tuple[Trick, ...]
    trick: tuple[Card, ...]
    leader: int
    voids: tuple[frozenset[Suit], ...]
    known: tuple[Cards, ...]
    turned_up: Card | None
    thirteenth: Card | None
    trump: Suit | None
    caller: int | None
    hider: int | None
    face_down: bool
    hidden_card: Card | None
    shown: Shown | None
    must_trump: bool
    claimer: int | None
    taken: tuple[int, int]
    tens: tuple[int, int]
    pile: int
    runner: int | None
    run: int
    legal_words: tuple[str, ...]
    legal_cards: tuple[Card, ...]
    may_reveal: bool
    score: tuple[int, int]
    streaks: tuple[int, int]
    outcome: Outcome | None
    winner: int | None
    names: tuple[str, ...]              # the letters of the seats at the table

    @classmethod
    def of(cls, deal: Deal, seat: int, match: Match | None = None) -> View:
        """Returns what `seat` may see of a deal, and of the match of which it is part."""
        rules, phase = deal.rules, deal.phase
        all_dealt = phase != "call" and deal.outcome is not Outcome.REDEAL
        knows = _knows_hidden_card(deal, seat)
        dealt = deal.dealt[seat] if all_dealt else deal.dealt[seat][:FIRST_CARDS]
        if all_dealt and seat == deal.hider and not knows:
            dealt = tuple(card for card in dealt if card is not deal.hidden_card)
        held = set(deal.hands[seat])
        hand = tuple(card for card in dealt if card in held)
        sizes = tuple(map(len, deal.hands if all_dealt else [dealt] * 4))
        in_turn = seat == deal.turn
        legal_cards: tuple[Card, ...] = ()
        if in_turn and phase == "play":
            legal = set(deal.legal_cards())
            legal_cards = tuple(card for card in hand if card in legal)
        score, streaks = _standing(deal, match)
        piled = deal._run > 0 and deal.pile > 0
        return cls(
            rules=rules,
            seat=seat,
            dealer=deal.dealer,
            phase=phase,
            turn=deal.turn,
            pack=frozenset(card for hand in deal.dealt for card in hand),
            dealt=dealt,
            hand=hand,
            sizes=sizes,
            words=tuple(_heard(deal, seat)) if deal.words else (),
            tricks=tuple(deal.tricks),
            trick=tuple(deal.trick),
            leader=deal.leader,
            voids=tuple(deal.voids),
            known=_known(deal, seat, hand) if all_dealt else _own_alone(seat, hand),
            turned_up=_turned_up(deal),
            thirteenth=_thirteenth(deal),
            trump=deal.trump,
            caller=deal.caller,
            hider=deal.hider,
            face_down=deal.hidden_card is not None and phase != "over",
            hidden_card=deal.hidden_card if knows else None,
            shown=deal.shown,
            must_trump=in_turn and deal._must_trump,
            claimer=deal.claimer,
            taken=(deal.taken[0], deal.taken[1]),
            tens=(deal.tens[0], deal.tens[1]),
            pile=deal.pile,
            runner=deal._runner if piled else None,
            run=deal._run if piled else 0,
            legal_words=tuple(_legal_words(deal, seat)),
            legal_cards=legal_cards,
            may_reveal=in_turn and deal.can_reveal,
            score=score,
            streaks=streaks,
            outcome=deal.outcome,
            winner=deal.winner,
            names=tuple(map(deal.name, range(4))),
        )

    @property
    def side(self) -> int:
        """The side of this seat: 0 the caller's, 1 the defenders'."""
        return self.seat % 2

    @property
    def partner(self) -> int:
        """The seat opposite."""
        return (self.seat + 2) % 4

    @property
    def trick_number(self) -> int:
        """The number of the trick on the table, from 1."""
        return len(self.tricks) + 1

    @cached_property
    def plays(self) -> tuple[Played, ...]:
        """The cards played so far, in order."""
        under_way = Trick(self.leader, self.trick, self.leader)
        return tuple(
            Played((trick.leader + place) % 4, card, number)
            for number, trick in enumerate((*self.tricks, under_way), 1)
            for place, card in enumerate(trick.cards)
        )

    @cached_property
    def unseen(self) -> Cards:
        """The cards of which this seat does not know where they are."""
        placed = {play.card for play in self.plays}.union(*self.known)
        if self.hidden_card is not None:
            placed.add(self.hidden_card)
        return self.pack - placed

    def __str__(self) -> str:
        """The view in one line, as a person would tell it."""
        told = [f"{self.names[self.seat]} holds {_cards(self.hand) or 'no cards'}"]
        if self.hidden_card is not None:
            told.append(f"{_card(self.hidden_card)} lies face down")
        elif self.face_down and self.hider is not None:
            told.append(f"a card of {self.names[self.hider]} lies face down")
        if self.trump is not None:
            told.append(f"{self.trump.word} are trump")
        if self.trick:
            seats = [self.names[(self.leader + place) % 4] for place in range(4)]
            table = [f"{seat} {_card(card)}" for seat, card in zip(seats, self.trick, strict=False)]
            told.append(f"on the table {' '.join(table)}")
        if self.phase == "play":
            told.append(f"tricks {self.taken[0]}–{self.taken[1]}")
        return f"{name_of(self.rules)}, {self._moment()}: " + ", ".join(told)

    def _moment(self) -> str:
        return {"call": "the call", "play": f"trick {self.trick_number}", "over": "the end"}[self.phase]


def _card(card: Card) -> str:
    return f"{str(card)[0]}{SYMBOLS[card.suit]}"


def _cards(cards: tuple[Card, ...]) -> str:
    return format_cards(sorted(cards, key=lambda card: (card.suit, -card.rank)))


def _knows_hidden_card(deal: Deal, seat: int) -> bool:
    """True when `seat` knows the card that lies face down, if one does."""
    if deal.phase == "over":
        return True  # S0.59
    if seat != deal.hider:
        return False  # S0.52, S0.78
    # S0.58, S0.60, S0.77: a card of his own five he has seen, the blind one nobody has.
    return not deal._blind or deal._changed or deal.rules.uncalled is Uncalled.RANDOM_OWN_FIVE


def _heard(deal: Deal, seat: int) -> Iterator[Said]:
    """Yields what was said, without the cards that `seat` does not know."""
    speaker = ELDEST
    for word in deal.words:
        verb, _, card = word.partition(" ")
        by = {"blind": DEALER, "change": deal.caller}.get(verb, speaker)
        if by is None:
            by = speaker
        if card and deal.rules.trump is Trump.HIDDEN and not _has_seen(deal, seat, verb):
            word = verb
        yield Said(by, word)
        if verb in ("pass", "timeout") and deal.rules.caller_may_pass:
            speaker = PARTNER


def _has_seen(deal: Deal, seat: int, verb: str) -> bool:
    """True when `seat` saw the card that was laid face down with a word."""
    if seat != deal.hider:
        return False
    return verb != "blind" or deal.rules.uncalled is Uncalled.RANDOM_OWN_FIVE


def _turned_up(deal: Deal) -> Card | None:
    """Returns the card that the dealer turned up to find trump (S0.14)."""
    if not deal._blind or deal.rules.trump is Trump.HIDDEN:
        return None
    return next(Card.parse(word[len("blind ") :]) for word in deal.words if word.startswith("blind "))


def _thirteenth(deal: Deal) -> Card | None:
    """Returns the card that decided trump as eldest's last (B11)."""
    return deal.dealt[ELDEST][-1] if "thirteenth" in deal.words else None


def _own_alone(seat: int, hand: tuple[Card, ...]) -> tuple[Cards, ...]:
    return tuple(frozenset(hand) if other == seat else _NO_CARDS for other in range(4))


def _known(deal: Deal, seat: int, hand: tuple[Card, ...]) -> tuple[Cards, ...]:
    """Returns for each seat the cards of its hand that `seat` knows to be there."""
    known = [_NO_CARDS] * 4
    for owner, card in _laid_open(deal):
        if card in deal.hands[owner]:
            known[owner] |= {card}
    if deal.claimer is not None:
        known[deal.claimer] = frozenset(deal.hands[deal.claimer])  # S4.32
    known[seat] = frozenset(hand)
    return tuple(known)


def _laid_open(deal: Deal) -> Iterator[tuple[int, Card]]:
    """Yields cards that all have seen although they were not played, with their owners."""
    if deal.shown is not None and deal.hider is not None:
        yield deal.hider, deal.shown.card  # A34
    thirteenth = _thirteenth(deal)
    if thirteenth is not None:
        yield ELDEST, thirteenth
    turned_up = _turned_up(deal)
    if turned_up is not None and deal.rules.uncalled is Uncalled.RANDOM_OWN_FIVE:
        yield ELDEST, turned_up  # S0.77


def _legal_words(deal: Deal, seat: int) -> list[str]:
    if deal.phase == "call":
        return deal.legal_words() if seat == deal.turn and not deal.awaits_blind else []
    if seat != deal.caller or deal.tricks or deal.trick:
        return []
    return deal.legal_words()


def _standing(deal: Deal, match: Match | None) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns score and streaks by the sides of the deal."""
    if match is None:
        return (0, 0), (0, 0)
    ours = (deal.dealer + 1) % 2
    return (match.score[ours], match.score[1 - ours]), (match.streaks[ours], match.streaks[1 - ours])
