# Exact search under any rules, all four hands open, included by the modules that use it: trump that is set or shown in the play,
# piles, tens, and what a deal scores.
#
# The positions are the kernel's own deals, moved by its own rules (deal.pxd).  They are played to the last card: where a deal ends
# early, the rest of the tricks changes nothing of its end (A28, B13).  A question is a set of ends: which numbers of tricks and tens
# collected by side 0, and which sweep of the first seven tricks, answer it with yes.  Zero-window searches answer it, over a table of
# patterns as in solver_search.pxi; once trump is settled, and where only the number of tricks counts, that search takes over.

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

include "placed.pxi"
include "solver_search.pxi"

from courtpiece._kernel.bits cimport ACE, packed_mask, rank_mask, rank_of
from courtpiece._kernel.deal cimport finish, legal_cards
from courtpiece._kernel.exact_table cimport (
    ExactPattern, ExactSlot, ExactTable, FEWEST_SLOT_BITS, Key, forget_all, known, note,
)
from courtpiece._kernel.rules cimport (
    CALLER_KOT, CALLER_WIN, CLAIM_MADE, DEFENDER_KOT, DEFENDER_WIN, FOUR_TENS, THREE_TENS, TWO_TENS, WHITEWASH,
)

cdef enum:
    MOST_PLIES = 56             # 52 cards, a reveal, and the start
    MOST_MASKS = 5              # of a question: one for each number of tens, or of sweeps
    SHOWN = 64                  # in a hint: the card is played after a reveal
    ENDS = 3 * 5 * 14           # sweeps, tens and tricks of side 0

cdef struct Asked:
    uint16_t yes[3][5]          # by sweep (none, side 0, side 1) and tens of side 0: bit t, whether t tricks of side 0 answer yes
    bint tens                   # the number of tens matters
    bint sweeps                 # the sweep matters

cdef struct Answer:
    uint64_t ranks              # the cards whose rank mattered
    int bound                   # on the tricks that side 0 collects from here, where only their number counts
    bint yes

cdef struct Ends:
    int32_t worth[3][5][14]     # what an end is worth to side 0, by sweep, tens and tricks of side 0
    int32_t order[ENDS]         # the worths there are, from the lowest
    int size

cdef struct Exact:
    Deal deals[MOST_PLIES]      # the deal after each card and reveal of the line under search
    Rules rules                 # the rules, all deals played to the end
    Rules ends_by               # the rules with their own ends of the deal
    Asked asked
    uint64_t world              # number of the deal, below 256: of others only what the fixed search learnt holds
    uint64_t low_plane          # cards dealt to seats 1 and 3
    uint64_t high_plane         # cards dealt to seats 2 and 3
    uint64_t nodes              # cards tried, without those of `fast`
    ExactTable table
    Hint *hints
    Search fast                 # takes over once trump is settled
    Table fast_table
    Search sweeps[2]            # and for the first seven tricks of a side
    Table sweep_tables[2]
    Search view                 # what the move order looks at


cdef inline Answer answer(uint64_t ranks, int bound, bint yes) noexcept nogil:
    cdef Answer a
    a.ranks = ranks
    a.bound = bound
    a.yes = yes
    return a


cdef inline int sweep_of(const Deal *d) noexcept nogil:
    return 0 if d.swept == NONE else 1 + d.swept


cdef inline uint64_t ranks_of(uint64_t cards, int rank) noexcept nogil:
    """One bit a suit: whether the card of the rank is there."""
    cards >>= rank
    return (cards & 1) | (cards >> 15 & 2) | (cards >> 30 & 4) | (cards >> 45 & 8)


cdef inline uint64_t down_card(const Deal *d, int seat) noexcept nogil:
    """The face-down card if it is the seat's."""
    return d.face_down if d.hider == seat else 0


