"""Worlds: the deals that are consistent with what a seat knows, counted and drawn exactly uniformly.

The measure is that of the shuffle: every order in which the pack can have been dealt counts the same, if it would have shown
the seat what it saw.  Given its hands, a world's orders are equally many whatever cards they are, with one exception: the
blind card of a called deal, which the dealer turned up, is not among eldest's first five (A7), so it weighs less with eldest.

Worlds are numbered, 0 .. total-1.  Unseen cards that the same seats may hold are exchangeable, so they form a *pool*; who gets
how many from each pool is a *split*, of which there are few; and within a split the hands are subsets of the pools, numbered
by their rank in colexicographic order.  A uniform number below the total is a uniform world; counting up gives every world.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from courtpiece._kernel.bits cimport NONE, bit, count, deposit, high_product, nth, suit_mask
from courtpiece._kernel.dice cimport Dice, philox, set_key

cdef enum:
    MOST_PARTS = 4          # as many as pools: each holds at least one whole suit
    MOST_SPLITS = 196       # the two smaller of three pools are single suits: 14 * 14
    MOST_TAKEN = 14         # a seat gets at most 13 cards ...
    MOST_UNSEEN = 48        # ... of at most 47

cdef struct Knowledge:
    uint64_t known[4]       # cards known to lie in a seat's playable hand
    uint64_t unseen         # cards whose place is not known, one that lies face down included
    uint8_t need[4]         # unseen cards in each playable hand; four are not 0 only while no suit is barred and no card marked
    uint8_t barred[4]       # bit s: no unseen card of the playable hand is of suit s
    uint8_t holder          # a seat that holds an unseen card of a suit for certain, then no suit is barred and no card marked; NONE
    uint8_t held            # that suit
    uint8_t hider           # whose card lies, or lay, face down; NONE
    uint64_t face_down      # that card where it is known and lies face down
    bint hides_unseen       # the face-down card is one of the unseen
    uint8_t marked          # an unseen card whose place weighs, with nothing face down (A7); NONE
    uint8_t weight[4]       # what it weighs there
    uint64_t played[4]      # cards each seat has played
    uint64_t early[4]       # cards known to have been among a seat's first five
    uint64_t late[4]        # cards that were not among a seat's first five, wherever they lie
    bint blind              # the unseen face-down card is not one of its owner's first five (S0.58), else it is (S0.52)

cdef struct World:
    uint64_t hands[4]       # playable cards
    uint64_t face_down      # the card that lies face down, else 0

# Worlds in which the face-down card comes from one pool, or the marked card has one place.
cdef struct Part:
    uint64_t total          # its worlds, times what each weighs
    uint64_t worlds         # its worlds
    uint64_t pools[8]       # the unseen cards by the places that may hold them (bit p: place p)
    uint64_t hidden_from    # cards of one pool of which one lies face down; 0: no unseen card does
    uint64_t fixed[3]       # the marked card, at its place
    uint8_t seats[3]        # the seat of each place; the first is the one with the fewest splits
    int need[3]             # cards each place takes out of the pools that it shares
    int turn                # how far cards are turned to bring the suit that the first place must hold to the top
    uint64_t skipped        # the first place's subsets without that suit, which come first
    int columns             # splits with the same number of cards of the pool that the first two places share
    int splits              # entries of `sums`
    uint64_t sums[MOST_SPLITS]      # worlds in the splits up to this one, for one face-down card

cdef struct Plan:
    uint64_t total          # all parts together; with a waiting seat, for each of its hands
    uint64_t worlds         # likewise, each world counted once
    uint64_t waiting_hands  # hands of the waiting seat; 1 without one
    uint8_t waiting         # a fourth seat that has yet to be dealt cards (the viewer, before the call); NONE
    uint8_t waiting_need    # how many
    uint64_t known[4]
    uint64_t face_down
    int parts
    Part part[MOST_PARTS]
    uint64_t choose[MOST_TAKEN][MOST_UNSEEN]        # binomials: choose[k][n]

# Random words for the worlds of one decision: Philox blocks with a purpose of their own (docs/randomness.md).
cdef enum:
    WORLDS = 5              # purpose, + 256 * seat + 65536 * decision
    BLOCKS_OF_WORLD = 16    # bits of the block number below the world's number

cdef struct Draws:
    Dice dice               # key, deal and stream
    uint64_t purpose
    uint64_t block          # the next block
    uint64_t words[4]
    uint32_t left           # words not used yet

cdef inline void start_draws(
    Draws *draws, uint64_t key0, uint64_t key1, uint64_t stream, uint64_t index, uint64_t seat, uint64_t decision,
) noexcept nogil:
    """For the worlds of a seat's decision in a deal; decisions of one deal are told apart by any number below 2**16."""
    set_key(&draws.dice, key0, key1)
    draws.dice.stream = stream
    draws.dice.index = index
    draws.purpose = WORLDS + (seat << 8) + (decision << 16)

