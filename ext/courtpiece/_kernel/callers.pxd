"""What is said before the first lead: the words, what they do, and the callers that say them.

A caller is a table of weights: the value of a suit as trump is what its length and its cards are worth as trumps, plus what
the rest is worth beside them.  `longest` and `strongest` are two such tables; they lie in courtpiece.players.callers.
"""

from libc.stdint cimport int32_t, uint8_t

from courtpiece._kernel.bits cimport NONE, bit, lowest, packed, rank_of, suit_of, unpacked
from courtpiece._kernel.deal cimport Deal
from courtpiece._kernel.dice cimport Dice, opening_draw
from courtpiece._kernel.rules cimport CALLED, HIDDEN, NEVER, RANDOM_OWN_FIVE, REDEAL, Rules

# A word is one byte; a card in a word is 13*suit + rank.
cdef enum Word:
    CALL = 0                # + suit
    PASS = 4
    TIMEOUT = 5
    THIRTEENTH = 6
    ASK_REDEAL = 7
    CHANGE_SUIT = 8         # + suit
    HIDE = 64               # + card
    BLIND = 128             # + card
    CHANGE_CARD = 192       # + card
    NO_WORD = 255

cdef enum CallerKind:
    RANDOM_CALLER = 0       # uniform over the words it may say and that its thresholds leave open
    WEIGHTED = 1            # the suit of highest value
    ABSENT = 2              # lets the time run out (S0.12)

cdef enum:
    MOST_WORDS = 6          # pass, timeout, blind, change: never more than four

# Thresholds of a caller that no value lies below, and that every value lies below.
cdef enum:
    NOT_AT_ALL = -0x7FFFFFFF - 1
    IN_ANY_CASE = 0x7FFFFFFF

cdef struct Caller:
    uint8_t kind                # CallerKind
    int32_t length[14]          # value of a trump suit's length
    int32_t trump[13]           # value of a trump by rank
    int32_t side_length[14]     # value of another suit's length
    int32_t side[13]            # value of another card by rank
    int32_t pass_below          # passes when the best value is lower
    int32_t redeal_below        # asks for a redeal when the best value is lower
    int32_t thirteenth_below    # lets the thirteenth card decide when the best value is lower
    int32_t swap_below          # swaps its five when the best value is lower

cdef struct Opening:
    uint8_t words[MOST_WORDS]   # what was said, in order
    uint8_t size
    uint8_t chooser             # who is to speak
    bint blind_due              # the next word is the blind card

cdef inline void start_opening(Opening *o) noexcept nogil:
    o.size = 0
    o.chooser = 0
    o.blind_due = False

cdef inline int card_in(int word) noexcept nogil:
    """The kernel's card in a word."""
    return unpacked(word & 63)

cdef inline int word_of(int kind, int card) noexcept nogil:
    """The word of a kind with the kernel's card in it."""
    return kind + packed(card)

cdef inline void lay_down(Deal *d, int seat, int card) noexcept nogil:
    """Put a card of the seat face down, in place of the one that lies there (S0.52, S0.60)."""
    d.hands[seat] |= d.face_down
    d.face_down = bit(card)
    d.hands[seat] ^= bit(card)
    d.hider = seat

cdef inline void say(Opening *o, Deal *d, const Rules *r, int word) noexcept nogil:
    """Carry out one legal word."""
    o.words[o.size] = word
    o.size += 1
    if word < PASS:
        d.trump = word
        d.caller = o.chooser
    elif word == PASS or word == TIMEOUT:
        if r.may_pass and o.chooser == 0:
            o.chooser = 2                               # S0.11, S0.12
        else:
            o.blind_due = True                          # S0.14
    elif word == THIRTEENTH:
        d.trump = suit_of(d.order[0][12])               # S4.18
        d.caller = 0
    elif word == ASK_REDEAL:
        d.over = True
        d.outcome = REDEAL
    elif word < HIDE:
        d.trump = word - CHANGE_SUIT                    # S0.34
    elif word < BLIND:
        lay_down(d, o.chooser, card_in(word))           # S0.52
        d.caller = o.chooser
    elif word < CHANGE_CARD:
        o.blind_due = False
        d.caller = 0                                    # S0.61
        if r.trump_mode == HIDDEN:
            lay_down(d, 0, card_in(word))               # S0.58, S0.77
            d.blind = r.uncalled != RANDOM_OWN_FIVE     # S0.78
        else:
            d.trump = suit_of(card_in(word))
    else:
        lay_down(d, d.caller, card_in(word))            # S0.60, S0.61
        d.blind = False

