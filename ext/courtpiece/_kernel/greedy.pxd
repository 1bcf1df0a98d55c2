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

cdef extern from *:
    """
    static const signed char LEAD_TRUMP_FOES[14] = {-34, -28, -15, -14, -10, -8, -7, -5, -3, -2, -2, -2, -2, -2};
    static const signed char LEAD_TRUMP_OWN[14] = {0, -7, -4, -4, -3, 4, 8, 20, 20, 20, 20, 20, 20, 20};
    static const signed char LEAD_TRUMP_RANK[13] = {8, 7, 5, 3, 3, 2, 0, -4, -10, -15, -29, -39, 0};
    static const signed char LEAD_MASTER_SAFE[14] = {127, 127, 100, 63, 35, 10, -5, -12, -18, -16, -16, -16, -16, -16};
    static const signed char LEAD_MASTER_RISKY[14] = {25, 17, 16, 12, 7, 1, -5, -11, -12, -16, -16, -16, -16, -16};
    static const signed char LEAD_MASTER_OWN[14] = {0, -10, -2, 3, 12, 11, 11, 11, 11, 11, 11, 11, 11, 11};
    static const signed char LEAD_LOW_RANK[13] = {8, 6, 5, 4, 3, 2, 0, -2, -1, 1, -6, -38, 0};
    static const signed char LEAD_LOW_ABOVE[13] = {-2, -2, 2, 3, 4, 2, 2, 0, -2, -4, -5, -9, -12};
    static const signed char LEAD_LOW_VOIDS[8] = {0, 13, 4, 4, 2, 42, -21, 10};
    static const signed char LEAD_LOW_VOIDS_SAFE[4] = {0, 19, 47, 50};
    static const signed char LEAD_LOW_OWN[4][8] = {{0, -5, -3, 0, 2, 0, 0, 0}, {0, 9, 0, -2, 2, 2, 0, 0}, {0, 10, 0, -2, 2, 4, 2, 2}, {0, 6, -2, -6, 1, 13, 16, 16}};
    """
    const signed char *LEAD_TRUMP_FOES
    const signed char *LEAD_TRUMP_OWN
    const signed char *LEAD_TRUMP_RANK
    const signed char *LEAD_MASTER_SAFE
    const signed char *LEAD_MASTER_RISKY
    const signed char *LEAD_MASTER_OWN
    const signed char *LEAD_LOW_RANK
    const signed char *LEAD_LOW_ABOVE
    const signed char *LEAD_LOW_VOIDS
    const signed char *LEAD_LOW_VOIDS_SAFE
    const signed char LEAD_LOW_OWN[4][8]

cdef inline int lead(const Deal *d, const Rules *r, int seat, uint64_t legal, uint64_t unseen) noexcept nogil:
    cdef int left = (seat + 1) & 3, mate = seat ^ 2, right = (seat + 3) & 3
    cdef uint64_t theirs = unseen & ~lanes(d.voids[left] & d.voids[right])
    cdef uint64_t trumps = suit_mask(d.trump) if d.trump != NONE else 0
    cdef uint64_t lane, own, masters = legal & ~shadow(theirs)
    cdef int foes_trumps = count(theirs & trumps)
    cdef bint mates_trumps = (unseen & trumps & ~lanes(d.voids[mate])) != 0
    cdef bint ours = d.caller != NONE and not ((d.caller ^ seat) & 1)
    cdef int own_trumps = count(legal & trumps)
    cdef int suit, card, value, best_value = -1000000, best = NONE, length, hidden, voids
    for suit in range(4):
        lane = suit_mask(suit)
        own = legal & lane
        if not own:
            continue
        length = count(own)
        hidden = count(unseen & lane)
        voids = ((d.voids[left] >> suit) & 1) | ((d.voids[right] >> suit) & 1) << 1
        if suit == d.trump:
            value = LEAD_TRUMP_FOES[foes_trumps] + LEAD_TRUMP_OWN[own_trumps]
            if ours and foes_trumps:
                value += 8 if mates_trumps else 20
            if masters & own:
                card = highest(own)
                value += 14
            else:
                card = lowest(own)
                value += LEAD_TRUMP_RANK[rank_of(card)]
        elif masters & own:
            card = highest(own)
            value = LEAD_MASTER_OWN[length]
            if foes_trumps:
                value += LEAD_MASTER_RISKY[hidden]
            else:
                value += LEAD_MASTER_SAFE[hidden] + (-40 if own_trumps else 64)
        else:
            card = lowest(own)
            value = LEAD_LOW_RANK[rank_of(card)] + LEAD_LOW_ABOVE[count(unseen & above(card))] + LEAD_LOW_OWN[min(own_trumps, 3)][min(length, 7)]
            if foes_trumps:
                value += LEAD_LOW_VOIDS[voids | (4 if mates_trumps and (d.voids[mate] >> suit) & 1 else 0)]
            else:
                value += LEAD_LOW_VOIDS_SAFE[voids]
        if value > best_value:
            best_value = value
            best = card
    return best