cdef inline Answer by_fixed_trump(Exact *s, const Deal *d, int need) noexcept nogil:
    """The answer of the search with fixed trump."""
    cdef Search *fast = &s.fast
    cdef Trick *t = &fast.tricks[0]
    cdef uint64_t trumps = suit_mask(TRUMP) if d.trump != NONE else 0
    cdef int seat
    cdef Found f
    if fast.trumps != trumps:
        forget(fast.table)
        fast.trumps = trumps
    for seat in range(4):
        fast.hands[seat] = turned(d.hands[seat], d.trump)
    fast.low_plane = turned(s.low_plane, d.trump)
    fast.high_plane = turned(s.high_plane, d.trump)
    t.leader = d.leader
    t.left = 13 - d.tricks
    t.shape = shape_of(fast.hands)
    f = lead(fast, t, need)
    return answer(turned(f.ranks, d.trump), f.tricks, f.tricks >= need)


cdef inline bint sweeps_by_fixed_trump(Exact *s, const Deal *d, int side, uint64_t *ranks) noexcept nogil:
    """Whether a side that has all tricks so far takes the first seven (S0.38), by the search with fixed trump."""
    cdef Search *fast = &s.sweeps[side]
    cdef Trick *t = &fast.tricks[0]
    cdef uint64_t trumps = suit_mask(TRUMP) if d.trump != NONE else 0
    cdef int seat, need = 7 - d.tricks
    cdef Found f
    if fast.trumps != trumps:
        forget(fast.table)
        fast.trumps = trumps
    for seat in range(4):
        fast.hands[seat] = turned(d.hands[(seat + side) & 3], d.trump)
    # The owners' numbers, counted from seat 1 where side 1 asks.
    fast.low_plane = turned(s.low_plane if side == 0 else ~s.low_plane, d.trump)
    fast.high_plane = turned(s.high_plane if side == 0 else ~(s.low_plane ^ s.high_plane), d.trump)
    t.leader = (d.leader - side) & 3
    t.left = 13 - d.tricks
    t.shape = shape_of(fast.hands)
    f = lead(fast, t, need)
    ranks[0] = turned(f.ranks, d.trump)
    return f.tricks >= need


cdef inline int cash(const Deal *d, uint64_t all, uint64_t *ranks) noexcept nogil:
    """How many tricks the seat on lead can take one after the other, whatever the others do."""
    cdef int me = d.leader, suit, seat, safe, winners, tricks = 0
    cdef uint64_t lane, mine, others, top
    cdef uint64_t hand = d.hands[me], trumps = suit_mask(d.trump) if d.trump != NONE else 0
    cdef uint64_t away = all & ~(hand | down_card(d, me))
    cdef bint settled = d.trump != NONE and d.face_down == 0
    for suit in range(4):
        lane = suit_mask(suit)
        mine = hand & lane
        if not mine:
            continue
        others = away & lane
        top = mine & above(top_bit(others)) if others else mine
        winners = count(top)
        if not winners:
            continue
        safe = 13
        if not (settled and lane == trumps):
            for seat in range(4):
                # Who follows can neither trump, nor set trump, nor have it shown.
                if seat != me and (not settled or d.hands[seat] & trumps):
                    safe = least(safe, count(d.hands[seat] & lane))
        winners = least(winners, safe)
        tricks += winners
        ranks[0] |= keep_top(top, winners)
    return tricks


cdef inline int collected(const Deal *d, const Rules *r, uint64_t cashed) noexcept nogil:
    """Tricks that the seat on lead collects by winning with these cards one after the other, at least.

    Aces that can refuse a pick-up are spent where a win cannot pair, as far as there are such places.
    """
    cdef int wins = count(cashed), pile = d.pile, tricks = d.tricks, taken = 0, aces = 0, i
    cdef bint paired = d.runner == d.leader, closed, refused, is_ace, ace_before = rank_of(d.last_win) == ACE
    cdef bint trump_ace = False
    if not r.pile:
        return wins
    if d.tricks + wins == 13:
        return 13 - d.tricks + d.pile
    if r.block_trump_ace and d.trump != NONE:
        trump_ace = cashed & rank_mask(ACE) & suit_mask(d.trump) != 0
    if r.block_two_aces:
        aces = count(cashed & rank_mask(ACE)) - trump_ace
    for i in range(wins, 0, -1):
        tricks += 1
        pile += 1
        closed = r.block_tricks >> tricks & 1
        is_ace = aces + trump_ace > 0 and (not paired or closed or aces + trump_ace == i)
        refused = r.block_two_aces and is_ace and ace_before
        if is_ace and trump_ace and (not paired or closed or not aces):
            trump_ace = False
            refused = True
        elif is_ace:
            aces -= 1
        ace_before = is_ace
        if not paired:
            paired = True
        elif closed or refused:
            paired = not r.block_restarts
        else:
            taken += pile
            pile = 0
            paired = False
    return taken