cdef inline void start_world(Draws *draws, uint64_t number) noexcept nogil:
    """Begin with the words of a world, whatever was drawn before."""
    draws.block = number << BLOCKS_OF_WORLD
    draws.left = 0

cdef inline uint64_t next_word(Draws *draws) noexcept nogil:
    if draws.left == 0:
        philox(&draws.dice, draws.block, draws.purpose, draws.words)
        draws.block += 1
        draws.left = 4
    draws.left -= 1
    return draws.words[3 - draws.left]

cdef inline uint64_t below(Draws *draws, uint64_t bound) noexcept nogil:
    """Uniform in 0 .. bound-1 (Lemire 2019)."""
    cdef uint64_t word = next_word(draws)
    cdef uint64_t least
    if word * bound < bound:
        least = (<uint64_t> 0 - bound) % bound
        while word * bound < least:
            word = next_word(draws)
    return high_product(word, bound)

cdef inline void fill_choose(uint64_t choose[MOST_TAKEN][MOST_UNSEEN]) noexcept nogil:
    cdef int k, n
    for n in range(MOST_UNSEEN):
        choose[0][n] = 1
    for k in range(1, MOST_TAKEN):
        choose[k][0] = 0
        for n in range(1, MOST_UNSEEN):
            choose[k][n] = choose[k][n - 1] + choose[k - 1][n - 1]

cdef inline uint64_t subset(const uint64_t choose[MOST_TAKEN][MOST_UNSEEN], uint64_t rank, int n, int k) noexcept nogil:
    """The rank-th set of k out of n, as a pattern of bits, in colexicographic order: sets with a lower highest member first."""
    cdef uint64_t pattern = 0, sets, taken
    while k > 0:
        n -= 1
        sets = choose[k][n]
        taken = rank >= sets
        rank -= sets & (0 - taken)
        pattern |= taken << n
        k -= <int> taken
    return pattern

cdef inline uint64_t turned(uint64_t cards, int by) noexcept nogil:
    return (cards << (by & 63)) | (cards >> ((64 - by) & 63))

cdef inline uint64_t take(const Plan *p, uint64_t *number, uint64_t pool, int k, uint64_t skipped) noexcept nogil:
    """k cards of a pool, as the number says, the skipped first subsets left out; the number keeps what is still to be chosen."""
    cdef int n = count(pool)
    cdef uint64_t sets, rank
    if k == 0:
        return 0
    if k == n:
        return pool
    sets = p.choose[k][n] - skipped
    rank = number[0] % sets
    number[0] //= sets
    return deposit(subset(p.choose, rank + skipped, n, k), pool)

