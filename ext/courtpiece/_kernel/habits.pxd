"""Habits: `greedy` with the signals of S4.37-S4.41, or without the counting of S4.42-S4.45.

A signal is a card that all see, so what is kept of a deal is the same for all four seats; who sends, who reads the partner and
who understands the other side is a matter of each seat's habits.  A suit is *weak* in a hand that has neither its ace nor its
king.  Signals are of suits other than trump.

S4.37 weak     The first lead of a suit, below the king, says that the leader is weak in it.  A sender leads another suit as long
               as `greedy` has one to lead for which that is true.
S4.38 top      The leader's partner, third to play and weak as well, plays his highest card if it is to win; leading next, he
               leads the suit again.  That says: weak, and nothing above that card.
S4.39 middle   The leader's partner, third to play and not weak, takes with the queen or the jack if one of them wins so far.
               Leading something else next, he says: I have the ace or the king.
S4.40 switch   Having won such a trick, with the ace or king of the suit still in hand, he leads a new suit in which he is weak.
               That says so, and that he needs help there.
S4.41 low      While the partner is winning the trick: the lowest card of the suit.

A reader takes the cards that neither opponent can have for cards that are out of the way when he leads (37, 38, 40), and those
that his partner cannot have for cards that will not win the trick when he is second to play and may ruff (37, 38, 40).  Where
`greedy` would lead a low card, he leads one to the suit in which his partner is strong (39), or a master of the suit in which
his partner needs help (40).  Who understands the other side does the same with what it says, and leads no low card to its
strength.
"""

from libc.stdint cimport uint8_t, uint64_t

from courtpiece._kernel.bits cimport ACE, NONE, bit, highest, lowest, rank_of, suit_mask, suit_of
from courtpiece._kernel.deal cimport Deal
from courtpiece._kernel.greedy cimport LEAVE_PARTNER, greedy_play, trump_lane
from courtpiece._kernel.rules cimport Rules
from courtpiece._kernel.simple cimport above, unseen_by

cdef enum Signal:
    WEAK = 1 << 0               # S4.37
    TOP = 1 << 1                # S4.38
    MIDDLE = 1 << 2             # S4.39
    SWITCH = 1 << 3             # S4.40
    LOW = 1 << 4                # S4.41
    WASTE = 1 << 5              # the opposite of S4.41: `greedy` without the idea LEAVE_PARTNER
    FORGET_TRUMPS = 1 << 6      # knows the trumps of this trick and the last one only (against S4.42, S4.43)
    FORGET_VOIDS = 1 << 7       # does not remember who has shown to hold no trumps (against S4.44)

cdef enum:
    JACK = 9
    QUEEN = 10
    KING = 11

cdef struct Habit:
    uint8_t does                # what the seat sends, and forgets
    uint8_t reads               # what it reads of its partner
    uint8_t watches             # what it understands of the other side

# What the cards played have told, whoever means it.
cdef struct Memory:
    uint64_t last               # the cards of the last trick
    uint64_t beneath[4]         # by seat: cards that he lacks as he led his partner's suit again (S4.38)
    uint8_t weak[4]             # suits that the seat led first with a card below the king (S4.37)
    uint8_t strong[4]           # suits in which it took its partner's first lead with queen or jack and then left it (S4.39)
    uint8_t asks[4]             # suits that it led first right after that (S4.40)
    uint8_t opened              # suits that have been led
    bint first_low              # the trick under way began with a first lead below the king, not of trumps
    uint8_t answering           # who has won his partner's first low lead and leads now, else NONE
    uint8_t answered            # the card with which he did

cdef inline void forget_all(Memory *m) noexcept nogil:
    m.last = 0
    m.beneath[0] = m.beneath[1] = m.beneath[2] = m.beneath[3] = 0
    m.weak[0] = m.weak[1] = m.weak[2] = m.weak[3] = 0
    m.strong[0] = m.strong[1] = m.strong[2] = m.strong[3] = 0
    m.asks[0] = m.asks[1] = m.asks[2] = m.asks[3] = 0
    m.opened = 0
    m.first_low = False
    m.answering = NONE
    m.answered = NONE

cdef inline void note_lead(Memory *m, const Deal *d, int card) noexcept nogil:
    """A card that is led, told before it is put on the table."""
    cdef int seat = d.leader, suit = suit_of(card), before
    cdef bint side = suit != d.trump
    m.first_low = side and not m.opened >> suit & 1 and rank_of(card) < KING
    if m.answering == seat:
        before = suit_of(m.answered)
        if suit == before:
            m.beneath[seat] |= above(m.answered)
        elif side:
            if rank_of(m.answered) == QUEEN or rank_of(m.answered) == JACK:
                m.strong[seat] |= 1 << before
            if m.first_low:
                m.asks[seat] |= 1 << suit
    if m.first_low:
        m.weak[seat] |= 1 << suit
    m.opened |= 1 << suit

cdef inline void note_trick(Memory *m, const Deal *d, int leader) noexcept nogil:
    """A trick that is complete; its winner is told in the deal, its leader is not any more."""
    m.last = bit(d.table[0]) | bit(d.table[1]) | bit(d.table[2]) | bit(d.table[3])
    m.answering = NONE
    if m.first_low and d.winner == (leader ^ 2) and suit_of(d.winning_card) == d.led:
        m.answering = d.winner
        m.answered = d.winning_card

cdef inline uint64_t honours(int suits) noexcept nogil:
    """The aces and kings of a set of suits."""
    cdef uint64_t cards = 0
    cdef int suit
    for suit in range(4):
        if suits >> suit & 1:
            cards |= bit(16 * suit + ACE) | bit(16 * suit + KING)
    return cards