cdef inline Answer last_cards(Exact *s, int ply) noexcept nogil:
    """The last trick, in which nobody has a choice."""
    cdef Deal *d = &s.deals[ply + 1]
    cdef int k, before = s.deals[ply].taken[0]
    cdef uint64_t cards, lane, best
    d[0] = s.deals[ply]
    cards = d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3]
    for k in range(4):
        put(d, (d.leader + k) & 3, lowest(d.hands[(d.leader + k) & 3]), k, s.rules.trump_mode)
    close_trick(d, &s.rules, s.rules.pile)
    best = bit(d.winning_card)
    lane = lane_of(best)
    return answer(
        best if cards & lane != best else 0, d.taken[0] - before,
        s.asked.yes[sweep_of(d)][d.tens[0]] >> d.taken[0] & 1,
    )


cdef Answer start_trick(Exact *s, int ply) noexcept nogil:
    """The answer at the start of a trick."""
    cdef Deal *d = &s.deals[ply]
    cdef const Rules *r = &s.rules
    cdef int left = 13 - d.tricks, more = left + d.pile, size = 1, i, wins, gained, need = 1, lower, upper, tens
    cdef uint16_t masks[MOST_MASKS]
    cdef uint16_t full = (1 << (more + 1)) - 1, any_yes, all_yes, allowed
    cdef uint64_t all, special = 0, low, high, marks, ranks = 0
    cdef bint alive = False, counted, settled
    cdef Key key
    cdef ExactPattern *pattern
    cdef Answer a
    if left == 0:
        return answer(0, 0, s.asked.yes[sweep_of(d)][d.tens[0]] >> d.taken[0] & 1)
    all = d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3] | d.face_down
    # What is still asked: which tricks that side 0 may collect from here answer yes, by the tens and the sweep to come.
    masks[0] = s.asked.yes[sweep_of(d)][d.tens[0]] >> d.taken[0] & full
    if s.asked.tens:
        tens = count(all & rank_mask(TEN)) + d.pile_tens
        for i in range(1, tens + 1):
            masks[i] = s.asked.yes[0][d.tens[0] + i] >> d.taken[0] & full
        size = tens + 1
    elif s.asked.sweeps and d.tricks < 7:
        masks[1] = masks[2] = masks[0]
        for i in range(2):
            if d.taken[i] == d.tricks:
                masks[1 + i] = s.asked.yes[1 + i][0] >> d.taken[0] & full
        size = 3
        alive = True
    any_yes = 0
    all_yes = full
    for i in range(size):
        any_yes |= masks[i]
        all_yes &= masks[i]
    if any_yes == 0:
        return answer(0, more, False)
    if all_yes == full:
        return answer(0, 0, True)
    settled = not r.pile and (r.trump_mode == CALLED or d.trump != NONE) and not d.face_down
    if alive and settled:
        if masks[0] == 0 and masks[2] == 0 and masks[1] == full:
            settled = sweeps_by_fixed_trump(s, d, 0, &ranks)
            return answer(ranks, 0, settled)
        if masks[2] == 0 and masks[0] == full and masks[1] == full:
            settled = sweeps_by_fixed_trump(s, d, 1, &ranks)
            return answer(ranks, 0, not settled)
    counted = any_yes == all_yes and masks[0] == (full & ~((1 << lowest(masks[0])) - 1))
    if any_yes == all_yes:
        size = 1
        alive = False
    if counted:
        need = lowest(masks[0])
        if settled:
            return by_fixed_trump(s, d, need)
    if left == 1 and not d.face_down:
        return last_cards(s, ply)
    # Tricks that the seat on lead is sure of.
    wins = cash(d, all, &ranks)
    if wins:
        gained = collected(d, r, ranks)
        any_yes = 0
        all_yes = full
        allowed = full & ~((1 << gained) - 1) if d.leader & 1 == 0 else (1 << (more - gained + 1)) - 1
        for i in range(size):
            if alive:
                if i == 1 + ((d.leader & 1) ^ 1):
                    continue                                # the other side's sweep ends
                if d.tricks + wins >= 7 and d.taken[d.leader & 1] == d.tricks and i != 1 + (d.leader & 1):
                    continue                                # the leader's side has it
            any_yes |= masks[i] & allowed
            all_yes &= masks[i] | ~allowed
        if d.leader & 1 == 0:
            if all_yes == full:
                return answer(ranks, gained, True)
        elif any_yes == 0:
            return answer(ranks, more - gained, False)
    if r.pile and (r.block_two_aces or r.block_trump_ace):
        special = all & rank_mask(ACE)
    if s.asked.tens and size > 1:
        special |= all & rank_mask(TEN)
    key.shape = key_of(shape_of(d.hands), d.leader)
    key.state = (
        (d.trump & 7) | <uint64_t> (d.face_down != 0) << 3 | ranks_of(special, ACE) << 4 | ranks_of(special, TEN) << 8
        | <uint64_t> (d.runner & 7) << 12 | <uint64_t> d.pile << 16 | <uint64_t> alive << 23
        | s.world << 56
    )
    if d.runner != NONE and r.block_two_aces:
        key.state |= <uint64_t> (rank_of(d.last_win) == ACE) << 15
    key.asked = 0
    if not counted:
        key.state |= <uint64_t> masks[0] << 24
        if size > 1:
            key.state |= <uint64_t> d.pile_tens << 20 | <uint64_t> masks[1] << 38
            for i in range(2, size):
                key.asked |= <uint64_t> masks[i] << (14 * (i - 2))
    low = gather(s.low_plane, all)
    high = gather(s.high_plane, all)
    marks = gather(special | d.face_down, all)
    pattern = known(&s.table, &key, low, high, marks, need)
    if pattern != NULL:
        return answer(
            scatter(pattern.mask, all), pattern.lower if pattern.lower >= need else pattern.upper, pattern.lower >= need)
    a = turn(s, ply, all, special)
    if counted:
        lower = a.bound if a.yes else 0
        upper = more if a.yes else a.bound
    else:
        lower = upper = a.yes
    note(&s.table, &key, low, high, marks, gather(down_to(a.ranks, all), all), lower, upper)
    return a


