"""The loop in which all four play at random: the same rules as in deal.pxd, with the trick under way in registers."""

from libc.stdint cimport uint32_t, uint64_t

from courtpiece._kernel.bits cimport NONE, count, lowest, nth, rank_of, suit_mask, suit_of
from courtpiece._kernel.deal cimport Deal, begin_turn, close_trick, reveal, strength
from courtpiece._kernel.dice cimport Dice, PLAYS, below16, coin, philox
from courtpiece._kernel.rules cimport FIRST_VOID, HIDDEN, Rules

cdef struct Trick:
    uint64_t word           # its random bits, 16 for each card
    uint64_t follow         # the cards of the suit led
    uint32_t best           # of the winning card so far: strength << 16 | seat << 8 | card, so that one comparison keeps all
    int led                 # suit led
    int leader
    int trump

cdef inline uint32_t ranked(int strength_, int seat, int card) noexcept nogil:
    return strength_ << 16 | seat << 8 | card

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
            if r.whole_trick and k > 0:
                t.best = ranked(d.best, d.winner, d.winning_card)
    hand = d.hands[seat]
    legal = hand
    if k > 0 and hand & t.follow:
        legal = hand & t.follow
    elif trump_mode == HIDDEN and d.obliged and hand & suit_mask(d.trump):
        legal = hand & suit_mask(d.trump)
    if trump_mode == HIDDEN:
        d.obliged = False
    chosen = nth(legal, below16(dice, (t.word >> (16 * k)) & 0xFFFF, count(legal)))
    d.hands[seat] = hand ^ chosen
    card = lowest(chosen)
    d.table[k] = card
    if k == 0:
        t.led = suit_of(card)
        t.follow = suit_mask(t.led)
        t.best = ranked(16 + rank_of(card), seat, card)
        if trump_mode == HIDDEN:
            d.led = t.led
    else:
        if trump_mode == FIRST_VOID and t.trump == NONE and suit_of(card) != t.led:
            t.trump = suit_of(card)
        value = ranked(strength(card, t.led, t.trump), seat, card)
        if value > t.best:
            t.best = value

cdef inline void play_random(Deal *d, const Rules *r, Dice *dice, const int trump_mode) noexcept nogil:
    """Play the deal to its end."""
    cdef Trick t
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
        d.winner = t.best >> 8 & 3
        d.winning_card = t.best & 0xFF
        d.trump = t.trump
        close_trick(d, r, r.pile)