cdef inline void count_part(Plan *p, Part *part, uint64_t weight, uint64_t held) noexcept nogil:
    """Count a part whose pools and hidden and fixed cards are set and whose need is that of the hands; keep it if it has worlds.

    The first place holds at least one of the cards `held`, if there are any.
    """
    cdef int size[8]
    cdef int i, x, y, rest, second
    cdef uint64_t ways
    part.skipped = 0
    part.splits = 0
    part.worlds = 0
    for i in range(8):
        size[i] = count(part.pools[i])
        if part.hidden_from & part.pools[i]:
            size[i] -= 1
    size[7] -= p.waiting_need
    for i in range(3):
        part.need[i] -= size[1 << i] + count(part.fixed[i])
        if part.need[i] < 0:
            return
    if size[0] or part.need[0] + part.need[1] + part.need[2] != size[3] + size[5] + size[6] + size[7]:
        return
    part.columns = size[5] + 1
    # The first place takes x cards of the pool it shares with the second, y of that with the third, the rest of the pool of
    # all three; what is left of that one is then as the pool that the second and the third share.
    for x in range(size[3] + 1):
        for y in range(size[5] + 1):
            rest = part.need[0] - x - y
            second = part.need[1] - size[3] + x
            if 0 <= rest <= size[7] and 0 <= second <= size[6] + size[7] - rest:
                ways = p.choose[rest][size[7]]
                if held:
                    part.skipped = p.choose[rest][size[7] - (count(held) - (1 if part.hidden_from & held else 0))]
                    ways -= part.skipped
                part.worlds += (
                    ways * p.choose[x][size[3]] * p.choose[y][size[5]] * p.choose[second][size[6] + size[7] - rest]
                )
            part.sums[part.splits] = part.worlds
            part.splits += 1
    if part.hidden_from:
        part.worlds *= <uint64_t> count(part.hidden_from)
    part.total = part.worlds * weight
    if part.total:
        p.part[p.parts] = part[0]
        p.parts += 1
        p.total += part.total
        p.worlds += part.worlds

cdef inline void order_seats(const Knowledge *k, uint8_t *seats) noexcept nogil:
    """Put first the seat that must hold a suit, else the one that makes the fewest splits."""
    cdef int splits[3]
    cdef int i, j, suit, first = 0
    cdef int others
    for i in range(3):
        if seats[i] == k.holder:
            seats[i], seats[0] = seats[0], seats[i]
            return
        splits[i] = 1
        for j in range(3):                          # the pool of seats i and j alone
            others = 0
            for suit in range(4):
                if (
                    j != i and not ((k.barred[seats[i]] | k.barred[seats[j]]) >> suit) & 1
                    and (k.barred[seats[3 - i - j]] >> suit) & 1
                ):
                    others += count(k.unseen & suit_mask(suit))
            splits[i] *= others + 1
        if splits[i] < splits[first]:
            first = i
    seats[first], seats[0] = seats[0], seats[first]

cdef inline int seat_without_place(const Knowledge *k) noexcept nogil:
    """The seat beside the three whose hands are drawn: one that needs nothing, else the one that needs the fewest."""
    cdef int seat, chosen = 0
    for seat in range(1, 4):
        if k.need[seat] < k.need[chosen]:
            chosen = seat
    return chosen

cdef inline bint plan_worlds(const Knowledge *k, Plan *p) noexcept nogil:
    """Count the worlds and prepare to draw them; False when there is none."""
    cdef Part base, part
    cdef int i, suit, places, own = seat_without_place(k)
    cdef uint64_t held = 0, cards
    fill_choose(p.choose)
    for i in range(4):
        p.known[i] = k.known[i]
    p.face_down = k.face_down
    p.parts = 0
    p.total = p.worlds = 0
    p.waiting = own if k.need[own] else NONE
    p.waiting_need = k.need[own]
    p.waiting_hands = p.choose[k.need[own]][count(k.unseen)]
    for i in range(3):
        base.seats[i] = (own + 1 + i) & 3
    order_seats(k, base.seats)
    for i in range(8):
        base.pools[i] = 0
    for suit in range(4):
        places = 0
        for i in range(3):
            places |= (not (k.barred[base.seats[i]] >> suit) & 1) << i
        base.pools[places] |= k.unseen & suit_mask(suit)
    for i in range(3):
        base.need[i] = k.need[base.seats[i]]
        base.fixed[i] = 0
    base.hidden_from = 0
    base.turn = 0
    if k.holder != NONE:
        held = k.unseen & suit_mask(k.held)
        base.turn = 16 * (3 - k.held)
    if k.hides_unseen:
        for i in range(8):
            cards = base.pools[i] & held
            if cards:
                part = base
                part.hidden_from = cards
                count_part(p, &part, 1, held)
            cards = base.pools[i] & ~held
            if cards:
                part = base
                part.hidden_from = cards
                count_part(p, &part, 1, held)
    elif k.marked != NONE:
        for places in range(8):
            for i in range(3):
                if base.pools[places] & bit(k.marked) and (places >> i) & 1:
                    part = base
                    part.pools[places] ^= bit(k.marked)
                    part.fixed[i] = bit(k.marked)
                    count_part(p, &part, k.weight[base.seats[i]], 0)
    else:
        part = base
        count_part(p, &part, 1, held)
    return p.total > 0

