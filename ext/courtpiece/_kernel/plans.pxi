# Plans of the deciding seat: its next actions chosen by what it will have seen by then, not by which world it is; for search.pyx.
#
# A node is a set of worlds that have looked the same.  The seat chooses once for all of them, the others play as `greedy` in each.
# What a plan is worth is told by worlds that did not choose it: the worlds of even walks choose for those of odd ones, and the
# other way round, so that a choice among noisy means does not look better than it is.

cdef struct Sight:
    uint64_t seen               # what the seat has seen since the node above, hashed
    int world

cdef struct Plans:
    const Moment *moment
    const double *worths
    double trick
    double evidence             # standard errors by which an action must be better than that of `greedy`
    int moves                   # actions of the seat that are planned
    int length                  # worlds of one walk
    int size                    # worlds
    Deal *deals                 # by depth and world: at the seat's turn
    Sight *sights               # by depth and place
    double *values              # by depth, choice and world


cdef int _by_sight(const void *a, const void *b) noexcept nogil:
    cdef const Sight *one = <const Sight *> a
    cdef const Sight *other = <const Sight *> b
    if one.seen != other.seen:
        return -1 if one.seen < other.seen else 1
    return (one.world > other.world) - (one.world < other.world)


cdef inline uint64_t mixed(uint64_t seen, uint64_t what) noexcept nogil:
    """A hash of what was seen before and what is seen now (the multiplier is that of splitmix64)."""
    seen = (seen ^ what) * <uint64_t> 0xBF58476D1CE4E5B9
    return seen ^ seen >> 29


cdef uint64_t to_next_choice(Deal *d, const Rules *r, int seat) noexcept nogil:
    """Play on until the seat has a choice or the deal is over; return a hash of what it saw on the way."""
    cdef uint64_t seen = 0
    cdef uint64_t down, legal
    cdef int turn
    cdef uint8_t choices[MOST_CHOICES]
    while not d.over:
        turn = seat_to_act(d)
        down = d.face_down
        if turn == seat and (choices_of(d, r, seat, next_turn(d, r), choices) > 1):
            if down != d.face_down:
                seen = mixed(seen, down)
            return seen
        legal = d.played
        greedy_turn(d, r, r.trump_mode)
        seen = mixed(seen, d.played ^ legal)
        if down != d.face_down:
            seen = mixed(seen, down)
    return seen


cdef void play_action(Plans *p, int depth, const Sight *sights, int size, int action, double *out) noexcept nogil:
    """Fill out, by world, with what comes of an action in worlds that have looked the same."""
    cdef const Rules *r = &p.moment.rules
    cdef Sight *after = p.sights + depth * p.size
    cdef Deal *d
    cdef Deal last
    cdef int i, world, going = 0, first, side = p.moment.seat & 1
    if depth + 1 == p.moves:
        for i in range(size):
            world = sights[i].world
            last = p.deals[depth * p.size + world]
            act(&last, r, action)
            play_on(&last, r)
            out[world] = worth(&last, p.worths, p.trick, side)
        return
    for i in range(size):
        world = sights[i].world
        d = &p.deals[(depth + 1) * p.size + world]
        d[0] = p.deals[depth * p.size + world]
        act(d, r, action)
        after[going].seen = to_next_choice(d, r, p.moment.seat)
        if d.over:
            out[world] = worth(d, p.worths, p.trick, side)
        else:
            after[going].world = world
            going += 1
    qsort(after, going, sizeof(Sight), &_by_sight)
    first = 0
    for i in range(1, going + 1):
        if i == going or after[i].seen != after[first].seen:
            plan_from(p, depth + 1, after + first, i - first, out)
            first = i


cdef void plan_from(Plans *p, int depth, const Sight *sights, int size, double *out) noexcept nogil:
    """Fill out, by world, with what the seat's plan comes to from a node."""
    cdef const Rules *r = &p.moment.rules
    cdef Deal *d = &p.deals[depth * p.size + sights[0].world]
    cdef uint8_t choices[MOST_CHOICES]
    cdef double *values = p.values + depth * MOST_CHOICES * p.size
    cdef int seat = p.moment.seat, walk, i, j, n, fold, best
    cdef int preferred
    cdef bint may_reveal = next_turn(d, r)
    cdef double gain, mean, square, best_gain
    n = choices_of(d, r, seat, may_reveal, choices)
    preferred = greedy_choice(d, r, seat, may_reveal, choices, n)
    for j in range(n):
        if choices[j] == preferred:
            choices[j] = choices[0]
            choices[0] = preferred
            break
    if size < FEW:
        n = 1
    for j in range(n):
        play_action(p, depth, sights, size, choices[j], values + j * p.size)
    for fold in range(2):
        best = 0
        best_gain = 0
        for j in range(1, n):
            mean = 0
            square = 0
            walk = 0
            for i in range(size):
                if (sights[i].world // p.length & 1) != fold:
                    gain = values[j * p.size + sights[i].world] - values[sights[i].world]
                    mean += gain
                    square += gain * gain
                    walk += 1
            if walk < FEW // 2:
                continue
            mean /= walk
            if mean > best_gain and mean > p.evidence * sqrt((square / walk - mean * mean) / (walk - 1)):
                best = j
                best_gain = mean
        for i in range(size):
            if (sights[i].world // p.length & 1) == fold:
                out[sights[i].world] = values[best * p.size + sights[i].world]