cdef inline int value_of(const Caller *c, const uint8_t *cards, int size, int32_t *by_suit) noexcept nogil:
    """Fill by_suit with the value of each suit as trump; return the best suit, the first of equals."""
    cdef int lengths[4]
    cdef int32_t rest = 0
    cdef int i, suit, rank, best = 0
    for suit in range(4):
        lengths[suit] = 0
        by_suit[suit] = 0
    for i in range(size):
        suit = suit_of(cards[i])
        rank = rank_of(cards[i])
        lengths[suit] += 1
        by_suit[suit] += c.trump[rank] - c.side[rank]
        rest += c.side[rank]
    for suit in range(4):
        rest += c.side_length[lengths[suit]]
    for suit in range(4):
        by_suit[suit] += rest + c.length[lengths[suit]] - c.side_length[lengths[suit]]
        if by_suit[suit] > by_suit[best]:
            best = suit
    return best

cdef inline int high_card(const uint8_t *cards, int size, int suit) noexcept nogil:
    """The highest of the cards that is of the suit; NONE when there is none.

    It is the one to lay face down: half a point of P(win) better than the lowest where tens count, but in hidden-trump
    0.006 ± 0.002 points a deal worse (docs/variants.md).
    """
    cdef int i, high = NONE
    for i in range(size):
        if suit_of(cards[i]) == suit and (high == NONE or cards[i] > high):
            high = cards[i]
    return high

cdef inline bint may_redeal(const Deal *d, const Rules *r) noexcept nogil:
    """Whether eldest's five hold nothing above the limit (S4.17)."""
    cdef int i
    if r.redeal_rank == NONE:
        return False
    for i in range(5):
        if rank_of(d.order[0][i]) > r.redeal_rank:
            return False
    return True

