# What a seat can choose between, for the modules that search; after placed.pxi.

from courtpiece._kernel.bits cimport ACE, lowest, packed, suit_of
from courtpiece._kernel.deal cimport legal_cards

cdef enum:
    MOST_CHOICES = 14           # 13 cards and a reveal


cdef int choices_of(const Deal *d, const Rules *r, int seat, bint may_reveal, uint8_t *out) noexcept nogil:
    """What the seat to act can do: of equal cards, between which only gone cards and its own lie, the lowest; then reveal."""
    cdef uint64_t legal = legal_cards(d, seat, d.k, r.trump_mode), others = 0, between
    cdef int other, card, before = -1, size = 0, i
    for other in range(4):
        if other != seat:
            others |= d.hands[other]
    others |= d.face_down
    for i in range(d.k):
        others |= bit(d.table[i])
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        between = (bit(card) - 1) & ~((bit(before) << 1) - 1) & others if before >= 0 else 1
        if before < 0 or suit_of(before) != suit_of(card) or between or distinct(r, before, card):
            out[size] = packed(card)
            size += 1
        before = card
    if may_reveal:
        out[size] = REVEAL_ACTION
        size += 1
    return size


cdef inline bint distinct(const Rules *r, int lower, int higher) noexcept nogil:
    """Whether neighbours differ by more than their rank: a ten where tens count, an ace where aces refuse a pick-up."""
    if r.tens and (lower & 15 == TEN or higher & 15 == TEN):
        return True
    return (r.block_two_aces or r.block_trump_ace) and higher & 15 == ACE