cdef inline void world_in(const Plan *p, const Part *part, uint64_t waiting, uint64_t number, World *w) noexcept nogil:
    """The number-th world of a part, with the waiting-th hand of a waiting seat."""
    cdef uint64_t pools[8]
    cdef uint64_t shared, first, second, all_three, common
    cdef int i, split, low, high
    for i in range(8):
        pools[i] = part.pools[i]
    w.face_down = p.face_down
    if part.hidden_from:
        i = count(part.hidden_from)
        w.face_down = nth(part.hidden_from, <unsigned int> (number % <uint64_t> i))
        number //= <uint64_t> i
        for i in range(8):
            pools[i] &= ~w.face_down
    for i in range(4):
        w.hands[i] = p.known[i]
    if p.waiting != NONE:
        shared = take(p, &waiting, pools[7], p.waiting_need, 0)
        pools[7] ^= shared
        w.hands[p.waiting] |= shared
    low = 0                                         # the first split whose sum is above the number is in low .. high
    high = part.splits - 1
    while low < high:
        split = (low + high) >> 1
        if part.sums[split] > number:
            high = split
        else:
            low = split + 1
    if low:
        number -= part.sums[low - 1]
    split = low // part.columns
    first = take(p, &number, pools[3], split, 0)
    second = take(p, &number, pools[5], low - split * part.columns, 0)
    all_three = turned(
        take(p, &number, turned(pools[7], part.turn), part.need[0] - low + split * (part.columns - 1), part.skipped),
        64 - part.turn,
    )
    common = pools[6] | (pools[7] ^ all_three)
    shared = take(p, &number, common, part.need[1] - count(pools[3]) + split, 0)
    w.hands[part.seats[0]] |= part.fixed[0] | pools[1] | first | second | all_three
    w.hands[part.seats[1]] |= part.fixed[1] | pools[2] | (pools[3] ^ first) | shared
    w.hands[part.seats[2]] |= part.fixed[2] | pools[4] | (pools[5] ^ second) | (common ^ shared)

cdef inline void draw_world(const Plan *p, Draws *draws, World *w) noexcept nogil:
    """A world, each with the chance that it weighs."""
    cdef uint64_t number = below(draws, p.total), waiting = 0
    cdef const Part *part = &p.part[0]
    if p.waiting != NONE:
        waiting = below(draws, p.waiting_hands)
    while number >= part.total:
        number -= part.total
        part += 1
    world_in(p, part, waiting, number % part.worlds if number >= part.worlds else number, w)

cdef inline uint64_t draw_five(const Knowledge *k, const Plan *p, const World *w, int seat, Draws *draws) noexcept nogil:
    """The first five cards of a seat (all of them in an ending that short), each way that is left with equal chance."""
    cdef uint64_t hand = w.hands[seat] | k.played[seat], five = k.early[seat], rest, rank
    cdef int missing
    if seat == k.hider and w.face_down:
        hand |= w.face_down
        if not k.blind:
            five |= w.face_down
    rest = hand & ~five & ~k.late[seat]
    if seat == k.hider and k.blind:
        rest &= ~w.face_down
    missing = 5 - count(five)
    if missing <= 0 or missing >= count(rest):
        return five | rest if missing > 0 else five
    rank = below(draws, p.choose[missing][count(rest)])
    return five | deposit(subset(p.choose, rank, count(rest), missing), rest)
