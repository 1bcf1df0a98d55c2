# The search with fixed trump, included by the modules that use it.
#
# Inside, the asking side are the seats 0 and 2, trump is suit 3, and a search answers whether the asking side can take at least
# `need` of the tricks left.  Each call returns a bound on its tricks that decides the question, and the cards whose rank mattered:
# any position of the same shape whose top cards, down to these, lie in the same hands has the same answer.

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from courtpiece._kernel.bits cimport ALL_CARDS, LANE, count, highest, lowest, suit_mask, unpacked, unpacked_mask
from courtpiece._kernel.solver_sure cimport (
    Found, keep_top, least, low_bit, most, slow_trump_tricks, suit_tricks, top_bit, top_trump_tricks, trump_length_tricks,
)
from courtpiece._kernel.solver_table cimport (
    FEWEST_BITS, Pattern, Slot, Table, find_slot, forget, gather, key_of, remember, scatter, settled,
)

cdef extern from *:
    """
    #define COURTPIECE_SPREAD 0xD6E8FEB86659FD93ull
    """
    const uint64_t SPREAD "COURTPIECE_SPREAD"   # an odd constant that keeps the parts of a situation apart

cdef enum:
    TRUMP = 3                   # the trump suit inside
    HINT_BITS = 13
    NO_HINT = 255

cdef struct Hint:
    uint32_t tag            # part of the hash, against mixing situations up
    uint8_t card[4]         # the card that decided last time, by place in the trick

cdef struct Trick:
    uint64_t all            # cards left at the start of the trick
    uint64_t shape          # suit lengths at the start of the trick, four bits each
    uint64_t led            # the suit led, all its ranks
    uint64_t best[4]        # the winning card after each play
    uint64_t card[4]        # the cards
    int winner[4]           # its seat
    int leader
    int left                # tricks left, this one included

cdef struct Search:
    uint64_t hands[4]
    uint64_t low_plane      # cards dealt to seats 1 and 3
    uint64_t high_plane     # cards dealt to seats 2 and 3
    uint64_t trumps         # the lane of trump, 0 without trump
    Table *table
    Hint *hints
    uint64_t nodes          # cards tried
    bint streak             # the question is of tricks in a row from here
    Trick tricks[14]


cdef inline Found found(uint64_t ranks, int tricks) noexcept nogil:
    cdef Found f
    f.ranks = ranks
    f.tricks = tricks
    return f


cdef inline uint64_t lane_of(uint64_t card) noexcept nogil:
    """All ranks of the card's suit."""
    return (<uint64_t> LANE) << (lowest(card) & 48)


cdef inline uint64_t above(uint64_t card) noexcept nogil:
    """All bits above the card's; meant for masking with a suit."""
    return 0 - (card << 1)


cdef inline uint64_t beating(const Search *s, const Trick *t, uint64_t best) noexcept nogil:
    """The cards that beat the best card of a trick so far (S0.17)."""
    if best & s.trumps:
        return s.trumps & above(best)
    return (t.led & above(best)) | s.trumps


cdef inline uint64_t chain_tops(uint64_t cards, uint64_t all) noexcept nogil:
    """One card of each run of equal cards: the highest.  Two cards of a hand are equal if only cards that are gone lie between."""
    cdef uint64_t places = all | <uint64_t> 0x2000200020002000         # a place that stays empty parts the suits
    cdef uint64_t packed = gather(cards, places)
    return scatter(packed & ~(packed >> 1), places)


cdef inline uint64_t chain_bottom(uint64_t card, uint64_t hand, uint64_t all, uint64_t lane) noexcept nogil:
    """The lowest card of the hand that equals `card`, which beats some other hand's card of the suit."""
    cdef uint64_t others = all & ~hand & lane & (card - 1)
    return low_bit(hand & lane & above(top_bit(others)))


cdef inline uint64_t down_to(uint64_t ranks, uint64_t all) noexcept nogil:
    """The cards at or above the lowest of `ranks` in each suit."""
    return (ranks | (<uint64_t> 0x8000800080008000 - ranks)) & ALL_CARDS & all


cdef inline uint64_t played(uint64_t shape, int seat, uint64_t card) noexcept nogil:
    """The shape after the seat has played the card."""
    return shape - ((<uint64_t> 1) << (16 * seat + ((lowest(card) >> 4) << 2)))


