"""Tricks that a side is sure of at the start of a trick, counted without search.

Every count is a lower bound that holds against any play, and names the cards whose rank it relies on.  "Mine" and "partner's"
are the side counted for; left and right are seen from `me`.
"""

from libc.stdint cimport uint64_t

from courtpiece._kernel.bits cimport count, highest, lowest

cdef struct Found:
    uint64_t ranks          # the cards whose rank mattered
    int tricks              # a bound on the tricks

cdef inline uint64_t top_bit(uint64_t cards) noexcept nogil:
    return (<uint64_t> 1) << highest(cards)

cdef inline uint64_t low_bit(uint64_t cards) noexcept nogil:
    return cards & (~cards + 1)

cdef inline int most(int a, int b) noexcept nogil:
    return a if a > b else b

cdef inline int least(int a, int b) noexcept nogil:
    return a if a < b else b

cdef inline uint64_t keep_top(uint64_t cards, int n) noexcept nogil:
    """The n highest of the cards."""
    cdef int extra = count(cards) - n
    while extra > 0:
        cards &= cards - 1
        extra -= 1
    return cards

cdef inline int suit_tricks(
    uint64_t mine, int my_winners, int longest_other, uint64_t partner, int partner_winners,
) noexcept nogil:
    """Tricks that I can cash one after the other in one suit, on lead."""
    if partner_winners == 0:
        if my_winners >= longest_other:
            return count(mine)                      # my small cards outlast the others'
        return my_winners
    if my_winners == 0:
        return partner_winners if mine else 0
    if mine < low_bit(partner):                     # partner blocks the suit
        return partner_winners
    if low_bit(mine) > partner:                     # I block it
        return my_winners
    if partner_winners == count(partner):           # one of them falls on one of mine
        partner_winners -= 1
    return least(count(mine), my_winners + partner_winners)

cdef inline int top_trump_tricks(uint64_t mine, uint64_t partner, uint64_t opponents, uint64_t *ranks) noexcept nogil:
    """Tricks that our trumps above all of the opponents' are sure of."""
    cdef uint64_t top
    cdef int longest = most(count(mine), count(partner)), tricks
    if not mine | partner:
        return 0
    if not opponents:
        return longest
    top = (mine | partner) & ~(2 * top_bit(opponents) - 1)
    tricks = least(count(top), longest)
    ranks[0] |= keep_top(top, tricks)
    return tricks

cdef inline int trump_length_tricks(uint64_t mine, uint64_t partner, uint64_t left, uint64_t right) noexcept nogil:
    """Each of the long hand's trumps wins, but where an opponent's trump is in the trick; the shape alone tells."""
    return most(count(mine), count(partner)) - count(left) - count(right)

cdef inline int slow_trump_tricks(
    uint64_t mine, uint64_t partner, uint64_t left, uint64_t right, bint leading, int tricks_left, uint64_t *ranks,
) noexcept nogil:
    """Tricks of trumps below the opponents' top: a king behind the ace, a queen behind both, and their like."""
    cdef uint64_t trumps = mine | partner | left | right
    cdef uint64_t ace, king, queen, jack, rest, ours = mine | partner
    cdef int total = count(trumps)
    if total < 3:
        return 0
    ace = top_bit(trumps)
    if ours & ace:
        return 0
    rest = trumps ^ ace
    king = top_bit(rest)
    rest ^= king
    queen = top_bit(rest)
    if ours & king:
        if partner & king and partner != king:
            if left & ace or (right == ace and (not leading or tricks_left >= 3)):
                ranks[0] |= ace | king
                return 1
        if mine & king and mine != king and (not leading or tricks_left >= 3):
            if right & ace or left == ace:
                ranks[0] |= ace | king
                return 1
        if ours & queen:
            if total >= 4:
                jack = top_bit(rest ^ queen)
                if ours & jack and (count(mine) >= 3 or count(partner) >= 3):
                    ranks[0] |= ace | king | queen | jack
                    return 2
            if count(mine) >= 2 or count(partner) >= 2:
                ranks[0] |= ace | king | queen
                return 1
        return 0
    if ours & queen and total >= 5:
        if partner & queen and count(partner) >= 3:
            if left & ace and left & king:
                ranks[0] |= ace | king | queen
                return 1
        elif mine & queen and count(mine) >= 3 and (not leading or tricks_left >= 4):
            if right & ace and right & king:
                ranks[0] |= ace | king | queen
                return 1
    return 0
