"""The player `greedy`: a sound table player that uses public information only.

It sees its own cards, the cards played, the voids shown, the call, the tricks and the pile.  A lead and a discard are chosen
by points: each idea adds what it was found to be worth, in thousandths of the chance to win the deal, and the card with most
points is played.  The points come from playing every card of a position to the end, on some hundred thousand deals
(docs/greedy.md tells how, and what each idea is worth).  Between following, ruffing and throwing away it decides by rule.

Every idea has a bit, so that docs/greedy.md can show what the player loses without it; `without` is the set of ideas left out,
a constant 0 in the player itself.
"""

from libc.stdint cimport int16_t, int8_t, uint32_t, uint64_t

from courtpiece._kernel.bits cimport (
    ALL_CARDS, LANE, NONE, TEN, bit, count, highest, lowest, rank_mask, rank_of, suit_mask, suit_of,
)
from courtpiece._kernel.deal cimport Deal
from courtpiece._kernel.dice cimport Dice
from courtpiece._kernel.rules cimport FIRST_SEVEN, FIRST_VOID, Rules
from courtpiece._kernel.simple cimport above, unseen_by

cdef enum Idea:
    DRAW_TRUMPS = 1 << 0            # lead trumps while the others have some, most of all when the side called (S3.28)
    STOP_DRAWING = 1 << 1           # lead no trump when the others have none (S4.42-S4.45)
    TIME_MASTERS = 1 << 2           # cash a master before it is ruffed, and once trumps are out (S4.45)
    LEAD_SHORT = 1 << 3             # lead short suits while holding trumps, to ruff them
    LEAD_TO_VOIDS = 1 << 4          # away from a ruff by who plays last, towards the partner's
    LEAD_FROM_NOTHING = 1 << 5      # a low card from a suit with little in it, not a king
    SECOND_LOW = 1 << 6             # second seat holds its ace while the suit is young
    SECOND_COVER = 1 << 7           # second seat covers with the lower of two winning cards
    LEAVE_PARTNER = 1 << 8          # leave the partner's winner alone unless the card makes it much safer (S4.41)
    WIN_SURE = 1 << 9               # third seat plays the cheapest of the cards as good as its best
    RUFF_WORTH = 1 << 10            # second seat ruffs only what the partner will not win
    KEEP_GUARDS = 1 << 11           # throw no guard of a king or queen, no ace (S3.29, S4.41)
    KEEP_MASTERS = 1 << 12          # throw no master once trumps are out
    THROW_SHORT = 1 << 13           # throw from short suits while holding trumps, from long ones without
    PAIR_WINS = 1 << 14             # pile: lead a master when it would be the second win in a row (S0.42)
    LET_GO = 1 << 15                # pile: waste nothing on a win that picks nothing up and stops no pair
    MAKE_TRUMP = 1 << 16            # the first void makes its best suit trump (S0.64)
    VOID_FIRST = 1 << 17            # while no trump is made, lead short suits to be void first
    TENS_TO_PARTNER = 1 << 18       # throw a ten on the partner's safe trick (S0.72)
    TENS_WIN = 1 << 19              # the last seat wins with a ten
    TENS_KEPT = 1 << 20             # give no ten to a lost trick
    ASK_WORTH = 1 << 21             # ask for the hidden card only when the others win, and not as the hider without trumps
    SHOW_LATE = 1 << 22             # show the hidden card on a late lead with one or two trumps (S0.56)
    KOT_ON = 1 << 23                # while a kot is on, lead masters (S3.30)
    TRUMP_LENGTH = 1 << 24
    TRUMP_RANK = 1 << 25
    MASTER_OWN = 1 << 26
    OVERRUFF_AHEAD = 1 << 27