cdef inline Answer after_card(Exact *s, int ply, int card, uint64_t all, uint64_t special) noexcept nogil:
    """The answer after the seat to act has played the card."""
    cdef Deal *d = &s.deals[ply]
    cdef Deal *after = d + 1
    cdef Answer a
    cdef uint64_t trick, best, lane, others, held
    s.nodes += 1
    after[0] = d[0]
    put(after, seat_to_act(d), card, d.k, s.rules.trump_mode)
    if after.k < 4:
        return turn(s, ply + 1, all, special)
    close_trick(after, &s.rules, s.rules.pile)
    a = start_trick(s, ply + 1)
    a.bound += after.taken[0] - d.taken[0]
    # The winning card mattered if another card of its suit was in the trick.
    best = bit(after.winning_card)
    lane = lane_of(best)
    trick = bit(after.table[0]) | bit(after.table[1]) | bit(after.table[2]) | bit(after.table[3])
    if trick & lane != best:
        a.ranks |= best
        if a.yes != (after.winner & 1 == 0):
            held = after.hands[after.winner] | down_card(after, after.winner) | best
            others = all & ~held & lane & (best - 1)
            a.ranks |= low_bit(held & lane & above(top_bit(others))) if others else low_bit(held & lane)
    return a


cdef inline int order_moves(Exact *s, const Deal *d, uint64_t moves, uint64_t all, uint8_t *order) noexcept nogil:
    """The cards, most promising first."""
    cdef Search *view = &s.view
    cdef Trick *t = &view.tricks[0]
    cdef int seat = seat_to_act(d), i
    cdef uint64_t over
    for i in range(4):
        view.hands[i] = d.hands[i]
    view.trumps = suit_mask(d.trump) if d.trump != NONE else 0
    t.leader = d.leader
    t.all = all
    if d.k == 0:
        return order_leads(view, t, moves, order)
    t.led = suit_mask(d.led)
    t.best[d.k - 1] = bit(d.winning_card)
    t.winner[d.k - 1] = d.winner
    over = beating(view, t, bit(d.winning_card))
    return order_follows(view, t, moves, seat, over, order, d.k)