cdef inline Hint *hint_at(const Search *s, uint64_t situation, uint32_t *tag) noexcept nogil:
    cdef uint64_t hashed = situation * <uint64_t> 0x9E3779B97F4A7C15
    tag[0] = <uint32_t> (hashed >> 16)
    return s.hints + (hashed >> (64 - HINT_BITS))


cdef inline Found leader_tricks(const Search *s, const Trick *t) noexcept nogil:
    """Tricks that the side on lead can take before it loses the lead, and trumps it is sure of."""
    cdef int me = t.leader
    cdef uint64_t my_hand = s.hands[me], partner_hand = s.hands[(me + 2) & 3]
    cdef uint64_t left_hand = s.hands[(me + 1) & 3], right_hand = s.hands[(me + 3) & 3]
    cdef uint64_t ranks = 0, partner_ranks = 0, lane, mine, partner, left, right, top, trumps_mine, trumps_partner
    cdef int suit, safe, my_winners, partner_winners, opponents_longest, my_tricks = 0, partner_tricks = 0, trump_tricks = 0
    cdef int my_limit, partner_limit, tricks, length
    cdef bint entry = False
    cdef bint left_trumps = (left_hand & s.trumps) != 0, right_trumps = (right_hand & s.trumps) != 0
    if s.trumps:
        trump_tricks = top_trump_tricks(
            my_hand & s.trumps, partner_hand & s.trumps, (left_hand | right_hand) & s.trumps, &ranks)
    for suit in range(4):
        lane = suit_mask(suit)
        if lane == s.trumps:
            break
        mine = my_hand & lane
        partner = partner_hand & lane
        if not mine | partner:
            continue
        left = left_hand & lane
        right = right_hand & lane
        opponents_longest = most(count(left), count(right))
        my_limit = most(count(partner), opponents_longest)
        partner_limit = most(count(mine), opponents_longest)
        if left_trumps or right_trumps:
            safe = 13
            if left_trumps:
                safe = count(left)
            if right_trumps:
                safe = least(safe, count(right))
            mine = keep_top(mine, safe)
            partner = keep_top(partner, safe)
        top = ~<uint64_t> 0
        if left | right:
            top = above(top_bit(left | right))
        my_winners = count(mine & top)
        partner_winners = count(partner & top)
        if my_winners:
            ranks |= keep_top(mine & top, least(my_winners, my_limit))
        if partner_winners:
            partner_ranks |= keep_top(partner & top, least(partner_winners, partner_limit))
            if mine and partner > low_bit(mine):
                entry = True
        my_tricks += suit_tricks(mine, my_winners, my_limit, partner, partner_winners)
        partner_tricks += suit_tricks(partner, partner_winners, partner_limit, mine, my_winners)
    if entry:
        ranks |= partner_ranks
        my_tricks = most(my_tricks, partner_tricks)
    tricks = my_tricks
    if s.trumps:
        trumps_mine = my_hand & s.trumps
        trumps_partner = partner_hand & s.trumps
        length = trump_length_tricks(trumps_mine, trumps_partner, left_hand & s.trumps, right_hand & s.trumps)
        if length > 0 and length >= trump_tricks:
            if (
                (count(trumps_mine) >= count(trumps_partner) and count(my_hand) - count(trumps_mine) >= tricks)
                or (count(trumps_partner) >= count(trumps_mine) and count(partner_hand) - count(trumps_partner) >= tricks)
            ):
                trump_tricks = length
                ranks &= ~s.trumps
    return found(ranks, least(tricks + trump_tricks, t.left))


