"""The loop in which all four play at random: the same rules as in deal.pxd, with the trick under way in registers."""

from libc.stdint cimport uint32_t, uint64_t

from courtpiece._kernel.bits cimport NONE, count, lowest, nth, rank_of, suit_mask, suit_of
from courtpiece._kernel.deal cimport Deal, begin_turn, close_trick, reveal
from courtpiece._kernel.dice cimport Dice, PLAYS, below16, coin, philox
from courtpiece._kernel.rules cimport FIRST_VOID, HIDDEN, Rules

cdef struct Trick:
    uint64_t word           # its random bits, 16 for each card
    uint64_t follow         # the cards of the suit led
    uint32_t boost          # a byte for each suit: 16 for the suit led, 32 for trump, else 0 (strength in deal.pxd)
    uint32_t best           # of the winning card so far: strength << 2 | its place, so that one comparison keeps both
    int led                 # suit led
    int leader
    int trump

cdef inline uint32_t boosted(int led, int trump) noexcept nogil:
    """The boost of a trick; the suit led goes before trump (A31)."""
    cdef uint32_t boost = (<uint32_t> 32 << (8 * trump)) if trump != NONE else 0
    return (boost & ~(<uint32_t> 0xFF << (8 * led))) | (<uint32_t> 16 << (8 * led))

cdef inline void random_turn(
    Deal *d, const Rules *r, Dice *dice, Trick *t, const int k, const int trump_mode,
) noexcept nogil:
    """The k-th card of the trick, uniform over the legal ones; a reveal that may be made is tossed for."""
    cdef int seat = (t.leader + k) & 3
    cdef int card
    cdef uint64_t hand, legal, chosen
    cdef uint32_t value
    if trump_mode == HIDDEN and d.face_down:
        d.k = k
        if begin_turn(d, r, seat) and coin(dice):
            reveal(d, r)
        if not d.face_down:
            t.trump = d.trump
            if k > 0:
                t.boost = boosted(t.led, t.trump)
                if r.whole_trick:
                    t.best = d.best << 2 | ((d.winner - t.leader) & 3)
    hand = d.hands[seat]
    legal = hand
    if k > 0:
        legal = hand & t.follow
        if not legal:
            legal = hand
    if trump_mode == HIDDEN and d.obliged:
        d.obliged = False
        if (k == 0 or not hand & t.follow) and hand & suit_mask(d.trump):
            legal = hand & suit_mask(d.trump)
    chosen = nth(legal, below16(dice, (t.word >> (16 * k)) & 0xFFFF, count(legal)))
    d.hands[seat] = hand ^ chosen
    card = lowest(chosen)
    d.table[k] = card
    if k == 0:
        t.led = suit_of(card)
        t.follow = suit_mask(t.led)
        t.boost = boosted(t.led, t.trump)
        t.best = (16 + rank_of(card)) << 2
        if trump_mode == HIDDEN:
            d.led = t.led
    else:
        if trump_mode == FIRST_VOID and t.trump == NONE and suit_of(card) != t.led:
            t.trump = suit_of(card)
            t.boost = boosted(t.led, t.trump)
        value = (((t.boost >> (8 * suit_of(card))) & 0xFF) + rank_of(card)) << 2 | k
        if value > t.best:
            t.best = value

cdef inline void play_random(Deal *d, const Rules *r, Dice *dice, const int trump_mode) noexcept nogil:
    """Play the deal to its end."""
    cdef Trick t
    cdef int place
    t.trump = d.trump
    while not d.over:
        if d.tricks % 4 == 0:
            philox(dice, d.tricks // 4, PLAYS, dice.tricks)
        t.word = dice.tricks[d.tricks & 3]
        t.leader = d.leader
        random_turn(d, r, dice, &t, 0, trump_mode)
        random_turn(d, r, dice, &t, 1, trump_mode)
        random_turn(d, r, dice, &t, 2, trump_mode)
        random_turn(d, r, dice, &t, 3, trump_mode)
        place = t.best & 3
        d.winner = (t.leader + place) & 3
        d.winning_card = d.table[place]
        d.trump = t.trump
        close_trick(d, r, r.pile)