cdef bint try_cards(
    Exact *s, int ply, uint64_t all, uint64_t special, int hinted, Answer *best, int *decider,
) noexcept nogil:
    """Try the legal cards until one decides for the seat to act; else add up what the failures relied on."""
    cdef Deal *d = &s.deals[ply]
    cdef int seat = seat_to_act(d), i = 0, size
    cdef bint asking = seat & 1 == 0
    cdef uint64_t moves, plain, own, card, lane, ranks
    cdef uint8_t order[14]
    cdef Answer a
    special |= d.face_down
    moves = legal_cards(d, seat, d.k, s.rules.trump_mode)
    plain = moves & ~special
    own = (d.hands[seat] | down_card(d, seat)) & special
    moves = (moves & special) | chain_tops(plain, all & ~own)
    if hinted != NO_HINT and moves >> hinted & 1:
        order[0] = hinted
        size = 1
    else:
        hinted = NO_HINT
        size = order_moves(s, d, moves, all, order)
    while i < size:
        card = bit(order[i])
        if moves & card:
            a = after_card(s, ply, order[i], all, special)
            if a.yes == asking:
                best[0] = a
                decider[0] = order[i]
                return True
            best.ranks |= a.ranks
            best.bound = most(best.bound, a.bound) if asking else least(best.bound, a.bound)
            moves ^= card
            if not card & special:
                # Cards below every rank of the suit that mattered would fail in the same way.
                lane = lane_of(card) & ~special
                ranks = a.ranks & lane_of(card)
                if not ranks:
                    moves &= ~lane
                elif card < low_bit(ranks):
                    moves &= ~(lane & (low_bit(ranks) - 1))
        i += 1
        if i == 1 and hinted != NO_HINT:
            i = 0
            hinted = NO_HINT
            if not moves:
                break
            size = order_moves(s, d, moves, all, order)
    return False


cdef inline uint64_t situation_of(const Deal *d, int seat, uint64_t all) noexcept nogil:
    """What a hint is filed under."""
    cdef uint64_t hand = d.hands[seat], where = d.leader | (d.trump & 7) << 2 | (d.face_down != 0) << 5
    if d.k == 0:
        return hand ^ (parities(d.hands[(seat + 2) & 3]) << 7 | where << 13) * SPREAD
    if hand & suit_mask(d.led):
        return (all & suit_mask(d.led)) ^ (<uint64_t> d.winning_card << 7 | where << 13) * SPREAD
    return hand ^ (<uint64_t> d.winning_card << 7 | where << 13 | 1 << 20) * SPREAD


cdef Answer turn(Exact *s, int ply, uint64_t all, uint64_t special) noexcept nogil:
    """The answer when a seat is to act."""
    cdef Deal *d = &s.deals[ply]
    cdef int seat = seat_to_act(d), hinted = NO_HINT, decider = NO_HINT, place = d.k, round
    cdef bint may_reveal = False, shown
    cdef uint64_t situation
    cdef uint32_t tag = 0
    cdef Hint *hint
    cdef Answer best = answer(0, 0 if seat & 1 == 0 else 127, seat & 1)
    if d.face_down and not d.obliged:
        may_reveal = begin_turn(d, &s.rules, seat)
    situation = situation_of(d, seat, all)
    hint = hint_at(&s.view, situation, &tag)
    if hint.tag == tag:
        hinted = hint.card[place]
    for round in range(1 + may_reveal):
        shown = may_reveal and (round == 0) == (hinted != NO_HINT and hinted >= SHOWN)
        if shown:
            s.deals[ply + 1] = d[0]
            reveal(&s.deals[ply + 1], &s.rules)
            if try_cards(s, ply + 1, all, special, hinted - SHOWN if hinted != NO_HINT and hinted >= SHOWN else NO_HINT, &best, &decider):
                decider += SHOWN
                break
        elif try_cards(s, ply, all, special, hinted if hinted < SHOWN else NO_HINT, &best, &decider):
            break
    if decider != NO_HINT and decider != hinted:
        hint = hint_at(&s.view, situation, &tag)
        if hint.tag != tag:
            hint.tag = tag
            hint.card[0] = hint.card[1] = hint.card[2] = hint.card[3] = NO_HINT
        hint.card[place] = decider
    return best