cdef inline Found cash_in_a_row(const Search *s, const Trick *t) noexcept nogil:
    """Winners that the seat on lead can cash one after the other."""
    cdef int me = t.leader
    cdef uint64_t my_hand = s.hands[me], others = t.all & ~s.hands[me], lane, mine, their, trumps
    cdef uint64_t left_hand = s.hands[(me + 1) & 3], right_hand = s.hands[(me + 3) & 3], top, ranks = 0
    cdef int suit, tricks = 0, safe, winners
    for suit in range(4):
        lane = suit_mask(suit)
        mine = my_hand & lane
        if not mine:
            continue
        their = others & lane
        top = mine
        if their:
            top = mine & above(top_bit(their))
        winners = count(top)
        safe = 13
        if lane != s.trumps:
            if left_hand & s.trumps:
                safe = count(left_hand & lane)
            if right_hand & s.trumps:
                safe = least(safe, count(right_hand & lane))
            if s.hands[(me + 2) & 3] & s.trumps:
                safe = least(safe, count(s.hands[(me + 2) & 3] & lane))
        winners = least(winners, safe)
        tricks += winners
        if winners:
            ranks |= keep_top(top, winners)
    return found(ranks, tricks)


cdef inline int order_leads(const Search *s, const Trick *t, uint64_t moves, uint8_t *order) noexcept nogil:
    """The leads, most promising first."""
    cdef int me = t.leader, suit, size = 0, i
    cdef uint64_t my_hand = s.hands[me], partner_hand = s.hands[(me + 2) & 3]
    cdef uint64_t left_hand = s.hands[(me + 1) & 3], right_hand = s.hands[(me + 3) & 3]
    cdef uint64_t classes[8]
    cdef uint64_t lane, mine, partner, left, right, ours, rest, a, k, q, j, ten, pick, cards
    cdef bint left_trumps = (left_hand & s.trumps) != 0, right_trumps = (right_hand & s.trumps) != 0
    for i in range(8):
        classes[i] = 0
    cards = moves
    for suit in range(4):
        lane = suit_mask(suit)
        mine = moves & lane
        if not mine:
            continue
        pick = top_bit(mine) | low_bit(mine)
        if lane == s.trumps:
            classes[6] |= pick
            continue
        left = left_hand & lane
        right = right_hand & lane
        if (left_trumps and not left) or (right_trumps and not right):
            continue
        partner = partner_hand & lane
        ours = my_hand & lane | partner
        rest = t.all & lane
        a = top_bit(rest)
        rest ^= a
        k = top_bit(rest) if rest else 0
        rest ^= k
        q = top_bit(rest) if rest else 0
        rest ^= q
        j = top_bit(rest) if rest else 0
        rest ^= j
        ten = top_bit(rest) if rest else 0
        if count(partner) >= 2 and count(left) >= 2:
            if (
                (partner & k and left & a)
                or (partner & a and left & k and (partner & q or (q and j and ours & (q | j) == q | j)))
                or (partner & k and left & q and (partner & j or (j and ten and ours & (j | ten) == j | ten)))
            ):
                classes[1] |= pick
                continue
        if count(my_hand & lane) >= 2 and count(right) >= 2:
            if (my_hand & a and right & k) or (my_hand & k and right & a and not ours & q):
                if s.trumps:
                    classes[5] |= top_bit(mine)
                    continue
        if left and right and count(ours & (a | k | q)) >= 2:
            classes[2] |= pick
            continue
        if (
            s.trumps and not partner and left and right and partner_hand & s.trumps
            and count(partner_hand & s.trumps) <= count(my_hand & s.trumps) and low_bit(my_hand & lane) != a
        ):
            classes[0] |= low_bit(mine)
            continue
        if not partner or not left or not right:
            classes[4] |= pick
            continue
        classes[3] |= pick
    for i in range(7):
        cards &= ~classes[i]
    classes[7] = cards
    for i in range(8):
        size = put_down(classes[i], order, size)
    return size


cdef inline int put_down(uint64_t cards, uint8_t *order, int size) noexcept nogil:
    """Append cards from the highest."""
    while cards:
        order[size] = highest(cards)
        cards ^= (<uint64_t> 1) << order[size]
        size += 1
    return size


cdef inline int put_up(uint64_t cards, uint8_t *order, int size) noexcept nogil:
    """Append cards from the lowest."""
    while cards:
        order[size] = lowest(cards)
        cards &= cards - 1
        size += 1
    return size


