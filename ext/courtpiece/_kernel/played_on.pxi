# Deals that four `greedy` players play on, and what their ends are worth; after placed.pxi and choices.pxi.

from courtpiece._kernel.greedy cimport greedy_card, greedy_reveal


cdef inline void greedy_turn(Deal *d, const Rules *r, const int trump_mode) noexcept nogil:
    """One card, and the reveal before it, as `greedy` chooses."""
    cdef int seat = seat_to_act(d)
    if trump_mode == HIDDEN and next_turn(d, r) and greedy_reveal(d, r, NULL, seat):
        reveal(d, r)
    put(d, seat, greedy_card(d, r, NULL, seat, legal_cards(d, seat, d.k, trump_mode)), d.k, trump_mode)
    if d.k == 4:
        close_trick(d, r, r.pile)


cdef void play_on(Deal *d, const Rules *r) noexcept nogil:
    """Play the deal to its end, all four as `greedy`."""
    if r.trump_mode == CALLED:
        while not d.over:
            greedy_turn(d, r, CALLED)
    elif r.trump_mode == HIDDEN:
        while not d.over:
            greedy_turn(d, r, HIDDEN)
    else:
        while not d.over:
            greedy_turn(d, r, FIRST_VOID)


cdef inline double worth(const Deal *d, const double *worths, double trick, int side) noexcept nogil:
    """What the end of a deal is worth to a side: by outcome and winner, and so much for each trick more than the others."""
    return worths[2 * d.outcome + (d.side ^ side)] + trick * (<int> d.taken[side] - <int> d.taken[side ^ 1])


cdef inline int greedy_choice(
    Deal *d, const Rules *r, int seat, bint may_reveal, const uint8_t *choices, int size,
) noexcept nogil:
    """The choice that is, or stands for, what `greedy` does."""
    if may_reveal and greedy_reveal(d, r, NULL, seat):
        return REVEAL_ACTION
    if size == 1:
        return choices[0]
    return same_choice(choices, size, packed(greedy_card(d, r, NULL, seat, legal_cards(d, seat, d.k, r.trump_mode))))


cdef inline int same_choice(const uint8_t *choices, int size, int card) noexcept nogil:
    """The choice that stands for a card: the highest of its suit that is not above it."""
    cdef int i, best = NONE
    for i in range(size):
        if choices[i] != REVEAL_ACTION and choices[i] <= card and choices[i] // 13 == card // 13:
            if best == NONE or choices[i] > best:
                best = choices[i]
    return best