# Points, in thousandths of the chance to win; small whole numbers index them.
cdef extern from *:
    """
    /* Trump leads: by the side that called (not ours, ours) and the trumps that the others may hold; a master more; by own
       trumps; by rank of a card that is no master. */
    static const signed char TRUMP_LEAD_OUT[2][14] = {
        {-5, -10, -3, -2, -2, -8, -6, -4, 0, -5, -5, -5, -5, -5}, {-5, -37, -28, -21, -12, 0, 10, 12, 15, 5, 0, 0, 0, 0},
    };
    static const signed char TRUMP_LEAD_MASTER[14] = {2, 72, 53, 45, 29, 18, 6, 5, 5, 5, 5, 5, 5, 5};
    static const signed char TRUMP_LEAD_OWN[14] = {0, -41, -7, 8, 13, 13, 10, 10, 14, 15, 15, 15, 15, 15};
    static const signed char TRUMP_LEAD_RANK[13] = {7, 5, 5, 4, 1, -4, -8, -11, -15, -22, -22, -22, 0};
    /* Masters of other suits once no trumps are out and the hand has none, by unseen cards of the suit. */
    static const short MASTER_SAFE[14] = {144, 115, 110, 100, 78, 53, 30, 10, 5, -20, -30, -30, -30, -30};
    /* Low leads: by rank; by unseen cards above the suit's best; by voids (1 next seat, 2 last seat, 4 partner); by own
       trumps and length. */
    static const signed char LOW_LEAD_RANK[13] = {4, 4, 4, 3, 2, 1, -2, -4, -5, -4, -2, -10, 0};
    static const signed char LOW_LEAD_ABOVE[13] = {-19, -1, 7, 8, 7, 8, 8, 8, 8, 8, 8, 8, 8};
    static const signed char LOW_LEAD_VOIDS[8] = {0, -2, -6, -4, 3, 14, -23, 0};
    static const signed char LOW_LEAD_LENGTH[4][8] = {
        {0, -4, -9, -2, -1, 6, 7, 7}, {0, 4, -7, -8, -6, 0, 12, 12}, {0, 15, 5, -5, -4, 11, 14, 14}, {0, 17, 8, -4, -3, 9, 32, 32},
    };
    /* Pile: a master that would be the second win in a row, by the tricks in the pile. */
    static const short PAIR_TRUMP[13] = {0, 10, 45, 60, 90, 150, 350, 350, 350, 350, 350, 350, 350};
    static const short PAIR_MASTER[13] = {0, 0, 3, 6, 16, 50, 210, 210, 210, 210, 210, 210, 210};
    /* Leads while no trump is made, by length. */
    static const short OPEN_LOW[14] = {0, 139, 39, 5, -20, -22, -24, -36, -36, -36, -36, -36, -36, -36};
    static const short OPEN_MASTER[14] = {0, 40, -16, -40, -56, -93, -120, -150, -150, -150, -150, -150, -150, -150};
    /* Discards: by rank; by unseen cards above; by unseen cards above the suit's best and length; by trumps or none and length;
       masters by unseen cards of the suit, when no trumps are out and when some are. */
    static const signed char DISCARD_RANK[13] = {19, 19, 18, 18, 18, 18, 18, 18, 17, 14, 5, -16, -28};
    static const signed char DISCARD_ABOVE[13] = {-6, 5, 12, 14, 16, 18, 18, 19, 21, 22, 21, 20, 20};
    static const signed char DISCARD_GUARD[4][8] = {
        {0, -10, -7, -3, -4, -4, -4, -4}, {0, 8, -16, -6, -5, -5, -5, -5}, {0, 10, 2, -8, -4, -4, -4, -4}, {0, 14, 5, 4, -5, -5, -5, -5},
    };
    static const signed char DISCARD_LENGTH[2][8] = {{0, -12, -7, -5, 0, 7, 8, 8}, {0, 8, 5, 5, -5, 0, 0, 0}};
    static const signed char DISCARD_MASTER_SAFE[14] = {12, -24, -30, -45, -50, -60, -60, -60, -60, -60, -60, -60, -60, -60};
    static const signed char DISCARD_MASTER_RISKY[14] = {17, 18, 16, 10, 7, 2, -10, -14, -20, -20, -20, -20, -20, -20};
    """
    const int8_t TRUMP_LEAD_OUT[2][14]
    const int8_t *TRUMP_LEAD_MASTER
    const int8_t *TRUMP_LEAD_OWN
    const int8_t *TRUMP_LEAD_RANK
    const int16_t *MASTER_SAFE
    const int8_t *LOW_LEAD_RANK
    const int8_t *LOW_LEAD_ABOVE
    const int8_t *LOW_LEAD_VOIDS
    const int8_t LOW_LEAD_LENGTH[4][8]
    const int16_t *PAIR_TRUMP
    const int16_t *PAIR_MASTER
    const int16_t *OPEN_LOW
    const int16_t *OPEN_MASTER
    const int8_t *DISCARD_RANK
    const int8_t *DISCARD_ABOVE
    const int8_t DISCARD_GUARD[4][8]
    const int8_t DISCARD_LENGTH[2][8]
    const int8_t *DISCARD_MASTER_SAFE
    const int8_t *DISCARD_MASTER_RISKY