cdef inline uint64_t lacked(const Memory *m, int seat, int heard) noexcept nogil:
    """The cards that a seat has said it lacks, by the signals heard."""
    cdef uint64_t cards = 0
    if heard & WEAK:
        cards |= honours(m.weak[seat])
    if heard & TOP:
        cards |= m.beneath[seat]
    if heard & SWITCH:
        cards |= honours(m.asks[seat])
    return cards

cdef inline void recall(Deal *d, const Memory *m, const Habit *h) noexcept nogil:
    """Take from a copy of the deal what the seat forgets of it."""
    cdef uint64_t kept = m.last
    cdef int i
    if d.trump == NONE:
        return
    if h.does & FORGET_TRUMPS:
        for i in range(d.k):
            kept |= bit(d.table[i])
        d.played &= ~trump_lane(d) | kept
    if h.does & FORGET_VOIDS:
        for i in range(4):
            d.voids[i] &= ~(1 << d.trump)

cdef inline bint is_low(const Deal *d, int seat, int card) noexcept nogil:
    """Whether a lead is of another suit than trump and may be beaten in it."""
    return suit_of(card) != d.trump and (unseen_by(d, seat) & above(card)) != 0

cdef inline bint misleads(const Memory *m, const Deal *d, int seat, int card) noexcept nogil:
    """Whether a lead would say that the seat is weak in a suit in which it is not."""
    cdef int suit = suit_of(card)
    return (
        suit != d.trump and not m.opened >> suit & 1 and rank_of(card) < KING
        and (d.hands[seat] & honours(1 << suit)) != 0
    )

cdef inline uint64_t new_weak_suits(const Memory *m, const Deal *d, int seat, uint64_t legal) noexcept nogil:
    """The cards of suits that nobody has led and in which the seat is weak."""
    cdef uint64_t cards = 0, own
    cdef int suit
    for suit in range(4):
        own = d.hands[seat] & suit_mask(suit)
        if suit != d.trump and not m.opened >> suit & 1 and not own & honours(1 << suit):
            cards |= legal & suit_mask(suit)
    return cards

cdef inline int signal_lead(const Memory *m, const Deal *d, const Rules *r, int seat, uint64_t legal, const Habit *h) noexcept nogil:
    """A lead, as `greedy` chooses among those that tell no lie, and for what the others have said."""
    cdef uint64_t among, rest, own
    cdef int mate = seat ^ 2, suit, card, first, theirs
    if m.answering == seat:
        suit = suit_of(m.answered)
        own = legal & suit_mask(suit)
        if own & honours(1 << suit):
            among = new_weak_suits(m, d, seat, legal)
            if h.does & SWITCH and among:
                return greedy_play(d, r, seat, among, 0)
        elif h.does & TOP and own and rank_of(m.answered) < KING:
            return lowest(own)
    among = legal
    card = first = greedy_play(d, r, seat, among, 0)
    if h.does & WEAK:
        while misleads(m, d, seat, card):
            among &= ~suit_mask(suit_of(card))
            if not among:
                card = first
                break
            card = greedy_play(d, r, seat, among, 0)
    if not is_low(d, seat, card):
        return card
    for suit in range(4):
        own = legal & suit_mask(suit)
        if h.reads & SWITCH and m.asks[mate] >> suit & 1 and own and not is_low(d, seat, highest(own)):
            return highest(own)
    for suit in range(4):
        own = legal & suit_mask(suit)
        if h.reads & MIDDLE and m.strong[mate] >> suit & 1 and own and unseen_by(d, seat) & honours(1 << suit):
            return lowest(own)
    if h.watches & MIDDLE:
        theirs = m.strong[(seat + 1) & 3] | m.strong[(seat + 3) & 3]
        rest = among
        for suit in range(4):
            if theirs >> suit & 1:
                rest &= ~suit_mask(suit)
        if rest and theirs >> suit_of(card) & 1:
            return greedy_play(d, r, seat, rest, 0)
    return card

cdef inline int signal_follow(const Memory *m, const Deal *d, const Rules *r, int seat, uint64_t legal, const Habit *h) noexcept nogil:
    """A card of the suit led, or another when void."""
    cdef uint64_t own = legal & suit_mask(d.led), winning, middle
    cdef bint mates = not (d.winner ^ seat) & 1
    if own and d.best < 32 and d.k == 2 and m.first_low:
        winning = own & above(d.winning_card)
        if own & honours(1 << d.led):
            middle = winning & (bit(16 * d.led + QUEEN) | bit(16 * d.led + JACK))
            if h.does & MIDDLE and middle:
                return highest(middle)
        elif h.does & TOP and winning:
            return highest(winning)
    if own and mates and h.does & LOW:
        return lowest(own)
    return greedy_play(d, r, seat, legal, LEAVE_PARTNER if h.does & WASTE else 0)

cdef inline int habit_card(const Memory *m, const Deal *deal, const Rules *r, int seat, uint64_t legal, const Habit *h) noexcept nogil:
    """What `greedy` plays with these habits."""
    cdef Deal d
    cdef int mate = seat ^ 2
    cdef uint64_t gone = 0
    if not legal & (legal - 1):
        return lowest(legal)
    d = deal[0]
    recall(&d, m, h)
    if d.k == 0:
        gone = lacked(m, (seat + 1) & 3, h.watches) & lacked(m, (seat + 3) & 3, h.watches)
    elif d.k == 1 and not legal & suit_mask(d.led):
        gone = lacked(m, mate, h.reads) & suit_mask(d.led)
    d.played |= gone & ~d.hands[seat]
    if d.k == 0:
        return signal_lead(m, &d, r, seat, legal, h)
    return signal_follow(m, &d, r, seat, legal, h)
