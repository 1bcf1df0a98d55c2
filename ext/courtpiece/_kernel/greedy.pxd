"""The player `greedy`: a sound table player that uses public information only.

It sees its own cards, the cards played, the voids shown, the call, the tricks and the pile.  A lead and a discard are chosen
by points: each idea adds what it was found to be worth, in thousandths of the chance to win the deal, and the card with most
points is played.  The points come from playing every card of a position to the end, on some hundred thousand deals
(docs/greedy.md tells how, and what each idea is worth).  Between following, ruffing and throwing away it decides by rule.

Every idea has a bit, so that docs/greedy.md can show what the player loses without it; `without` is the set of ideas left out,
a constant 0 in the player itself.
"""

from libc.stdint cimport int16_t, int8_t, uint16_t, uint32_t, uint64_t

from courtpiece._kernel.bits cimport (
    ALL_CARDS, NONE, TEN, bit, count, highest, lowest, rank_mask, rank_of, suit_mask, suit_of,
)
from courtpiece._kernel.deal cimport Deal
from courtpiece._kernel.dice cimport Dice
from courtpiece._kernel.rules cimport FIRST_SEVEN, FIRST_VOID, Rules
from courtpiece._kernel.simple cimport above, unseen_by

cdef enum Idea:
    DRAW_TRUMPS = 1 << 0            # lead trumps when the side called and is long, and not the last but one (S3.28, S4.43)
    CASH_TRUMPS = 1 << 1            # lead the master trump that draws the last ones (S4.45)
    TIME_MASTERS = 1 << 2           # cash masters when no trumps are out and none are held; else in good time (S4.45)
    LEAD_SHORT = 1 << 3             # lead short suits while holding trumps, to ruff them
    LEAD_TO_VOIDS = 1 << 4          # away from a ruff by who plays last, towards the partner's
    LEAD_FROM_NOTHING = 1 << 5      # a low card from a suit with little in it, not a king or queen
    SECOND_LOW = 1 << 6             # second seat holds its ace while the suit is young, and a master trump
    LEAVE_PARTNER = 1 << 7          # leave the partner's winner alone unless the card makes it much safer (S4.41)
    WIN_SURE = 1 << 8               # third seat plays the cheapest of the cards as good as its best
    RUFF_WORTH = 1 << 9             # second seat ruffs only what the partner will hardly win
    KEEP_GUARDS = 1 << 10           # throw no guard of a king or queen, no master (S3.29, S4.41)
    THROW_SHORT = 1 << 11           # throw from short suits while holding trumps, from long ones without
    PAIR_WINS = 1 << 12             # pile: lead a master when it would be the second win in a row (S0.42)
    LET_GO = 1 << 13                # pile: waste nothing on a win that picks nothing up and stops no pair
    MAKE_TRUMP = 1 << 14            # the first void makes its best suit trump (S0.64)
    VOID_FIRST = 1 << 15            # while no trump is made, lead short suits to be void first
    TENS_TO_PARTNER = 1 << 16       # throw a ten on the partner's safe trick (S0.72)
    TENS_WIN = 1 << 17              # the last seat wins with a ten
    TENS_KEPT = 1 << 18             # give no ten to a lost trick
    ASK_WORTH = 1 << 19             # ask for the hidden card only when the others win, and not as the hider without trumps
    KOT_ON = 1 << 20                # while a kot is on, lead masters; with most of it in the hand, trumps first (S3.30)
    ASK = 1 << 21                   # ask for the hidden card at all
    KEEP_HIDDEN = 1 << 22           # do not show the hidden card on a lead of one's own (S0.56)