cdef inline int order_follows(
    const Search *s, const Trick *t, uint64_t moves, int seat, uint64_t over, uint8_t *order, const int place,
) noexcept nogil:
    """The cards of one who plays to a trick, most promising first; `over` are the cards that beat the best so far."""
    cdef uint64_t winning = t.best[place - 1], next_suit = 0, partner_suit, higher, higher_than, trumps, cards, low
    cdef bint partner_wins = (t.winner[place - 1] ^ seat) == 2
    cdef int size = 0, suit, i, k, n
    cdef uint64_t lows[4]
    cdef int lengths[4]
    if place < 3:
        next_suit = s.hands[(seat + 1) & 3] & t.led
    if moves & t.led:
        higher = moves & over
        if not higher:
            return put_up(moves, order, 0)
        if place >= 2 and partner_wins and (
            place == 3 or not next_suit or winning > next_suit
            or next_suit & above(winning) == next_suit & above(top_bit(moves))
        ):
            return put_up(moves, order, 0)
        if place == 1:
            partner_suit = s.hands[(seat + 2) & 3] & t.led
            if partner_suit > winning:
                if (
                    next_suit and next_suit > (partner_suit | moves)
                    and next_suit & above(top_bit(partner_suit)) == next_suit & above(top_bit(moves))
                ):
                    return put_up(moves, order, 0)
                if not next_suit or partner_suit > next_suit:
                    return put_up(moves, order, 0)
        if place == 3 or not next_suit or low_bit(higher) > next_suit:
            size = put_up(higher, order, 0)
        else:
            size = put_down(higher, order, 0)
        return put_up(moves & ~higher, order, size)
    trumps = moves & s.trumps
    if trumps:
        if not (partner_wins and (place == 3 or (next_suit and not winning & s.trumps and winning > next_suit) or (
            winning & s.trumps and next_suit))):
            if winning & s.trumps:
                if not partner_wins:
                    higher = trumps & over
                    size = put_up(higher, order, 0)
                    moves &= ~higher
            elif place == 3 or next_suit or not s.hands[(seat + 1) & 3] & s.trumps:
                low = low_bit(trumps)
                order[0] = lowest(low)
                size = 1
                moves &= ~low
            else:
                size = put_up(trumps, order, 0)
                moves &= ~trumps
    n = 0
    for suit in range(4):
        cards = moves & suit_mask(suit)
        if suit_mask(suit) == s.trumps or not cards:
            continue
        low = low_bit(cards)
        k = count(s.hands[seat] & suit_mask(suit))
        i = n
        while i > 0 and lengths[i - 1] < k:
            lengths[i] = lengths[i - 1]
            lows[i] = lows[i - 1]
            i -= 1
        lengths[i] = k
        lows[i] = low
        n += 1
    for i in range(n):
        order[size] = lowest(lows[i])
        moves ^= lows[i]
        size += 1
    return put_down(moves, order, size)


cdef inline Found play(Search *s, Trick *t, int seat, uint64_t card, uint64_t over, int need, const int place) noexcept nogil:
    """The answer after the seat plays the card."""
    cdef Found f
    cdef Trick *following
    cdef uint64_t others, lane
    cdef int winner
    s.nodes += 1
    s.hands[seat] ^= card
    t.card[place] = card
    if place == 0 or card & over:
        t.best[place] = card
        t.winner[place] = seat
    else:
        t.best[place] = t.best[place - 1]
        t.winner[place] = t.winner[place - 1]
    if place == 0:
        t.led = lane_of(card)
        f = second(s, t, need)
    elif place == 1:
        f = third(s, t, need)
    elif place == 2:
        f = fourth(s, t, need)
    else:
        following = t + 1
        winner = t.winner[3]
        following.leader = winner
        following.left = t.left - 1
        if winner & 1 == 0:
            following.shape = played(
                played(played(played(t.shape, t.leader, t.card[0]), (t.leader + 1) & 3, t.card[1]),
                       (t.leader + 2) & 3, t.card[2]), seat, card)
            f = lead(s, following, need - 1)
            f.tricks += 1
        elif s.streak:
            f = found(0, 0)
        else:
            following.shape = played(
                played(played(played(t.shape, t.leader, t.card[0]), (t.leader + 1) & 3, t.card[1]),
                       (t.leader + 2) & 3, t.card[2]), seat, card)
            f = lead(s, following, need)
        # The winning card mattered if another card of its suit was in the trick.
        lane = lane_of(t.best[3])
        if (t.card[0] | t.card[1] | t.card[2] | t.card[3]) & lane != t.best[3]:
            if (f.tricks >= need) == (winner & 1 == 0):
                f.ranks |= t.best[3]
            else:
                f.ranks |= chain_bottom(t.best[3], s.hands[winner] | t.best[3], t.all, lane)
    s.hands[seat] ^= card
    return f