cdef extern from *:
    """
    static const signed char DISCARD_RANK[13] = {19, 19, 18, 18, 18, 18, 18, 18, 17, 14, 5, -16, -28};
    static const signed char DISCARD_ABOVE[13] = {-6, 5, 12, 14, 16, 18, 18, 19, 21, 22, 21, 20, 20};
    static const signed char DISCARD_GUARD[4][4] = {{-10, -7, -3, -4}, {8, -16, -6, -5}, {10, 2, -8, -4}, {14, 5, 4, -5}};
    static const signed char DISCARD_OWN[2][8] = {{0, -12, -7, -5, 0, 7, 8, 8}, {0, 8, 5, 5, -5, 0, 0, 0}};
    static const signed char DISCARD_MASTER_SAFE[14] = {12, -24, -30, -45, -50, -60, -60, -60, -60, -60, -60, -60, -60, -60};
    static const signed char DISCARD_MASTER_RISKY[14] = {17, 18, 16, 10, 7, 2, -10, -14, -20, -20, -20, -20, -20, -20};
    """
    const signed char *DISCARD_RANK
    const signed char *DISCARD_ABOVE
    const signed char DISCARD_GUARD[4][4]
    const signed char DISCARD_OWN[2][8]
    const signed char *DISCARD_MASTER_SAFE
    const signed char *DISCARD_MASTER_RISKY

cdef inline int throw(const Deal *d, int seat, uint64_t legal, uint64_t unseen, uint64_t trumps) noexcept nogil:
    """The card that is missed least."""
    cdef uint64_t others = legal & ~trumps
    cdef uint64_t own
    cdef int suit, value, card, over, best = NONE, best_value = -10000
    cdef bint mine = (legal & trumps) != 0
    cdef bint out = (unseen & trumps) != 0
    if not others:
        return lowest(legal)
    for suit in range(4):
        own = others & suit_mask(suit)
        if own:
            card = lowest(own)
            over = count(unseen & above(card))
            value = DISCARD_RANK[rank_of(card)] + DISCARD_ABOVE[over] + DISCARD_OWN[mine][min(count(own), 7)]
            value += DISCARD_GUARD[min(count(unseen & above(highest(own))), 3)][min(count(own), 4) - 1]
            if not over:
                if out:
                    value += DISCARD_MASTER_RISKY[count(unseen & suit_mask(suit))]
                else:
                    value += DISCARD_MASTER_SAFE[count(unseen & suit_mask(suit))]
            if value > best_value:
                best_value = value
                best = card
    return best

cdef inline int second_hand(const Deal *d, int seat, uint64_t own, uint64_t winning, uint64_t unseen) noexcept nogil:
    """Second seat, able to follow and to win so far."""
    cdef uint64_t rest = unseen & suit_mask(d.led)
    cdef int card = lowest(winning)
    cdef int over = count(unseen & above(card))
    if over == 0:
        if winning & (winning - 1):
            return card
        if count(rest) < 8 and not ((d.voids[(seat + 1) & 3] >> d.led) & 1 and count(rest) > 1):
            return card
        return lowest(own)
    if winning & (winning - 1) and d.led != d.trump:
        return card
    return lowest(own)

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
        if d.k == 1:
            return second_hand(d, seat, own, winning, unseen)
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
        return lowest(winning)
    if d.trump == NONE:
        return throw(d, seat, legal, unseen, trumps)
    winning = legal & trumps
    if mates:
        if d.k == 3 or d.best >= 32 or not unseen & above(d.winning_card) or (d.voids[next_foe] >> d.led) & 1:
            return throw(d, seat, legal, unseen, trumps)
    elif d.k == 1 and count(unseen & above(d.winning_card)) > 1:
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