# Points, in thousandths of the chance to win; small whole numbers index them.
cdef extern from *:
    """
    /* Trump leads: by the side that called (not ours, ours) and the trumps that the others may hold; a master more; by own
       trumps; by rank of a card that is no master. */
    static const signed char TRUMP_LEAD_OUT[2][14] = {
        {-21, -40, -12, -3, -5, -5, -10, -10, -5, -10, -10, -10, -10, -10}, {-21, -46, -18, -10, -4, 0, 2, 5, 10, 0, -5, -5, -5, -5},
    };
    static const signed char TRUMP_LEAD_MASTER[14] = {3, 80, 44, 30, 14, 0, -8, -5, -5, -5, -5, -5, -5, -5};
    static const signed char TRUMP_LEAD_OWN[14] = {0, -28, -11, 5, 13, 11, 16, 20, 20, 20, 20, 20, 20, 20};
    static const signed char TRUMP_LEAD_RANK[13] = {8, 6, 5, 4, 2, -1, -3, -6, -9, -13, -17, -18, 0};
    /* Masters of other suits: by trumps that the others may hold or none, by own trumps or none, by unseen cards of the suit. */
    static const short MASTER_LEAD[2][2][16] = {
        {{190, 200, 145, 95, 75, 40, 20, -20, -25, -28, -60, -60, -60, -60},
         {-20, -20, -20, -20, -20, -20, -20, -20, -20, -20, -20, -20, -20, -20}},
        {{12, 26, 21, 20, 17, 15, 7, 4, -4, -6, -14, -14, -14, -14},
         {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
    };
    /* Low leads: by rank; by unseen cards above the suit's best; by voids (1 next seat, 2 last seat, 4 partner) while the
       others may hold trumps; by own trumps and length. */
    static const signed char LOW_LEAD_RANK[16] = {4, 4, 4, 3, 2, 1, -2, -4, -5, -4, -2, -10};
    static const signed char LOW_LEAD_ABOVE[16] = {-19, -1, 7, 8, 7, 8, 8, 8, 8, 8, 8, 8, 8};
    static const signed char LOW_LEAD_VOIDS[2][8] = {{0}, {0, -2, -6, -4, 3, 14, -23, 0}};
    static const signed char LOW_LEAD_LENGTH[4][16] = {
        {0, -4, -9, -2, -1, 6, 7, 7, 7, 7, 7, 7, 7, 7}, {0, 4, -7, -8, -6, 0, 12, 12, 12, 12, 12, 12, 12},
        {0, 15, 5, -5, -4, 11, 14, 14, 14, 14, 14, 14}, {0, 17, 8, -4, -3, 9, 32, 32, 32, 32, 32},
    };
    /* Pile: a master that would be the second win in a row, by the tricks in the pile. */
    static const short PAIR_TRUMP[13] = {0, 10, 45, 60, 90, 150, 350, 350, 350, 350, 350, 350, 350};
    static const short PAIR_MASTER[13] = {0, 0, 3, 6, 16, 50, 210, 210, 210, 210, 210, 210, 210};
    /* Leads while no trump is made, by length. */
    static const short OPEN_LOW[14] = {0, 139, 39, 5, -20, -22, -24, -36, -36, -36, -36, -36, -36, -36};
    static const short OPEN_MASTER[14] = {0, 40, -16, -40, -56, -93, -120, -150, -150, -150, -150, -150, -150, -150};
    /* Discards: by rank; by unseen cards above; by unseen cards above the suit's best and length; by trumps or none and length;
       masters by unseen cards of the suit, when no trumps are out and when some are. */
    static const signed char DISCARD_RANK[16] = {19, 19, 18, 18, 18, 18, 18, 18, 17, 14, 5, -16, -28};
    static const signed char DISCARD_ABOVE[16] = {-6, 5, 12, 14, 16, 18, 18, 19, 21, 22, 21, 20, 20};
    static const signed char DISCARD_GUARD[4][16] = {
        {0, -10, -7, -3, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4}, {0, 8, -16, -6, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5},
        {0, 10, 2, -8, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4}, {0, 14, 5, 4, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5},
    };
    static const signed char DISCARD_LENGTH[2][16] = {
        {0, -12, -7, -5, 0, 7, 8, 8, 8, 8, 8, 8, 8, 8}, {0, 8, 5, 5, -5, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    };
    static const signed char DISCARD_MASTER[2][16] = {
        {12, -24, -30, -45, -50, -60, -60, -60, -60, -60, -60, -60, -60, -60},
        {17, 18, 16, 10, 7, 2, -10, -14, -20, -20, -20, -20, -20, -20},
    };
    /* All cards of a set of suits (bit s: suit s). */
    #define S_(n, s) (((n) >> (s) & 1) * (0x1FFFull << 16 * (s)))
    #define L_(n) (S_(n, 0) | S_(n, 1) | S_(n, 2) | S_(n, 3))
    static const uint64_t LANES[16] = {
        L_(0), L_(1), L_(2), L_(3), L_(4), L_(5), L_(6), L_(7), L_(8), L_(9), L_(10), L_(11), L_(12), L_(13), L_(14), L_(15),
    };
    /* The bits of a set of suits, four apart. */
    #define B_(n) (((n) & 1) | ((n) & 2) << 3 | ((n) & 4) << 6 | ((n) & 8) << 9)
    static const uint16_t SPREAD[16] = {
        B_(0), B_(1), B_(2), B_(3), B_(4), B_(5), B_(6), B_(7), B_(8), B_(9), B_(10), B_(11), B_(12), B_(13), B_(14), B_(15),
    };
    """
    const uint64_t *LANES
    const uint16_t *SPREAD
    const int8_t TRUMP_LEAD_OUT[2][14]
    const int8_t *TRUMP_LEAD_MASTER
    const int8_t *TRUMP_LEAD_OWN
    const int8_t *TRUMP_LEAD_RANK
    const int16_t MASTER_LEAD[2][2][16]
    const int8_t *LOW_LEAD_RANK
    const int8_t *LOW_LEAD_ABOVE
    const int8_t LOW_LEAD_VOIDS[2][8]
    const int8_t LOW_LEAD_LENGTH[4][16]
    const int16_t *PAIR_TRUMP
    const int16_t *PAIR_MASTER
    const int16_t *OPEN_LOW
    const int16_t *OPEN_MASTER
    const int8_t *DISCARD_RANK
    const int8_t *DISCARD_ABOVE
    const int8_t DISCARD_GUARD[4][16]
    const int8_t DISCARD_LENGTH[2][16]
    const int8_t DISCARD_MASTER[2][16]