cdef inline Found try_moves(
    Search *s, Trick *t, int seat, uint64_t moves, uint64_t over, uint64_t situation, int need, const int place,
) noexcept nogil:
    """The best of the moves for the seat's side, as far as it takes to decide."""
    cdef bint asking = seat & 1 == 0
    cdef Found f
    cdef Hint *hint
    cdef uint32_t tag = 0
    cdef uint8_t order[14]
    cdef uint64_t card, lane, ranks = 0, suit_ranks
    cdef int bound = 0 if asking else 13, i, size, hinted = NO_HINT
    if moves & (moves - 1) == 0:
        return play(s, t, seat, moves, over, need, place)
    hint = hint_at(s, situation, &tag)
    if hint.tag == tag and hint.card[place] != NO_HINT and moves >> hint.card[place] & 1:
        hinted = hint.card[place]
        order[0] = hinted
        size = 1
    elif place == 0:
        size = order_leads(s, t, moves, order)
    else:
        size = order_follows(s, t, moves, seat, over, order, place)
    i = 0
    while i < size:
        card = (<uint64_t> 1) << order[i]
        if moves & card:
            f = play(s, t, seat, card, over, need, place)
            if (f.tricks >= need) == asking:
                if order[i] != hinted:
                    hint = hint_at(s, situation, &tag)
                    if hint.tag != tag:
                        hint.tag = tag
                        hint.card[0] = hint.card[1] = hint.card[2] = hint.card[3] = NO_HINT
                    hint.card[place] = order[i]
                return f
            ranks |= f.ranks
            bound = most(bound, f.tricks) if asking else least(bound, f.tricks)
            moves ^= card
            # Cards below every rank of the suit that mattered would fail in the same way.
            lane = lane_of(card)
            suit_ranks = f.ranks & lane
            if not suit_ranks:
                moves &= ~lane
            elif card < low_bit(suit_ranks):
                moves &= ~(lane & (low_bit(suit_ranks) - 1))
        i += 1
        if i == 1 and hinted != NO_HINT:
            i = 0
            hinted = NO_HINT
            if not moves:
                break
            if place == 0:
                size = order_leads(s, t, moves, order)
            else:
                size = order_follows(s, t, moves, seat, over, order, place)
    return found(ranks, bound)


cdef inline Found follow(Search *s, Trick *t, int need, const int place) noexcept nogil:
    cdef int seat = (t.leader + place) & 3
    cdef uint64_t hand = s.hands[seat], suit_cards = hand & t.led, best = t.best[place - 1], moves, situation
    cdef uint64_t over = beating(s, t, best)
    if suit_cards:
        moves = chain_tops(suit_cards, t.all)
        situation = (t.all & t.led) ^ (<uint64_t> lowest(best) << 7 | <uint64_t> t.leader << 13) * SPREAD
    else:
        moves = chain_tops(hand, t.all)
        situation = hand ^ (<uint64_t> lowest(best) << 7 | <uint64_t> need << 13) * SPREAD
    return try_moves(s, t, seat, moves, over, situation, need, place)


cdef Found second(Search *s, Trick *t, int need) noexcept nogil:
    return follow(s, t, need, 1)


cdef Found third(Search *s, Trick *t, int need) noexcept nogil:
    return follow(s, t, need, 2)


cdef Found fourth(Search *s, Trick *t, int need) noexcept nogil:
    return follow(s, t, need, 3)


cdef inline uint64_t parities(uint64_t hand) noexcept nogil:
    """One bit a suit: whether the hand holds an odd number of its cards."""
    return (
        (count(hand & suit_mask(0)) & 1) | (count(hand & suit_mask(1)) & 1) << 1
        | (count(hand & suit_mask(2)) & 1) << 2 | (count(hand & suit_mask(3)) & 1) << 3
    )