cdef enum:
    YOUNG = 8                       # unseen cards of a suit from which second seat holds its ace
    BIG_PILE = 6                    # tricks in the pile that make any win worth while

# What a leader knows of trumps and of the score.
cdef struct Table:
    int out                 # trumps that the opponents may hold
    int own                 # own trumps
    bint mates              # the partner may hold trumps
    bint ours               # this side called
    int pair                # tricks in the pile when a win is the second in a row, else 0
    bint kot                # one side has taken every trick so far, and some

cdef inline uint64_t lanes(int suits) noexcept nogil:
    """All cards of a set of suits (bit s: suit s)."""
    return (
        <uint64_t> (suits & 1) | <uint64_t> (suits & 2) << 15 | <uint64_t> (suits & 4) << 30 | <uint64_t> (suits & 8) << 45
    ) * LANE

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

cdef inline int trump_lead(const Table *t, int card, bint master, const uint32_t without) noexcept nogil:
    """Points of leading a trump: its length and the trumps out (S3.28, S4.42, S4.43)."""
    cdef int value = 0 if without & TRUMP_LENGTH else TRUMP_LEAD_OWN[t.own]
    if not without & DRAW_TRUMPS:
        value += TRUMP_LEAD_OUT[t.ours][t.out]
        if t.out and not t.mates:
            value += 38
    if master:
        if not without & STOP_DRAWING:
            value += TRUMP_LEAD_MASTER[t.out]
        if not without & PAIR_WINS:
            value += PAIR_TRUMP[t.pair]
    elif not without & TRUMP_RANK:
        value += TRUMP_LEAD_RANK[rank_of(card)]
    return value

cdef inline int master_lead(const Table *t, int length, int unseen, bint ruffed, const uint32_t without) noexcept nogil:
    """Points of leading a card that no opponent can beat in its suit."""
    cdef int value = 5
    if t.kot and not without & KOT_ON:
        value += 30
    if not without & PAIR_WINS:
        value += PAIR_MASTER[t.pair]
    if length >= 5 and not without & MASTER_OWN:
        value += 15
    if without & TIME_MASTERS:
        return value
    if t.out:
        if not t.own:
            value += 15
        if ruffed:
            value -= 13
    else:
        value += -17 if t.own else MASTER_SAFE[unseen]
    return value

cdef inline int low_lead(
    const Deal *d, const Table *t, int seat, int card, int length, int over, const uint32_t without
) noexcept nogil:
    """Points of leading the lowest card of a suit."""
    cdef int suit = suit_of(card)
    cdef int value = 0
    cdef int voids = void_in(d, seat + 1, suit) | void_in(d, seat + 3, suit) << 1
    if not without & LEAD_FROM_NOTHING:
        value += LOW_LEAD_RANK[rank_of(card)] + LOW_LEAD_ABOVE[over]
    if not without & LEAD_SHORT:
        value += LOW_LEAD_LENGTH[min(t.own, 3)][min(length, 7)]
    if not without & LEAD_TO_VOIDS:
        if t.mates:
            voids |= void_in(d, seat + 2, suit) << 2
        if t.out:
            value += LOW_LEAD_VOIDS[voids]
    return value

cdef inline int lead(const Deal *d, const Rules *r, int seat, uint64_t legal, uint64_t unseen, const uint32_t without) noexcept nogil:
    """The lead with most points: of each suit its master, or else its lowest card."""
    cdef uint64_t theirs = unseen & ~lanes(d.voids[(seat + 1) & 3] & d.voids[(seat + 3) & 3])
    cdef int foes_void = d.voids[(seat + 1) & 3] | d.voids[(seat + 3) & 3]
    cdef uint64_t masters = legal & ~shadow(theirs)
    cdef uint64_t trumps = trump_lane(d)
    cdef uint64_t own
    cdef Table t
    cdef int suit, card, value, best_value = -100000, best = NONE
    t.out = count(theirs & trumps)
    t.own = count(legal & trumps)
    t.mates = (unseen & trumps & ~lanes(d.voids[seat ^ 2])) != 0
    t.ours = d.caller != NONE and not (d.caller ^ seat) & 1
    t.pair = d.pile if r.pile and d.runner == seat else 0
    t.kot = r.kot == FIRST_SEVEN and d.tricks >= 4 and (not d.taken[0] or not d.taken[1])
    for suit in range(4):
        own = legal & suit_mask(suit)
        if own:
            card = highest(own) if masters & own else lowest(own)
            if suit == d.trump:
                value = trump_lead(&t, card, (masters & own) != 0, without)
            elif masters & own:
                value = master_lead(&t, count(own), count(unseen & suit_mask(suit)), (foes_void >> suit) & 1, without)
            else:
                value = low_lead(d, &t, seat, card, count(own), count(unseen & above(highest(own))), without)
            if value > best_value:
                best_value = value
                best = card
    return best

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