cdef enum:
    YOUNG = 8                       # unseen cards of a suit from which second seat holds its ace
    BIG = 0x100000                  # more than any points
    SWEEP_TRICKS = 5                # tricks taken and masters held, from which a side goes for the first seven
    SWEEP_TRUMP = 100               # then points of a master trump while trumps are out, and of another master
    SWEEP_MASTER = 60
    BIG_PILE = 6                    # tricks in the pile that make any win worth while

# What a leader knows.
cdef struct Table:
    uint64_t others         # own cards but trumps
    uint64_t unseen         # cards that the seat has not seen
    uint64_t masters        # own cards that no opponent can beat in their suit
    uint32_t voids          # four bits a suit: shown void by 1 the next seat, 2 the last, 4 the partner while he may have trumps
    int out                 # trumps that the opponents may hold
    int own                 # own trumps
    bint mates              # the partner may hold trumps
    bint ours               # this side called
    int pair                # tricks in the pile when a win is the second in a row, else 0
    bint kot                # one side has taken every trick so far, and some
    bint sweep              # this side has lost no trick and sees most of the seven that make a kot in its own hand

cdef inline uint64_t shadow(uint64_t cards) noexcept nogil:
    """In each suit the highest of the cards and all below it."""
    cards |= cards >> 1
    cards = (cards | cards >> 2) & ALL_CARDS
    cards |= (cards >> 4) & 0x01FF01FF01FF01FFULL
    return cards | ((cards >> 8) & 0x001F001F001F001FULL)

cdef inline uint64_t trump_lane(const Deal *d) noexcept nogil:
    """All cards of the trump suit; none while there is no trump."""
    return suit_mask(d.trump) if d.trump != NONE else 0

