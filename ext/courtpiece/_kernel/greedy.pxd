"""The player `greedy`: a sound table player that uses public information only."""

from libc.stdint cimport uint32_t, uint64_t

from courtpiece._kernel.bits cimport (
    ALL_CARDS, LANE, NONE, TEN, bit, count, highest, lowest, rank_mask, rank_of, suit_mask, suit_of,
)
from courtpiece._kernel.deal cimport Deal
from courtpiece._kernel.dice cimport Dice
from courtpiece._kernel.rules cimport Rules
from courtpiece._kernel.simple cimport above, unseen_by

cdef inline uint64_t lanes(int suits) noexcept nogil:
    """All cards of a set of suits (bit s: suit s)."""
    return (
        (<uint64_t> (suits & 1) | <uint64_t> (suits & 2) << 15 | <uint64_t> (suits & 4) << 30 | <uint64_t> (suits & 8) << 45)
        * LANE
    )

cdef inline uint64_t shadow(uint64_t cards) noexcept nogil:
    """In each suit the highest of the cards and all below it."""
    cards |= cards >> 1
    cards = (cards | cards >> 2) & ALL_CARDS
    cards |= (cards >> 4) & 0x01FF01FF01FF01FFULL
    return cards | ((cards >> 8) & 0x001F001F001F001FULL)

cdef inline int lead(const Deal *d, const Rules *r, int seat, uint64_t legal, uint64_t unseen) noexcept nogil:
    cdef int left = (seat + 1) & 3, mate = seat ^ 2, right = (seat + 3) & 3
    cdef int foes_void = d.voids[left] & d.voids[right]
    cdef int foe_void = d.voids[left] | d.voids[right]
    cdef uint64_t theirs = unseen & ~lanes(foes_void)
    cdef uint64_t masters = legal & ~shadow(theirs)
    cdef uint64_t trumps = suit_mask(d.trump) if d.trump != NONE else 0
    cdef uint64_t lane, others
    cdef bint foes_trumps = (theirs & trumps) != 0
    cdef bint mates_trumps = (unseen & trumps & ~lanes(d.voids[mate])) != 0
    cdef bint ours = d.caller != NONE and not ((d.caller ^ seat) & 1)
    cdef int suit, top, low, value, best_value = -1000000, best = NONE, own, n
    for suit in range(4):
        lane = suit_mask(suit)
        if not legal & lane:
            continue
        own = count(legal & lane)
        n = count(unseen & lane)
        top = highest(legal & lane)
        low = lowest(legal & lane)
        if suit == d.trump:
            if foes_trumps:
                if masters & bit(top):
                    value = 300 + 100 * ours
                else:
                    value = -50 + 100 * ours - 10 * rank_of(low)
                    top = low
            else:
                value = -100
                top = low
        elif masters & bit(top):
            value = 200 + 10 * n
            if foes_trumps:
                if (foe_void >> suit) & 1:
                    value -= 400
                elif n < 4:
                    value -= 200
        else:
            top = low
            value = -rank_of(low)
            if legal & trumps:
                value -= own * 10
            if foes_trumps and (foe_void >> suit) & 1:
                value -= 100
            if mates_trumps and (d.voids[mate] >> suit) & 1:
                value += 100
        if value > best_value:
            best_value = value
            best = top
    return best

cdef inline int throw(const Deal *d, int seat, uint64_t legal, uint64_t unseen, uint64_t trumps) noexcept nogil:
    """The card that is missed least."""
    cdef uint64_t others = legal & ~trumps
    cdef uint64_t masters, lane
    cdef int suit, value, best = NONE, best_value = 10000
    if not others:
        return lowest(legal)
    masters = others & ~shadow(unseen)
    for suit in range(4):
        lane = others & suit_mask(suit)
        if lane:
            value = 4 * rank_of(lowest(lane)) + count(lane)
            if masters & bit(lowest(lane)):
                value += 100
            if value < best_value:
                best_value = value
                best = lowest(lane)
    return best

cdef inline int greedy_play(const Deal *d, const Rules *r, int seat, uint64_t legal, const uint32_t off) noexcept nogil:
    cdef uint64_t unseen = unseen_by(d, seat)
    cdef uint64_t trumps, own, winning, rivals
    cdef int next_foe = (seat + 1) & 3
    cdef bint mates
    if d.k == 0:
        return lead(d, r, seat, legal, unseen)
    if legal & (legal - 1) == 0:
        return lowest(legal)
    trumps = suit_mask(d.trump) if d.trump != NONE else 0
    mates = not ((d.winner ^ seat) & 1)
    own = legal & suit_mask(d.led)
    if own:
        if d.best >= 32:
            return lowest(own)
        if d.k == 3:
            winning = own & above(d.winning_card)
            if mates or not winning:
                return lowest(own)
            return lowest(winning)
        winning = own & above(d.winning_card)
        if not winning:
            return lowest(own)
        rivals = unseen & suit_mask(d.led)
        if (d.voids[next_foe] >> d.led) & 1:
            rivals = 0
        if mates:
            if not rivals & above(d.winning_card):
                return lowest(own)
            # lowest card equal to the top
            if count(rivals & above(d.winning_card) & ~above(highest(winning))) < 2:
                return lowest(own)
        if rivals & ~above(highest(winning)):
            winning &= above(highest(rivals & ~above(highest(winning))))
        if d.k == 1 and (rivals & above(lowest(winning))):
            return lowest(own)
        return lowest(winning)
    if d.trump == NONE:
        return throw(d, seat, legal, unseen, trumps)
    winning = legal & trumps
    if mates:
        if d.k == 3 or d.best >= 32 or not unseen & above(d.winning_card):
            return throw(d, seat, legal, unseen, trumps)
    if d.best >= 32:
        winning &= above(d.winning_card)
    if winning:
        return lowest(winning)
    return throw(d, seat, legal, unseen, trumps)

cdef inline int greedy_card(const Deal *d, const Rules *r, Dice *dice, int seat, uint64_t legal) noexcept nogil:
    return greedy_play(d, r, seat, legal, 0)

cdef inline bint greedy_reveal(const Deal *d, const Rules *r, Dice *dice, int seat) noexcept nogil:
    if d.k == 0:
        return False
    return bool((d.winner ^ seat) & 1)