cdef inline Found last_trick(const Search *s, const Trick *t) noexcept nogil:
    cdef uint64_t best = s.hands[t.leader], card, lane
    cdef int seat, winner = t.leader, i
    for i in range(1, 4):
        seat = (t.leader + i) & 3
        card = s.hands[seat]
        if (card > best and card & lane_of(best)) or (card & s.trumps and not best & s.trumps):
            best = card
            winner = seat
    return found(best if t.all & lane_of(best) != best else 0, 1 if winner & 1 == 0 else 0)


cdef inline Found sure_tricks(const Search *s, const Trick *t, int need, bint *decided) noexcept nogil:
    """A decision by counting sure tricks of either side, if `decided`."""
    cdef int me = t.leader, tricks, length
    cdef bint asking = me & 1 == 0
    cdef Found f
    cdef uint64_t mine, partner, left, right, ranks
    decided[0] = True
    f = leader_tricks(s, t)
    if s.trumps:
        mine = s.hands[me] & s.trumps
        partner = s.hands[(me + 2) & 3] & s.trumps
        left = s.hands[(me + 1) & 3] & s.trumps
        right = s.hands[(me + 3) & 3] & s.trumps
        if f.tricks == 0:
            f.ranks = 0
            f.tricks = slow_trump_tricks(mine, partner, left, right, True, t.left, &f.ranks)
        length = trump_length_tricks(mine, partner, left, right)
        if length > 0 and length >= f.tricks:
            f.tricks = length
            f.ranks = 0
    if asking:
        if f.tricks >= need:
            return f
    elif t.left - f.tricks < need:
        f.tricks = t.left - f.tricks
        return f
    if s.trumps:
        ranks = 0
        tricks = top_trump_tricks(left, right, mine | partner, &ranks)
        if tricks == 0:
            tricks = slow_trump_tricks(left, right, partner, mine, False, t.left, &ranks)
        length = trump_length_tricks(left, right, mine, partner)
        if length > 0 and length >= tricks:
            tricks = length
            ranks = 0
        if not asking:
            if tricks >= need:
                return found(ranks, tricks)
        elif t.left - tricks < need:
            return found(ranks, t.left - tricks)
    decided[0] = False
    return f


cdef Found lead(Search *s, Trick *t, int need) noexcept nogil:
    cdef uint64_t all, key, low, high, mask, hand, situation
    cdef Slot *slot
    cdef Pattern *pattern
    cdef Found f
    cdef bint decided = False
    cdef int lower, upper
    if need <= 0:
        return found(0, 0)
    if need > t.left:
        return found(0, t.left)
    all = s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3]
    t.all = all
    if t.left == 1:
        return last_trick(s, t)
    key = key_of(t.shape, t.leader)
    low = gather(s.low_plane, all)
    high = gather(s.high_plane, all)
    slot = find_slot(s.table, key)
    if slot.round == s.table.round:
        pattern = settled(s.table, slot, low, high, need)
        if pattern != NULL:
            return found(scatter(pattern.mask, all), pattern.lower if pattern.lower >= need else pattern.upper)
    if s.streak:
        f = cash_in_a_row(s, t)
        if t.leader & 1:
            if f.tricks:                                    # only at the start of a search
                return found(f.ranks, 0)
        elif f.tricks >= need:
            return f
    else:
        f = sure_tricks(s, t, need, &decided)
        if decided:
            return f                                        # as quick to count again as to look up
    hand = s.hands[t.leader]
    situation = hand ^ (parities(s.hands[(t.leader + 2) & 3]) << 7 | <uint64_t> need << 13) * SPREAD
    f = try_moves(s, t, t.leader, chain_tops(hand, all), 0, situation, need, 0)
    if f.tricks >= need:
        lower = f.tricks
        upper = t.left
    else:
        lower = 0
        upper = f.tricks
    remember(s.table, key, low, high, gather(down_to(f.ranks, all), all), lower, upper)
    return f


cdef inline uint64_t shape_of(const uint64_t *hands) noexcept nogil:
    cdef uint64_t shape = 0
    cdef int seat, suit
    for seat in range(4):
        for suit in range(4):
            shape |= <uint64_t> count(hands[seat] & suit_mask(suit)) << (16 * seat + 4 * suit)
    return shape