cdef inline bint void_in(const Deal *d, int seat, int suit) noexcept nogil:
    return (d.voids[seat & 3] >> suit) & 1

# Points and card in one number, so that the greater is the better: points * 64 + card.
cdef inline int scored(int value, int card) noexcept nogil:
    return value * 64 + card

cdef inline int choose(bint first, int a, int b) noexcept nogil:
    """a or b, without a branch."""
    return b ^ ((a ^ b) & -<int> first)

cdef inline int count_above(uint64_t rest, int card) noexcept nogil:
    """The number of cards above a card, of cards of its suit that it is not one of."""
    return count(rest >> card)

cdef inline int high_in(uint64_t own, int suit) noexcept nogil:
    """The highest of the cards of the suit; some card of the suit when there are none."""
    return highest(own | bit(16 * suit))

cdef inline int low_in(uint64_t own, int suit) noexcept nogil:
    """The lowest of the cards of the suit; beyond the suit's ace when there are none."""
    return lowest(own | bit(16 * suit + 15))

cdef inline int trump_lead(const Table *t, int card, bint master, const uint32_t without) noexcept nogil:
    """Points of leading a trump: its length and the trumps out (S3.28, S4.42, S4.43)."""
    cdef int value = 0
    if not without & DRAW_TRUMPS:
        value += TRUMP_LEAD_OWN[t.own] + TRUMP_LEAD_OUT[t.ours][t.out]
        if t.out and not t.mates:
            value += 38
    if master:
        if t.sweep and t.out and not without & KOT_ON:
            value += SWEEP_TRUMP
        if not without & CASH_TRUMPS:
            value += TRUMP_LEAD_MASTER[t.out]
        if not without & PAIR_WINS:
            value += PAIR_TRUMP[t.pair]
    elif not without & LEAD_FROM_NOTHING:
        value += TRUMP_LEAD_RANK[rank_of(card)]
    return value

cdef inline int master_lead(const Table *t, int unseen, bint ruffed, const uint32_t without) noexcept nogil:
    """Points of leading a card that no opponent can beat in its suit."""
    cdef int value = 0
    if not without & TIME_MASTERS:
        value += MASTER_LEAD[t.out != 0][t.own != 0][unseen] - 8 * ruffed
    if not without & PAIR_WINS:
        value += PAIR_MASTER[t.pair]
    if not without & KOT_ON:
        value += 30 * t.kot + SWEEP_MASTER * t.sweep
    return value

cdef inline int low_lead(const Table *t, int rank, int length, int over, int voids, const uint32_t without) noexcept nogil:
    """Points of leading the lowest card of a suit."""
    cdef int value = 0
    if not without & LEAD_FROM_NOTHING:
        value += LOW_LEAD_RANK[rank] + LOW_LEAD_ABOVE[over]
    if not without & LEAD_SHORT:
        value += LOW_LEAD_LENGTH[min(t.own, 3)][length]
    if not without & LEAD_TO_VOIDS:
        value += LOW_LEAD_VOIDS[t.out != 0][voids]
    return value

cdef inline int lead_from(const Table *t, const int suit, const uint32_t without) noexcept nogil:
    """The scored lead from a suit other than trump; far below all others when there is none.

    It has no branches, as which suit is led and how is hard to foresee.
    """
    cdef uint64_t own = t.others & suit_mask(suit)
    cdef uint64_t rest = t.unseen & suit_mask(suit)
    cdef int high = high_in(own, suit)
    cdef int low = low_in(own, suit)
    cdef int voids = t.voids >> (4 * suit) & 7
    return choose(
        (t.masters & own) != 0,
        scored(master_lead(t, count(rest), (voids & 3) != 0, without), high),
        scored(low_lead(t, rank_of(low), count(own), count_above(rest, high), voids, without), low),
    ) - BIG * (own == 0)

