"""One deal under way, and the rules that move it: the fast form of courtpiece/deal.py.

Seats are 0..3 in order of play from eldest; side 0 = {0, 2} is the caller's side.  A suit or seat that does not exist is NONE.
The functions take what the loop's shape depends on (the trump mode, the place k in the trick) as arguments of their own: a
caller that passes constants gets code without the branches it never needs.
"""

from libc.stdint cimport uint8_t, uint64_t

from courtpiece._kernel.bits cimport ACE, NONE, TEN, bit, count, lowest, rank_mask, rank_of, suit_mask, suit_of
from courtpiece._kernel.rules cimport (
    ALL_THIRTEEN, AT_SEVEN, CALLER_KOT, CALLER_WIN, CLAIM_MADE, DEFENDER_KOT, DEFENDER_WIN, FIRST_SEVEN,
    FIRST_VOID, FOUR_TENS, HIDDEN, Rules, THREE_TENS, TWO_TENS, UNLESS_SHUTOUT, WHITEWASH,
)

cdef struct Deal:
    uint64_t hands[4]       # cards each seat may play; the face-down card is not among them
    uint64_t face_down      # the hidden trump card while it lies face down, else 0
    uint64_t played         # every card played, the trick under way included; random players do without
    uint8_t order[4][13]    # the cards of each seat in the order dealt
    uint8_t voids[4]        # bit s: the seat has shown that it holds no card of suit s; random players do without
    uint8_t trump           # the suit that counts as trump now
    uint8_t caller          # who called or hid; eldest when nobody did; NONE in first-void
    uint8_t hider           # whose card the face-down card is
    bint blind              # nobody has seen the face-down card (S0.58)
    uint8_t claimer         # who claims all thirteen (S4.32)
    uint8_t leader          # who leads the trick under way
    uint8_t k               # cards in the trick under way
    uint8_t table[4]        # its cards in order of play
    uint8_t led             # suit led
    uint8_t best            # strength of the winning card so far
    uint8_t winner          # who wins the trick so far
    uint8_t winning_card
    bint obliged            # the seat to act has had the hidden card turned up and must trump if able (S0.55, S0.80)
    uint8_t tricks          # tricks finished; an ending starts with those that its hands are short of
    uint8_t taken[2]        # tricks collected, by side
    uint8_t tens[2]         # tens in the tricks collected, by side
    uint8_t pile            # tricks in the pile
    uint8_t pile_tens       # tens in the pile
    uint8_t runner          # who won the last trick, while the win can pair with the next (S0.42)
    uint8_t last_win        # the card that won it
    uint8_t swept           # the side that took the first seven tricks
    bint over
    uint8_t outcome         # Outcome, once over
    uint8_t side            # the side that won it

cdef inline void open_deal(Deal *d, int cards) noexcept nogil:
    """Set all but the cards to the state before the call, of a deal of so many cards a seat (an ending when below 13)."""
    d.face_down = 0
    d.played = 0
    d.voids[0] = d.voids[1] = d.voids[2] = d.voids[3] = 0
    d.trump = NONE
    d.caller = NONE
    d.hider = NONE
    d.blind = False
    d.claimer = NONE
    d.leader = 0
    d.k = 0
    d.led = NONE
    d.obliged = False
    d.tricks = 13 - cards
    d.taken[0] = d.taken[1] = 0
    d.tens[0] = d.tens[1] = 0
    d.pile = 0
    d.pile_tens = 0
    d.runner = NONE
    d.last_win = 0
    d.swept = NONE
    d.over = False
    d.outcome = NONE
    d.side = NONE

cdef inline int seat_to_act(const Deal *d) noexcept nogil:
    return (d.leader + d.k) & 3

cdef inline int strength(int card, int led, int trump) noexcept nogil:
    """The suit led by rank above nothing, any other trump above it (S0.17); the led suit first, so that a trump lead goes by rank (A31)."""
    cdef int suit = suit_of(card)
    return rank_of(card) + (16 if suit == led else (32 if suit == trump else 0))

cdef inline void turn_up(Deal *d, const Rules *r) noexcept nogil:
    """The hidden card goes back to its owner's hand and its suit is trump from now on (S0.53, A34)."""
    cdef int i, value
    d.hands[d.hider] |= d.face_down
    d.trump = suit_of(lowest(d.face_down))
    d.face_down = 0
    d.voids[d.hider] &= ~(1 << d.trump)
    if r.whole_trick and d.k > 0:
        d.best = 0
        for i in range(d.k):
            value = strength(d.table[i], d.led, d.trump)
            if value > d.best:
                d.best = value
                d.winner = (d.leader + i) & 3
                d.winning_card = d.table[i]

cdef inline bint begin_turn(Deal *d, const Rules *r, int seat) noexcept nogil:
    """Turn the hidden card up where that happens by itself; return whether the seat may reveal it now.

    Only called while a card lies face down.
    """
    if seat == d.hider and d.hands[seat] == 0:              # his last card (A37)
        turn_up(d, r)
        return False
    if d.k == 0:
        return r.reveal_on_lead and seat == d.hider          # S0.56, S0.81, A10
    if d.hands[seat] & suit_mask(d.led):
        return False
    if r.at_first_void:                                     # S0.79
        turn_up(d, r)
        d.obliged = r.must_trump
        return False
    return True                                             # S0.55, A35

