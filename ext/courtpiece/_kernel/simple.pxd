"""The players `random` and `simple`."""

from libc.stdint cimport uint64_t

from courtpiece._kernel.bits cimport (
    ALL_CARDS, LANE, NONE, bit, count, highest, lowest, nth, suit_mask, suit_of,
)
from courtpiece._kernel.deal cimport Deal, strength
from courtpiece._kernel.dice cimport Dice, below16, coin
from courtpiece._kernel.rules cimport Rules

cdef inline int random_card(const Deal *d, const Rules *r, Dice *dice, int seat, uint64_t legal) noexcept nogil:
    """Uniform over the legal cards."""
    cdef unsigned int half = (dice.tricks[d.tricks & 3] >> (16 * d.k)) & 0xFFFF
    return lowest(nth(legal, below16(dice, half, count(legal))))

cdef inline bint random_reveal(const Deal *d, const Rules *r, Dice *dice, int seat) noexcept nogil:
    return coin(dice)

cdef inline int lowest_card(const Deal *d, int seat, uint64_t legal) noexcept nogil:
    """The lowest legal card by rank, trumps above all others, ties from the shorter suit, then in the order of suits."""
    cdef uint64_t hand = d.hands[seat]
    cdef uint64_t others = legal & ~suit_mask(d.trump) if d.trump != NONE else legal
    cdef uint64_t lane
    cdef int suit, rank, length, best = NONE, best_rank = NONE, best_length = NONE
    if not others:
        others = legal
    for suit in range(4):
        lane = others >> (16 * suit) & LANE
        if lane:
            rank = lowest(lane)
            length = count(hand & suit_mask(suit))
            if rank < best_rank or (rank == best_rank and length < best_length):
                best = 16 * suit + rank
                best_rank = rank
                best_length = length
    return best

cdef inline uint64_t above(int card) noexcept nogil:
    """The higher cards of its suit."""
    return suit_mask(suit_of(card)) & ~((bit(card) << 1) - 1)

cdef inline uint64_t unseen_by(const Deal *d, int seat) noexcept nogil:
    """The cards that the seat has not seen: others' hands, and a face-down card unless it laid it itself."""
    cdef uint64_t seen = d.played | d.hands[seat]
    if seat == d.hider and not d.blind:
        seen |= d.face_down
    return ALL_CARDS & ~seen

cdef inline int simple_lead(const Deal *d, int seat, uint64_t legal) noexcept nogil:
    cdef uint64_t unseen = unseen_by(d, seat)
    cdef int i, suit, first = d.trump if d.trump != NONE else 0
    cdef uint64_t own
    for i in range(4):
        # the trump suit first, then the others in order
        suit = first if i == 0 else (i if i > first else i - 1)
        own = legal & suit_mask(suit)
        if own and not (unseen & above(highest(own))):
            return highest(own)
    return lowest_card(d, seat, legal)

cdef inline int simple_card(const Deal *d, const Rules *r, Dice *dice, int seat, uint64_t legal) noexcept nogil:
    """The yardstick: tops when leading; following, wins as cheaply as its seat asks, or throws the lowest card."""
    cdef uint64_t own, winning
    cdef int top
    if d.k == 0:
        return simple_lead(d, seat, legal)
    if (d.winner ^ seat) & 1:
        own = legal & suit_mask(d.led)
        if own:
            if d.best < 32:                             # nobody has ruffed
                if d.k < 3:
                    top = highest(own)
                    if strength(top, d.led, d.trump) > d.best:
                        return top
                else:
                    winning = own & above(d.winning_card)
                    if winning:
                        return lowest(winning)
        elif d.trump != NONE:
            winning = legal & suit_mask(d.trump)
            if d.best >= 32:
                winning &= above(d.winning_card)
            if winning:
                return lowest(winning)
    return lowest_card(d, seat, legal)

cdef inline bint simple_reveal(const Deal *d, const Rules *r, Dice *dice, int seat) noexcept nogil:
    """Never asks for a reveal it need not."""
    return False