cdef inline int lead(const Deal *d, const Rules *r, int seat, uint64_t legal, uint64_t unseen, const uint32_t without) noexcept nogil:
    """The lead with most points: of each suit its master, or else its lowest card."""
    cdef int next_voids = d.voids[(seat + 1) & 3], last_voids = d.voids[(seat + 3) & 3], mate_voids = d.voids[seat ^ 2]
    cdef uint64_t theirs = unseen & ~LANES[next_voids & last_voids]
    cdef uint64_t trumps = trump_lane(d)
    cdef Table t
    cdef int card, best = -BIG
    cdef bint master
    t.others = legal & ~trumps
    t.unseen = unseen
    t.masters = legal & ~shadow(theirs)
    t.out = count(theirs & trumps)
    t.own = count(legal & trumps)
    t.mates = (unseen & trumps & ~LANES[mate_voids]) != 0
    t.voids = SPREAD[next_voids] | SPREAD[last_voids] << 1 | (SPREAD[mate_voids] << 2 if t.mates else 0)
    t.ours = d.caller != NONE and not (d.caller ^ seat) & 1
    t.pair = d.pile if r.pile and d.runner == seat else 0
    t.kot = r.kot == FIRST_SEVEN and d.tricks >= 4 and (not d.taken[0] or not d.taken[1])
    t.sweep = (
        r.kot == FIRST_SEVEN and not d.taken[(seat & 1) ^ 1] and d.taken[seat & 1] + count(t.masters) >= SWEEP_TRICKS
    )
    if legal & trumps:
        master = (t.masters & trumps) != 0
        card = highest(legal & trumps) if master else lowest(legal & trumps)
        best = scored(trump_lead(&t, card, master, without), card)
    best = max(best, lead_from(&t, 0, without))
    best = max(best, lead_from(&t, 1, without))
    best = max(best, lead_from(&t, 2, without))
    best = max(best, lead_from(&t, 3, without))
    return best & 63

cdef inline int open_lead(const Deal *d, uint64_t legal, uint64_t unseen) noexcept nogil:
    """Lead while no trump is made: short suits, so that this side is void first and makes trump (S0.64)."""
    cdef uint64_t own, masters = legal & ~shadow(unseen)
    cdef int suit, card, value, best_value = -100000, best = NONE
    for suit in range(4):
        own = legal & suit_mask(suit)
        if own:
            if masters & own:
                card = highest(own)
                value = OPEN_MASTER[count(own)]
            else:
                card = lowest(own)
                value = OPEN_LOW[count(own)] - rank_of(card)
            if value > best_value:
                best_value = value
                best = card
    return best

cdef inline int make_trump(uint64_t legal, uint64_t unseen) noexcept nogil:
    """The card that makes trump of the suit which is longest against the unseen cards (S0.64)."""
    cdef uint64_t own
    cdef int suit, value, best_value = -100000, best = NONE
    for suit in range(4):
        own = legal & suit_mask(suit)
        if own:
            value = 4 * count(own) - count(unseen & suit_mask(suit))
            if value > best_value:
                best_value = value
                best = lowest(own)
    return best

cdef inline int least(const Rules *r, uint64_t cards, const uint32_t without) noexcept nogil:
    """The lowest card of a suit for a lost trick: no ten where tens count."""
    if r.tens and cards & ~rank_mask(TEN) and not without & TENS_KEPT:
        return lowest(cards & ~rank_mask(TEN))
    return lowest(cards)

cdef inline int discard_from(
    uint64_t others, uint64_t unseen, const int suit, bint trumped, bint risky, int ten, const uint32_t without,
) noexcept nogil:
    """The scored lowest card of a suit, as a card to throw away; far below all others when there is none."""
    cdef uint64_t own = others & suit_mask(suit)
    cdef uint64_t rest = unseen & suit_mask(suit)
    cdef int low = low_in(own, suit)
    cdef int over = count_above(rest, low)
    cdef int length = count(own)
    cdef int value = DISCARD_RANK[rank_of(low)] + DISCARD_ABOVE[over]
    if not without & THROW_SHORT:
        value += DISCARD_LENGTH[trumped][length]
    if not without & KEEP_GUARDS:
        value += DISCARD_GUARD[min(count_above(rest, high_in(own, suit)), 3)][length]
        value += DISCARD_MASTER[risky][count(rest)] & -<int> (over == 0)
    if not without & TENS_KEPT:
        value -= ten & -<int> (rank_of(low) == TEN)
    return scored(value, low) - BIG * (own == 0)

