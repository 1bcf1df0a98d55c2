# Rare ends of a deal by generalized splitting over the order of the pack: part of engine.pyx.
#
# Botev and Kroese, "Efficient Monte Carlo simulation via the generalized splitting method" (Statistics and Computing, 2012).
# A deal scores as many tricks as one side takes of it.  A deal at or above one level is the start of a Metropolis walk over
# deals that stay there: two cards change places, and the change is kept if the deal played anew is still at that level.  So many
# states of the walk are looked at, and those at or above the next level are split in turn.  Every state of a walk has the law of
# a random deal at its level, as its start has; so what a deal splits into is counted without bias, however short the walks are.

cdef enum:
    MOST_LEVELS = 16
    MOVES_A_BLOCK = 8           # 32 bits a move

cdef struct Splitting:
    const Rules *rules
    const Players *players
    int side                    # whose tricks are the score
    int levels                  # how many
    int level[MOST_LEVELS]      # rising scores
    int factor[MOST_LEVELS]     # states looked at for each deal that reached the level before; that of the first is not used
    int moves                   # changes tried between two states
    uint64_t words[4]           # random numbers of the walks of one deal
    uint64_t used               # moves made with them


cdef inline int score(const Splitting *s, const uint8_t *order, Dice *dice) noexcept nogil:
    """Play a deal; return the tricks that the side takes, -1 for a redeal.  What players toss is the same in all deals of a tree."""
    cdef Deal d
    cdef Opening o
    memcpy(&d.order[0][0], order, 52)
    start_deal(dice, dice.index)
    speak(&o, &d, s.rules, s.players, dice)
    if d.over:
        return -1
    play_by_shape(&d, s.rules, s.players, dice)
    return d.taken[s.side]


cdef inline bint same_hand(int one, int other) noexcept nogil:
    """Whether two places of the pack are of a defender's hand: the order of these is seen by nobody."""
    return one // 13 == other // 13 and (one // 13) & 1


cdef inline int moved(Splitting *s, uint8_t *order, Dice *dice, int level, int now) noexcept nogil:
    """Try one change of the deal, which scores now; return what it scores after.

    The pair is drawn with 16 bits each, whatever the deal is: a pair may be a little likelier than another, but a change and its
    undoing are equally likely, and that is all that the walk needs.
    """
    cdef uint32_t half
    cdef int one, other, after
    cdef uint8_t held
    if s.used % MOVES_A_BLOCK == 0:
        philox(dice, s.used // MOVES_A_BLOCK, MOVES, s.words)
    half = s.words[(s.used // 2) & 3] >> (32 * (s.used & 1))
    s.used += 1
    one = (half & 0xFFFF) * 52 >> 16
    other = (half >> 16) * 51 >> 16
    other += other >= one
    if same_hand(one, other):
        return now
    held = order[one]
    order[one] = order[other]
    order[other] = held
    after = score(s, order, dice)
    if after >= level:
        return after
    order[other] = order[one]
    order[one] = held
    return now


cdef void split(Splitting *s, const uint8_t *start, int now, int at, Dice *dice, int64_t *reached) noexcept nogil:
    """Count a deal that scores at least what its level asks, and what it splits into."""
    cdef uint8_t order[52]
    cdef int i, j
    reached[at] += 1
    if at + 1 == s.levels:
        return
    memcpy(order, start, 52)
    for i in range(s.factor[at + 1]):
        for j in range(s.moves):
            now = moved(s, order, dice, s.level[at], now)
        if now >= s.level[at + 1]:
            split(s, order, now, at + 1, dice, reached)


def split_deals(
    Setup setup, const uint64_t[::1] key, uint64_t start, int64_t[:, ::1] reached, int8_t[::1] scores, *, int side, levels,
    factors, int moves, uint64_t stream=0,
):
    """Play deals start, start+1, ... and split those in which a side takes many tricks.

    Parameters
    ----------
    reached : (deals, levels), filled with how many states of a deal's tree scored at least each level; its expectation is the
        chance to score so much times the product of the factors up to there
    scores : (deals,), filled with the tricks that the side takes of each deal itself; -1 for a redeal
    side : 0 the caller's, 1 the defenders'
    levels, factors : rising numbers of tricks; states looked at for each deal that reached the level before, the first is 1
    moves : changes tried between two states
    """
    cdef Splitting s
    cdef Dice dice = read_dice(key, stream)
    cdef Py_ssize_t size = reached.shape[0], i
    cdef int j
    cdef Deal d
    if not 0 < len(levels) <= MOST_LEVELS or len(factors) != len(levels) or reached.shape[1] != len(levels):
        raise ValueError(f"1 to {MOST_LEVELS} levels, each with a factor and a column")
    if list(levels) != sorted(set(levels)) or min(factors) < 1 or factors[0] != 1 or moves < 1 or side not in (0, 1):
        raise ValueError("levels rise, factors begin with 1 and are at least 1, so are moves, and side is 0 or 1")
    if scores.shape[0] != size:
        raise ValueError("scores needs one entry for each deal")
    s.rules = &setup.rules
    s.players = &setup.players
    s.side = side
    s.levels = len(levels)
    s.moves = moves
    for j in range(s.levels):
        s.level[j] = levels[j]
        s.factor[j] = factors[j]
    with nogil:
        for i in range(size):
            start_deal(&dice, start + <uint64_t> i)
            deal_pack(&d, &dice)
            s.used = 0
            for j in range(s.levels):
                reached[i, j] = 0
            scores[i] = score(&s, &d.order[0][0], &dice)
            if scores[i] >= s.level[0]:
                split(&s, &d.order[0][0], scores[i], 0, &dice, &reached[i, 0])