cdef Answer ask_from(Exact *s, int ply) noexcept nogil:
    """Answer the question about the deal at a ply, a trick under way or not."""
    cdef Deal *d = &s.deals[ply]
    cdef uint64_t all, special
    cdef int k
    if d.k == 0 and not d.obliged:
        return start_trick(s, ply)
    all = d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3] | d.face_down
    for k in range(d.k):
        all |= bit(d.table[k])
    special = 0
    if s.rules.pile and (s.rules.block_two_aces or s.rules.block_trump_ace):
        special = all & rank_mask(ACE)
    if s.asked.tens:
        special |= all & rank_mask(TEN)
    # The seat to act may owe a trump; what a turn changes is undone by the next question's copy.
    s.deals[ply + 1] = d[0]
    return turn(s, ply + 1, all, special)


cdef void ask_for_tricks(Exact *s, int least_tricks) noexcept nogil:
    """Ask whether side 0 collects so many tricks of the deal."""
    cdef int sweep, tens
    s.asked.tens = s.asked.sweeps = False
    for sweep in range(3):
        for tens in range(5):
            s.asked.yes[sweep][tens] = 0x3FFF & ~((1 << least_tricks) - 1)


cdef void ask_for_tens(Exact *s, int least_tens) noexcept nogil:
    """Ask whether side 0 collects so many tens of the deal."""
    cdef int sweep, tens
    s.asked.tens = True
    s.asked.sweeps = False
    for sweep in range(3):
        for tens in range(5):
            s.asked.yes[sweep][tens] = 0x3FFF if tens >= least_tens else 0


cdef void ask_for_sweep(Exact *s, int side) noexcept nogil:
    """Ask whether the side 0 takes the first seven tricks, or whether it keeps the other side from them."""
    cdef int sweep, tens
    s.asked.tens = False
    s.asked.sweeps = True
    for sweep in range(3):
        for tens in range(5):
            s.asked.yes[sweep][tens] = 0x3FFF if (sweep == 1 + side) == (side == 0) else 0


cdef inline int strength_of(int outcome) noexcept nogil:
    """Which of two outcomes of one winner is the greater, where they score the same."""
    if outcome == CLAIM_MADE:
        return 5
    if outcome == WHITEWASH:
        return 4
    if outcome == FOUR_TENS:
        return 3
    if outcome == CALLER_KOT or outcome == DEFENDER_KOT or outcome == THREE_TENS:
        return 2
    return 1


cdef inline void end_at(Deal *d, const Rules *r, int claimer, int sweep, int tens, int tricks) noexcept nogil:
    """Finish a whole deal with so much collected by side 0; what cannot be is taken for the nearest end that can (a sweep wins)."""
    d.claimer = claimer
    d.taken[0] = most(tricks, 7) if sweep == 1 else (least(tricks, 6) if sweep == 2 else tricks)
    d.taken[1] = 13 - d.taken[0]
    d.tens[0] = tens
    d.tens[1] = 4 - tens
    d.swept = NONE if sweep == 0 else sweep - 1
    finish(d, r)


cdef void weigh_ends(Ends *ends, const Rules *r, int claimer, bint whole, bint tricks_too) noexcept nogil:
    """Put the ends in order of what they are worth to side 0: its points ahead, then the greater outcome, then its tricks.

    An ending that nobody remembers has no points: its tens count where the rules do, then its tricks.
    """
    cdef Deal d
    cdef int sweep, tens, tricks, i, j, worth
    ends.size = 0
    for sweep in range(3):
        for tens in range(5):
            for tricks in range(14):
                if whole:
                    end_at(&d, r, claimer, sweep, tens, tricks)
                    worth = 8 * r.points[d.outcome][d.side] + strength_of(d.outcome)
                    if d.side == 1:
                        worth = -worth
                else:
                    worth = tens if r.tens else 0
                if tricks_too:
                    worth = 16 * worth + tricks
                ends.worth[sweep][tens][tricks] = worth
                i = 0
                while i < ends.size and ends.order[i] < worth:
                    i += 1
                if i < ends.size and ends.order[i] == worth:
                    continue
                for j in range(ends.size, i, -1):
                    ends.order[j] = ends.order[j - 1]
                ends.order[i] = worth
                ends.size += 1