cdef inline int discard(const Rules *r, uint64_t legal, uint64_t unseen, uint64_t trumps, const uint32_t without) noexcept nogil:
    """The card that is missed least when the trick is not fought for: the lowest of some suit, trumps last (S3.29)."""
    cdef uint64_t others = legal & ~trumps
    cdef bint trumped = (legal & trumps) != 0
    cdef bint risky = (unseen & trumps) != 0
    cdef int ten = 50 if r.tens else 0
    cdef int best
    if not others:
        return least(r, legal, without)
    best = discard_from(others, unseen, 0, trumped, risky, ten, without)
    best = max(best, discard_from(others, unseen, 1, trumped, risky, ten, without))
    best = max(best, discard_from(others, unseen, 2, trumped, risky, ten, without))
    best = max(best, discard_from(others, unseen, 3, trumped, risky, ten, without))
    return best & 63

cdef inline int second_seat(const Deal *d, uint64_t own, uint64_t winning, uint64_t unseen, const uint32_t without) noexcept nogil:
    """Second seat, able to beat the lead: a sure win or low; a lone master is held where it will win later as well."""
    cdef int card = lowest(winning)
    cdef int rest = count(unseen & suit_mask(d.led))
    if unseen & above(card):
        return lowest(own)
    if winning & (winning - 1) or without & SECOND_LOW:
        return card
    if d.led == d.trump or rest >= YOUNG or (rest > 1 and void_in(d, d.leader + 2, d.led)):
        return lowest(own)
    return card

cdef inline int third_seat(const Deal *d, uint64_t own, uint64_t winning, uint64_t unseen, bint mates, const uint32_t without) noexcept nogil:
    """Third seat, able to beat the best card: only the last seat can still beat it."""
    cdef uint64_t rivals = unseen & suit_mask(d.led)
    cdef uint64_t below = ~above(highest(winning))
    if void_in(d, d.leader + 3, d.led):
        rivals = 0
    if mates and not without & LEAVE_PARTNER:
        # two unseen cards between the partner's and ours at least: fewer, and ours is hardly safer
        if count(rivals & above(d.winning_card) & below) < 2:
            return lowest(own)
    if rivals & below and not without & WIN_SURE:
        winning &= above(highest(rivals & below))
    return lowest(winning)

cdef inline bint partner_safe(const Deal *d, uint64_t unseen) noexcept nogil:
    """Whether the partner, who is winning, will surely or probably keep the trick."""
    return d.k == 3 or (not unseen & above(d.winning_card) and not void_in(d, d.leader + 3, d.led))

cdef inline int follow(const Deal *d, const Rules *r, int seat, uint64_t own, uint64_t unseen, bint mates, const uint32_t without) noexcept nogil:
    """A card of the suit led."""
    cdef uint64_t winning = own & above(d.winning_card) if d.best < 32 else 0
    if r.tens and mates and own & rank_mask(TEN) and not without & TENS_TO_PARTNER and partner_safe(d, unseen):
        return lowest(own & rank_mask(TEN))
    if not winning:
        return least(r, own, without)
    if d.k == 3:
        if mates and not without & LEAVE_PARTNER:
            return least(r, own, without)
        if r.tens and winning & rank_mask(TEN) and not without & TENS_WIN:
            return lowest(winning & rank_mask(TEN))
        return lowest(winning)
    if d.k == 1:
        return second_seat(d, own, winning, unseen, without)
    return third_seat(d, own, winning, unseen, mates, without)