cdef inline void reveal(Deal *d, const Rules *r) noexcept nogil:
    """The seat to act asks for the hidden card, or shows it when leading."""
    turn_up(d, r)
    d.obliged = r.must_trump or d.k == 0

cdef inline uint64_t legal_cards(const Deal *d, int seat, const int k, const int trump_mode) noexcept nogil:
    """The cards that the seat to act may play, after begin_turn (S0.15, S0.16)."""
    cdef uint64_t hand = d.hands[seat]
    cdef uint64_t follow
    if k > 0:
        follow = hand & suit_mask(d.led)
        if follow:
            return follow
    if trump_mode == HIDDEN and d.obliged:
        follow = hand & suit_mask(d.trump)
        if follow:
            return follow
    return hand

cdef inline void put(Deal *d, int seat, int card, const int k, const int trump_mode) noexcept nogil:
    """The seat to act plays a legal card; the trick is not closed yet."""
    cdef int value
    d.hands[seat] ^= bit(card)
    d.played |= bit(card)
    if k == 0:
        d.led = suit_of(card)
        d.best = 16 + rank_of(card)
        d.winner = seat
        d.winning_card = card
    else:
        if trump_mode == FIRST_VOID and d.trump == NONE and suit_of(card) != d.led:
            d.trump = suit_of(card)                         # S0.64, S0.65
        if suit_of(card) != d.led:
            d.voids[seat] |= 1 << d.led
        value = strength(card, d.led, d.trump)
        if value > d.best:
            d.best = value
            d.winner = seat
            d.winning_card = card
    if trump_mode == HIDDEN:
        d.obliged = False
    d.table[k] = card
    d.k = k + 1

cdef inline bint pick_up(Deal *d, const Rules *r) noexcept nogil:
    """Whether the winner of the trick just finished takes the pile; keeps the runs (S0.42-S0.50)."""
    cdef bint paired = d.winner == d.runner
    cdef bint two_aces
    if d.tricks == 13:                                 # S0.45, A24
        return True
    if paired:
        two_aces = rank_of(d.winning_card) == ACE and rank_of(d.last_win) == ACE
        if not (
            (r.block_two_aces and two_aces)
            or (r.block_trump_ace and rank_of(d.winning_card) == ACE and suit_of(d.winning_card) == d.trump)
            or (r.block_tricks >> d.tricks) & 1
        ):
            d.runner = NONE                                 # A20
            return True
        if r.block_restarts:                                # A22
            d.runner = NONE
            return False
    d.runner = d.winner
    d.last_win = d.winning_card
    return False

cdef inline void finish(Deal *d, const Rules *r) noexcept nogil:
    """Settle who has won, and how."""
    cdef int side
    cdef int claim_side = d.claimer & 1
    d.over = True
    if d.claimer != NONE:
        if d.taken[claim_side] == 13:
            d.outcome = CLAIM_MADE                          # S4.57
            d.side = claim_side
            return
        if r.claim_ends:                                    # B18: plainly, whatever the objective
            d.side = claim_side ^ 1
            d.outcome = CALLER_WIN if d.side == 0 else DEFENDER_WIN
            return
    if r.tens:
        if d.tens[0] == 2 and d.tens[1] == 2:
            d.side = 0 if d.taken[0] >= 7 else 1            # S0.73, A46
            d.outcome = TWO_TENS
        else:
            d.side = 0 if d.tens[0] > d.tens[1] else 1      # S0.72, A45
            d.outcome = FOUR_TENS if d.tens[d.side] == 4 else THREE_TENS
        if d.taken[d.side] == 13:
            d.outcome = WHITEWASH                           # A44
        return
    side = 0 if d.taken[0] >= 7 else 1
    d.side = side
    if (r.kot == FIRST_SEVEN and d.swept == side) or (r.kot == ALL_THIRTEEN and d.taken[side] == 13):
        d.outcome = CALLER_KOT if side == 0 else DEFENDER_KOT
    else:
        d.outcome = CALLER_WIN if side == 0 else DEFENDER_WIN

cdef inline void close_trick(Deal *d, const Rules *r, const bint pile) noexcept nogil:
    """After the fourth card: collect the trick, pass the lead, and end the deal where the rules end it."""
    cdef int side = d.winner & 1
    cdef int tens = 0
    if r.tens:
        tens = count((bit(d.table[0]) | bit(d.table[1]) | bit(d.table[2]) | bit(d.table[3])) & rank_mask(TEN))
    d.tricks += 1
    d.k = 0
    d.leader = d.winner
    if pile:
        d.pile += 1
        d.pile_tens += tens
        if not pick_up(d, r):
            return
        d.taken[side] += d.pile
        d.tens[side] += d.pile_tens
        d.pile = 0
        d.pile_tens = 0
    else:
        d.taken[side] += 1
        d.tens[side] += tens
        if d.tricks == 7 and d.taken[side] == 7:
            d.swept = side                                  # S0.38
    if d.tricks == 13:
        finish(d, r)
    elif r.deal_ends == AT_SEVEN:
        if d.taken[side] == 7:                              # S0.37
            finish(d, r)
    elif r.deal_ends == UNLESS_SHUTOUT:
        if (d.taken[0] >= 7 or d.taken[1] >= 7) and d.taken[0] and d.taken[1]:     # S0.46, A28
            finish(d, r)
    if r.claim_ends and not d.over and d.claimer != NONE and d.taken[(d.claimer & 1) ^ 1]:
        finish(d, r)