cdef inline uint64_t swap_suits(uint64_t cards, int a, int b) noexcept nogil:
    """The cards with the suits a and b exchanged."""
    cdef uint64_t differ = ((cards >> (16 * a)) ^ (cards >> (16 * b))) & 0xFFFF
    return cards ^ (differ << (16 * a) | differ << (16 * b))


cdef inline uint64_t turned(uint64_t cards, int trump) noexcept nogil:
    """The cards with trump as suit 3."""
    return swap_suits(cards, trump, TRUMP) if trump < TRUMP else cards


cdef void set_up(
    Search *s, const uint64_t *hands, const uint8_t *table, int size, int trump, int leader, int asking, bint streak,
) noexcept nogil:
    """Take up a position: the asking seat and its partner as seats 0 and 2, trump as suit 3.

    `hands` are masks of 13*suit + rank without the `size` cards on the table.
    """
    cdef Trick *t = &s.tricks[0]
    cdef int seat, i
    cdef uint64_t trumps = suit_mask(TRUMP) if trump <= TRUMP else 0, card
    if s.trumps != trumps or s.streak != streak:            # the table's patterns answer one kind of question
        forget(s.table)
    s.trumps = trumps
    s.streak = streak
    for seat in range(4):
        s.hands[seat] = turned(unpacked_mask(hands[(asking + seat) & 3]), trump)
    t.leader = (leader - asking) & 3
    for i in range(size):
        seat = (t.leader + i) & 3
        card = turned((<uint64_t> 1) << unpacked(table[i]), trump)
        t.card[i] = card
        s.hands[seat] |= card
        if i == 0:
            t.led = lane_of(card)
        if i > 0 and not card & beating(s, t, t.best[i - 1]):
            t.best[i] = t.best[i - 1]
            t.winner[i] = t.winner[i - 1]
        else:
            t.best[i] = card
            t.winner[i] = seat
    t.all = s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3]
    t.left = count(s.hands[0])
    t.shape = shape_of(s.hands)
    s.low_plane = s.hands[1] | s.hands[3]
    s.high_plane = s.hands[2] | s.hands[3]
    for i in range(size):
        s.hands[(t.leader + i) & 3] ^= t.card[i]


cdef Found ask(Search *s, int size, int need) noexcept nogil:
    """Search the position taken up, with `size` cards on the table."""
    cdef Trick *t = &s.tricks[0]
    if need <= 0:
        return found(0, 0)
    if need > t.left:
        return found(0, t.left)
    if size == 0:
        return lead(s, t, need)
    if size == 1:
        return second(s, t, need)
    if size == 2:
        return third(s, t, need)
    return fourth(s, t, need)


cdef int most_of(Search *s, int size, int guess) noexcept nogil:
    """The most tricks of the asking side, by searches from the guess."""
    cdef int lower = 0, upper = s.tricks[0].left
    cdef Found f
    guess = most(1, least(guess, upper))
    while lower < upper:
        f = ask(s, size, guess)
        if f.tricks >= guess:
            lower = f.tricks
            guess = lower + 1
        else:
            upper = f.tricks
            guess = upper
    return lower


cdef bint allocate(Search *s, Table *table, size_t memory) noexcept nogil:
    """Give the search a table and hints of at most `memory` bytes together; return whether there was memory."""
    cdef int bits = FEWEST_BITS
    cdef size_t slots, least_memory
    while (<size_t> 4 << (bits + 1)) * sizeof(Slot) <= memory // 4:
        bits += 1
    slots = (<size_t> 2) << bits
    least_memory = slots * sizeof(Slot) + (sizeof(Hint) << HINT_BITS)
    table.most_bits = bits
    table.capacity = 64
    if memory > least_memory + 64 * sizeof(Pattern):
        table.capacity = <uint32_t> ((memory - least_memory) // sizeof(Pattern))
    table.slots = <Slot *> calloc(slots, sizeof(Slot))
    table.patterns = <Pattern *> calloc(table.capacity, sizeof(Pattern))
    s.hints = <Hint *> calloc(1 << HINT_BITS, sizeof(Hint))
    if table.slots == NULL or table.patterns == NULL or s.hints == NULL:
        return False
    s.table = table
    forget(table)
    return True


cdef void release(Search *s, Table *table) noexcept nogil:
    """Give the memory back."""
    free(table.slots)
    free(table.patterns)
    free(s.hints)