cdef inline int void_play(const Deal *d, const Rules *r, int seat, uint64_t legal, uint64_t unseen, bint mates, const uint32_t without) noexcept nogil:
    """Void in the suit led, with a trump suit about: ruff as cheaply as possible, or throw something away."""
    cdef uint64_t trumps = trump_lane(d)
    cdef uint64_t ruffs = legal & trumps
    if d.best >= 32:
        ruffs &= above(d.winning_card)
    if r.tens and mates and legal & ~trumps & rank_mask(TEN) and not without & TENS_TO_PARTNER and partner_safe(d, unseen):
        return lowest(legal & ~trumps & rank_mask(TEN))
    if mates:
        if d.k == 3 or d.best >= 32 or not unseen & above(d.winning_card):
            ruffs = 0
    elif d.k == 1 and count(unseen & above(d.winning_card)) > 1 and not without & RUFF_WORTH:
        ruffs = 0
    if ruffs:
        if d.k == 3 and r.tens and ruffs & rank_mask(TEN) and not without & TENS_WIN:
            return lowest(ruffs & rank_mask(TEN))
        return lowest(ruffs)
    return discard(r, legal, unseen, trumps, without)

cdef inline bint not_worth(const Deal *d, bint mates) noexcept nogil:
    """Pile: whether a win would pick nothing up and stop no pick-up, or would break the partner's pair (S0.42)."""
    if d.winner == d.runner:
        return mates
    return d.pile < BIG_PILE

cdef inline int greedy_play(const Deal *d, const Rules *r, int seat, uint64_t legal, const uint32_t without) noexcept nogil:
    cdef uint64_t unseen = unseen_by(d, seat)
    cdef uint64_t own
    cdef bint mates
    if not legal & (legal - 1):
        return lowest(legal)
    if d.k == 0:
        if r.trump_mode == FIRST_VOID and d.trump == NONE and not without & VOID_FIRST:
            return open_lead(d, legal, unseen)
        return lead(d, r, seat, legal, unseen, without)
    mates = not (d.winner ^ seat) & 1
    own = legal & suit_mask(d.led)
    if own:
        if r.pile and not_worth(d, mates) and not without & LET_GO:
            return least(r, own, without)
        return follow(d, r, seat, own, unseen, mates, without)
    if d.trump == NONE:
        if r.trump_mode == FIRST_VOID and not without & MAKE_TRUMP:
            return make_trump(legal, unseen)
        return discard(r, legal, unseen, 0, without)
    if r.pile and not_worth(d, mates) and not without & LET_GO:
        return discard(r, legal, unseen, trump_lane(d), without)
    return void_play(d, r, seat, legal, unseen, mates, without)

cdef inline bint ask(const Deal *d, const Rules *r, int seat, const uint32_t without) noexcept nogil:
    """Whether to have the hidden card turned up (S0.55): when the others win the trick, unless this hand hid its only trump."""
    if d.k == 0:
        return without & KEEP_HIDDEN and not d.blind and d.hands[seat] & suit_mask(suit_of(lowest(d.face_down)))
    if without & ASK:
        return False
    if without & ASK_WORTH:
        return True
    if seat == d.hider and not d.blind and not d.hands[seat] & suit_mask(suit_of(lowest(d.face_down))):
        return False
    return (d.winner ^ seat) & 1

cdef inline int greedy_card(const Deal *d, const Rules *r, Dice *dice, int seat, uint64_t legal) noexcept nogil:
    return greedy_play(d, r, seat, legal, 0)

cdef inline bint greedy_reveal(const Deal *d, const Rules *r, Dice *dice, int seat) noexcept nogil:
    return ask(d, r, seat, 0)

cdef inline int ablated_card(const Deal *d, const Rules *r, Dice *dice, int seat, uint64_t legal) noexcept nogil:
    """`greedy` without the ideas in Rules.without."""
    return greedy_play(d, r, seat, legal, r.without)

cdef inline bint ablated_reveal(const Deal *d, const Rules *r, Dice *dice, int seat) noexcept nogil:
    return ask(d, r, seat, r.without)