cdef void value_ends(Ends *ends, double *values, const Rules *r, int claimer, const double *worths, int side) noexcept nogil:
    """Put the ends in order of what they are worth to side 0, by a table of what they are worth to a side; `values` says how much.

    `worths` is by outcome, and by whether the side wins it (0) or the other (1); the other side wants the contrary.
    """
    cdef Deal d
    cdef int sweep, tens, tricks, i, j
    cdef double value
    ends.size = 0
    for sweep in range(3):
        for tens in range(5):
            for tricks in range(14):
                value = value_at(&d, r, claimer, worths, side, sweep, tens, tricks)
                i = 0
                while i < ends.size and values[i] < value:
                    i += 1
                if i < ends.size and values[i] == value:
                    continue
                for j in range(ends.size, i, -1):
                    values[j] = values[j - 1]
                values[i] = value
                ends.order[ends.size] = ends.size
                ends.size += 1
    for sweep in range(3):
        for tens in range(5):
            for tricks in range(14):
                value = value_at(&d, r, claimer, worths, side, sweep, tens, tricks)
                i = 0
                while values[i] != value:
                    i += 1
                ends.worth[sweep][tens][tricks] = i


cdef inline double value_at(
    Deal *d, const Rules *r, int claimer, const double *worths, int side, int sweep, int tens, int tricks,
) noexcept nogil:
    """What an end is worth to side 0; the deal is left at it."""
    end_at(d, r, claimer, sweep, tens, tricks)
    return worths[2 * d.outcome + (d.side ^ side)] * (1 if side == 0 else -1)


cdef void name_worth(const Ends *ends, const Rules *r, int claimer, int worth, int *outcome, int *side) noexcept nogil:
    """The outcome of that worth, and the side that wins it."""
    cdef Deal d
    cdef int sweep, tens, tricks
    for sweep in range(3):
        for tens in range(5):
            for tricks in range(14):
                if ends.worth[sweep][tens][tricks] == worth:
                    end_at(&d, r, claimer, sweep, tens, tricks)
                    outcome[0] = d.outcome
                    side[0] = d.side
                    return


cdef void ask_for_worth(Exact *s, const Ends *ends, int worth) noexcept nogil:
    """Ask whether side 0 reaches an end of so much worth."""
    cdef int sweep, tens, tricks
    cdef uint16_t won = 0x3F80                              # seven tricks and more
    for sweep in range(3):
        for tens in range(5):
            s.asked.yes[sweep][tens] = 0
            for tricks in range(14):
                if ends.worth[sweep][tens][tricks] >= worth:
                    s.asked.yes[sweep][tens] |= 1 << tricks
    s.asked.tens = s.rules.tens
    # Who swept has won, so that only such numbers of tricks can tell a sweep from none.
    if (s.asked.yes[1][0] ^ s.asked.yes[0][0]) & won == 0:
        s.asked.yes[1][0] = s.asked.yes[0][0]
    if (s.asked.yes[2][0] ^ s.asked.yes[0][0]) & ~won == 0:
        s.asked.yes[2][0] = s.asked.yes[0][0]
    s.asked.sweeps = not s.rules.tens and s.rules.kot == FIRST_SEVEN and (
        s.asked.yes[1][0] != s.asked.yes[0][0] or s.asked.yes[2][0] != s.asked.yes[0][0])


cdef int worth_of(Exact *s, const Ends *ends, int ply) noexcept nogil:
    """What the deal at a ply is worth to side 0 when both sides play for points: bisected over the ends."""
    cdef int low = 0, high = ends.size - 1, middle
    while low < high:
        middle = (low + high + 1) // 2
        ask_for_worth(s, ends, ends.order[middle])
        if ask_from(s, ply).yes:
            low = middle
        else:
            high = middle - 1
    return ends.order[low]