cdef inline int discard(const Rules *r, uint64_t legal, uint64_t unseen, uint64_t trumps, const uint32_t without) noexcept nogil:
    """The card that is missed least when the trick is not fought for: the lowest of some suit, trumps last (S3.29)."""
    cdef uint64_t others = legal & ~trumps
    cdef uint64_t own
    cdef bint trumped = (legal & trumps) != 0
    cdef bint risky = (unseen & trumps) != 0
    cdef int suit, card, over, length, value, best_value = -100000, best = NONE
    if not others:
        return least(r, legal, without)
    for suit in range(4):
        own = others & suit_mask(suit)
        if own:
            card = lowest(own)
            over = count(unseen & above(card))
            length = min(count(own), 7)
            value = DISCARD_RANK[rank_of(card)] + DISCARD_ABOVE[over]
            if not without & THROW_SHORT:
                value += DISCARD_LENGTH[trumped][length]
            if not without & KEEP_GUARDS:
                value += DISCARD_GUARD[min(count(unseen & above(highest(own))), 3)][length]
            if not over and not without & KEEP_MASTERS:
                if risky:
                    value += DISCARD_MASTER_RISKY[count(unseen & suit_mask(suit))]
                else:
                    value += DISCARD_MASTER_SAFE[count(unseen & suit_mask(suit))]
            if r.tens and rank_of(card) == TEN and not without & TENS_KEPT:
                value -= 50
            if value > best_value:
                best_value = value
                best = card
    return best

cdef inline int second_seat(const Deal *d, uint64_t own, uint64_t winning, uint64_t unseen, int next_seat, const uint32_t without) noexcept nogil:
    """Second seat, able to beat the lead: a sure win, or a cover that keeps a better card, or low."""
    cdef int card = lowest(winning)
    cdef int rest = count(unseen & suit_mask(d.led))
    cdef bint spare = (winning & (winning - 1)) != 0
    if not unseen & above(card):
        if spare or without & SECOND_LOW:
            return card
        if rest < YOUNG and not (void_in(d, next_seat, d.led) and rest > 1):
            return card
    elif spare and d.led != d.trump and not without & SECOND_COVER:
        return card
    return lowest(own)

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
        return second_seat(d, own, winning, unseen, seat + 1, without)
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
        elif void_in(d, seat + 1, d.led) and not without & OVERRUFF_AHEAD:
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
    """Whether to have the hidden card turned up (S0.55, S0.56)."""
    cdef uint64_t trumps = 0
    if seat == d.hider and not d.blind:
        trumps = d.hands[seat] & suit_mask(suit_of(lowest(d.face_down)))
        if d.k == 0:
            return not without & SHOW_LATE and d.tricks >= 6 and 1 <= count(trumps) <= 2
        if not trumps and not without & ASK_WORTH:
            return False
    elif d.k == 0:
        return False
    return (d.winner ^ seat) & 1 or without & ASK_WORTH

cdef inline int greedy_card(const Deal *d, const Rules *r, Dice *dice, int seat, uint64_t legal) noexcept nogil:
    return greedy_play(d, r, seat, legal, 0)

cdef inline bint greedy_reveal(const Deal *d, const Rules *r, Dice *dice, int seat) noexcept nogil:
    return ask(d, r, seat, 0)

cdef inline int ablated_card(const Deal *d, const Rules *r, Dice *dice, int seat, uint64_t legal) noexcept nogil:
    """`greedy` without the ideas in Rules.without."""
    return greedy_play(d, r, seat, legal, r.without)

cdef inline bint ablated_reveal(const Deal *d, const Rules *r, Dice *dice, int seat) noexcept nogil:
    return ask(d, r, seat, r.without)