cdef inline int blind_word(const Deal *d, const Rules *r, Dice *dice) noexcept nogil:
    """The card that decides when nobody called (S0.14, S0.58, S0.77)."""
    cdef int place
    if r.uncalled == RANDOM_OWN_FIVE:
        return word_of(BLIND, d.order[0][opening_draw(dice, 5)])
    if r.trump_mode == HIDDEN:
        return word_of(BLIND, d.order[0][5 + opening_draw(dice, 8)])
    place = 5 + opening_draw(dice, 47)                  # any card but eldest's five
    return word_of(BLIND, d.order[place // 13][place % 13])

cdef inline int random_word(const Caller *c, const Opening *o, const Deal *d, const Rules *r, Dice *dice) noexcept nogil:
    """One of the words that may be said; of eldest's ways out those that his policies neither forbid nor demand."""
    cdef int words[8]
    cdef int size = 0, i
    cdef bint redeal = o.chooser == 0 and c.redeal_below != NOT_AT_ALL and may_redeal(d, r)
    cdef bint leave = o.chooser == 0 and c.pass_below != NOT_AT_ALL and r.may_pass
    cdef bint thirteenth = o.chooser == 0 and c.thirteenth_below != NOT_AT_ALL and r.thirteenth
    if redeal and c.redeal_below == IN_ANY_CASE:
        return ASK_REDEAL
    if leave and c.pass_below == IN_ANY_CASE:
        return PASS
    if thirteenth and c.thirteenth_below == IN_ANY_CASE:
        return THIRTEENTH
    if r.trump_mode == HIDDEN:
        for i in range(5):
            words[size] = word_of(HIDE, d.order[o.chooser][i])
            size += 1
    else:
        for i in range(4):
            words[size] = CALL + i
            size += 1
    if leave:
        words[size] = PASS
        size += 1
    if thirteenth:
        words[size] = THIRTEENTH
        size += 1
    if redeal:
        words[size] = ASK_REDEAL
        size += 1
    return words[opening_draw(dice, size)]

cdef inline int first_word(const Caller *c, const Opening *o, const Deal *d, const Rules *r, Dice *dice) noexcept nogil:
    """What the chooser says on his first five cards."""
    cdef int32_t values[4]
    cdef int best, i
    cdef const uint8_t *five = d.order[o.chooser]
    if c.kind == RANDOM_CALLER:
        return random_word(c, o, d, r, dice)
    if c.kind == ABSENT and r.uncalled != NEVER:
        return TIMEOUT
    best = value_of(c, five, 5, values)
    if o.chooser == 0:
        if values[best] < c.redeal_below and may_redeal(d, r):
            return ASK_REDEAL
        if r.may_pass and values[best] < c.pass_below:
            return PASS
        if r.thirteenth and values[best] < c.thirteenth_below:
            return THIRTEENTH
    if r.trump_mode == HIDDEN:
        while high_card(five, 5, best) == NONE:          # a void can be no hidden trump (S0.52)
            values[best] = -0x7FFFFFFF
            best = 0
            for i in range(4):
                if values[i] > values[best]:
                    best = i
        return word_of(HIDE, high_card(five, 5, best))
    return CALL + best

cdef inline int change_word(const Caller *c, const Deal *d, const Rules *r, Dice *dice) noexcept nogil:
    """What the caller changes once he holds thirteen cards, NO_WORD when nothing (S0.34, S0.60)."""
    cdef int32_t values[4]
    cdef uint8_t cards[13]
    cdef int i, best, pick, seen
    cdef int seat = d.caller
    if c.kind == ABSENT:
        return NO_WORD
    if r.trump_mode == CALLED:
        if c.kind == RANDOM_CALLER:
            pick = opening_draw(dice, 4)
        else:
            pick = value_of(c, d.order[seat], 13, values)
        return NO_WORD if pick == d.trump else CHANGE_SUIT + pick
    if c.kind == RANDOM_CALLER:
        pick = opening_draw(dice, 6 if d.blind else 5)
        if pick == 5 or bit(d.order[seat][pick]) == d.face_down:
            return NO_WORD
        return word_of(CHANGE_CARD, d.order[seat][pick])
    seen = 0
    for i in range(13):                                  # he has not seen a blind card (S0.58)
        if not (d.blind and bit(d.order[seat][i]) == d.face_down):
            cards[seen] = d.order[seat][i]
            seen += 1
    value_of(c, cards, seen, values)
    best = NONE
    for i in range(4):
        if high_card(d.order[seat], 5, i) != NONE and (best == NONE or values[i] > values[best]):
            best = i
    if not d.blind and suit_of(lowest(d.face_down)) == best:
        return NO_WORD
    return word_of(CHANGE_CARD, high_card(d.order[seat], 5, best))

cdef inline bint wants_swap(const Caller *c, const Deal *d, Dice *dice) noexcept nogil:
    """Whether eldest gives his five back to the pack (S0.33)."""
    cdef int32_t values[4]
    cdef int best
    if c.kind == RANDOM_CALLER:
        return opening_draw(dice, 2)
    if c.kind == ABSENT:
        return False
    best = value_of(c, d.order[0], 5, values)
    return values[best] < c.swap_below

cdef inline void swap_five(Deal *d, Dice *dice) noexcept nogil:
    """Eldest takes five fresh cards; the old ones are shuffled into the undealt pack (S0.33, A11)."""
    cdef uint8_t *cards = &d.order[0][0]
    cdef int i, j
    cdef uint8_t held
    for i in range(5):
        held = cards[i]
        cards[i] = cards[5 + i]
        cards[5 + i] = held
    for i in range(51, 5, -1):
        j = 5 + opening_draw(dice, i - 4)
        held = cards[i]
        cards[i] = cards[j]
        cards[j] = held

cdef inline void go_on_speaking(Opening *o, Deal *d, const Rules *r, const Caller *callers, Dice *dice) noexcept nogil:
    """From what has been said to the first lead: the call, a change of trump, and who leads."""
    cdef int word
    while d.caller == NONE and not d.over:
        if o.blind_due:
            say(o, d, r, blind_word(d, r, dice))
        else:
            say(o, d, r, first_word(&callers[o.chooser >> 1], o, d, r, dice))
    if d.over:
        return
    if r.change_trump and (r.trump_mode == HIDDEN or o.words[o.size - 1] < BLIND):
        word = change_word(&callers[d.caller >> 1], d, r, dice)
        if word != NO_WORD:
            say(o, d, r, word)
    if r.caller_leads and d.caller != NONE:
        d.leader = d.caller

cdef inline Caller read_caller(object table) except *:
    """The kernel's struct for (kind, weights, thresholds)."""
    cdef Caller c
    cdef int i
    kind, weights, thresholds = table
    if len(weights) != 54 or len(thresholds) != 4:
        raise ValueError("a caller has 54 weights (14 lengths, 13 ranks, as trump and beside it) and 4 thresholds")
    c.kind = {"random": RANDOM_CALLER, "weighted": WEIGHTED, "absent": ABSENT}[kind]
    for i in range(14):
        c.length[i] = weights[i]
        c.side_length[i] = weights[27 + i]
    for i in range(13):
        c.trump[i] = weights[14 + i]
        c.side[i] = weights[41 + i]
    c.pass_below = thresholds[0]
    c.redeal_below = thresholds[1]
    c.thirteenth_below = thresholds[2]
    c.swap_below = thresholds[3]
    return c