cdef int most_tricks_of(Exact *s, int ply, int side, int guess) noexcept nogil:
    """The tricks that a side collects from a ply on when both play for tricks."""
    cdef Deal *d = &s.deals[ply]
    cdef int taken = d.taken[0], more = 13 - d.tricks + d.pile, low = 0, high = more, ahead
    cdef Answer a
    guess = most(1, least(more, guess if side == 0 else more - guess + 1))
    while low < high:
        ask_for_tricks(s, taken + guess)
        a = ask_from(s, ply)
        if a.yes:
            low = most(guess, a.bound)
            guess = low + 1
        else:
            high = least(guess - 1, a.bound)
            guess = high
    return low if side == 0 else more - low


cdef int most_tens_of(Exact *s, int ply, int side) noexcept nogil:
    """The tens that a side collects from a ply on when both play for tens."""
    cdef Deal *d = &s.deals[ply]
    cdef uint64_t all = d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3] | d.face_down
    cdef int k, more, tens = 0
    for k in range(d.k):
        all |= bit(d.table[k])
    more = count(all & rank_mask(TEN)) + d.pile_tens
    while tens < more:
        ask_for_tens(s, d.tens[0] + tens + 1)
        if not ask_from(s, ply).yes:
            break
        tens += 1
    return tens if side == 0 else more - tens


cdef bint open_exact(Exact *s, const Rules *r, size_t memory) noexcept nogil:
    """Give the search its rules and tables of at most `memory` bytes together; return whether there was memory."""
    cdef int bits = FEWEST_SLOT_BITS, side
    cdef size_t slots, fixed = 0 if r.pile else memory // 2         # a pile leaves nothing to the fixed search
    cdef size_t sweep = memory // 16 if not r.pile and r.kot == FIRST_SEVEN else 0
    cdef ExactTable *table = &s.table
    s.ends_by = r[0]
    s.rules = r[0]
    s.rules.deal_ends = AFTER_THIRTEEN
    s.rules.claim_ends = False
    memory -= fixed + 2 * sweep
    while (<size_t> 4 << (bits + 1)) * sizeof(ExactSlot) <= memory // 3:
        bits += 1
    slots = (<size_t> 2) << bits
    table.most_bits = bits
    table.capacity = 64
    if memory > slots * sizeof(ExactSlot) + 64 * sizeof(ExactPattern):
        table.capacity = <uint32_t> ((memory - slots * sizeof(ExactSlot)) // sizeof(ExactPattern))
    table.slots = <ExactSlot *> calloc(slots, sizeof(ExactSlot))
    table.patterns = <ExactPattern *> calloc(table.capacity, sizeof(ExactPattern))
    s.view.hints = <Hint *> calloc(1 << HINT_BITS, sizeof(Hint))
    if table.slots == NULL or table.patterns == NULL or s.view.hints == NULL:
        return False
    forget_all(table)
    for side in range(2):
        if not allocate(&s.sweeps[side], &s.sweep_tables[side], sweep):
            return False
        s.sweeps[side].streak = True
    return allocate(&s.fast, &s.fast_table, fixed)


cdef void close_exact(Exact *s) noexcept nogil:
    """Give the memory back."""
    free(s.table.slots)
    free(s.table.patterns)
    free(s.view.hints)
    release(&s.fast, &s.fast_table)
    release(&s.sweeps[0], &s.sweep_tables[0])
    release(&s.sweeps[1], &s.sweep_tables[1])


cdef inline void take_planes(Exact *s, const Deal *d) noexcept nogil:
    """Learn who has which card of a deal; those on the table decide nothing that is still to come."""
    cdef uint64_t first = d.hands[1] | down_card(d, 1), third = d.hands[3] | down_card(d, 3)
    s.low_plane = first | third
    s.high_plane = d.hands[2] | down_card(d, 2) | third


cdef void take_up(Exact *s) noexcept nogil:
    """Begin with the deal at ply 0."""
    take_planes(s, &s.deals[0])
    forget_all(&s.table)
