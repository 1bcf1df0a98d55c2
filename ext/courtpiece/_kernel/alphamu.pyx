"""αμ search: what one seat can reach with one plan for all the worlds that it cannot tell apart.

Cazenave and Ventos, "The αμ search algorithm for the game of bridge" (2020).  Worlds are numbered, and a vector has one bit for
each: whether the side of the deciding seat reaches what is asked there.  A front is a set of vectors, none below another: what the
seat's plans come to.  The seat itself chooses once for all worlds that have looked the same to it; the others see all cards, the
opponents against it and the partner with it.

What all four seeing all cards come to is above every plan.  So a node has to do only with the worlds that are won with open cards,
and leaves the others; a node with one such world is won in it, as the seat then knows where it is.
"""

from libc.stdlib cimport malloc, realloc
from libc.string cimport memcpy

include "exact_search.pxi"
include "choices.pxi"

cdef enum:
    MOST_WORLDS = 64
    ACTIONS = 65                # cards by their number outside the kernel, and 64 for a reveal

WORLDS = MOST_WORLDS

cdef struct Tree:
    Exact exact                 # answers for one world
    Ends ends                   # what the question is about
    double values[ENDS]         # what the ends are worth to side 0
    Deal *deals                 # by ply and world
    uint8_t hidden[MOST_WORLDS] # the card that lies face down at the root; NONE
    int seat                    # who decides
    uint64_t *fronts            # a stack of vectors
    size_t top
    size_t room
    bint full                   # there was no memory for another vector


cdef inline void push(Tree *t, uint64_t vector) noexcept nogil:
    cdef uint64_t *wider
    if t.top == t.room:
        wider = <uint64_t *> realloc(t.fronts, 2 * t.room * sizeof(uint64_t))
        if wider == NULL:
            t.full = True
            return
        t.fronts = wider
        t.room *= 2
    t.fronts[t.top] = vector
    t.top += 1


cdef inline void add(Tree *t, size_t start, uint64_t vector) noexcept nogil:
    """Add a vector to the front that begins at `start` and ends the stack, unless another is above it."""
    cdef size_t i, kept = start
    for i in range(start, t.top):
        if vector & ~t.fronts[i] == 0:
            return
    for i in range(start, t.top):
        if t.fronts[i] & ~vector:
            t.fronts[kept] = t.fronts[i]
            kept += 1
    t.top = kept
    push(t, vector)


cdef inline bint covered(const Tree *t, size_t start, size_t end, uint64_t vector) noexcept nogil:
    """Whether a vector of a front is above this one."""
    cdef size_t i
    for i in range(start, end):
        if vector & ~t.fronts[i] == 0:
            return True
    return False


cdef void join(Tree *t, size_t start, size_t middle, uint64_t worlds, bint helped) noexcept nogil:
    """Join the fronts at `start` and at `middle` into one: in each world the lower of the two counts, or, if helped, the higher.

    The second is about some of the worlds; in the others the first counts.
    """
    cdef size_t end = t.top, i, j, size
    cdef uint64_t vector
    for i in range(start, middle):
        for j in range(middle, end):
            vector = t.fronts[i] | t.fronts[j] if helped else t.fronts[i] & (t.fronts[j] | ~worlds)
            add(t, end, vector)
    size = t.top - end
    for i in range(size):
        t.fronts[start + i] = t.fronts[end + i]
    t.top = start + size


cdef inline uint64_t union_of(const Tree *t, size_t start) noexcept nogil:
    cdef uint64_t worlds = 0
    cdef size_t i
    for i in range(start, t.top):
        worlds |= t.fronts[i]
    return worlds


cdef inline Deal *deal_at(const Tree *t, int ply, int world) noexcept nogil:
    return t.deals + (ply * MOST_WORLDS + world)


cdef inline void go(Tree *t, int ply, uint64_t worlds, int action) noexcept nogil:
    """Play an action in each of the worlds."""
    cdef Deal *after
    cdef int world
    while worlds:
        world = lowest(worlds)
        worlds &= worlds - 1
        after = deal_at(t, ply + 1, world)
        after[0] = deal_at(t, ply, world)[0]
        act(after, &t.exact.rules, action)


cdef uint64_t won_with_open_cards(Tree *t, int ply, uint64_t worlds) noexcept nogil:
    """Those of the worlds where the seat's side reaches what is asked when all four see all cards."""
    cdef Exact *s = &t.exact
    cdef uint64_t won = 0
    cdef int world
    while worlds:
        world = lowest(worlds)
        worlds &= worlds - 1
        s.deals[0] = deal_at(t, ply, world)[0]
        s.world = world
        take_planes(s, &s.deals[0])
        if ask_from(s, 0).yes == (t.seat & 1 == 0):
            won |= bit(world)
    return won


cdef void explore(Tree *t, int ply, int moves, uint64_t worlds, size_t above, size_t above_end) noexcept nogil:
    """Push the front of the worlds, all of them won with open cards, with so many moves of the seat looked ahead.

    Where all of it is below the front `above`, it may be any front below that one.
    """
    cdef uint64_t rest = worlds, alike
    cdef size_t start = t.top, middle
    cdef int world, shown
    if moves == 0 or worlds & (worlds - 1) == 0 or deal_at(t, ply, lowest(worlds)).tricks == 13:
        push(t, worlds)
        return
    while rest:
        world = lowest(rest)
        rest &= rest - 1
        next_turn(deal_at(t, ply, world), &t.exact.rules)
    # The seat sees whether the hidden card is turned up, and which it is.
    rest = worlds
    while rest:
        shown = shown_in(t, ply, lowest(rest))
        alike = 0
        for world in range(lowest(rest), MOST_WORLDS):
            if rest >> world & 1 and shown_in(t, ply, world) == shown:
                alike |= bit(world)
        if alike == worlds:
            choose(t, ply, moves, worlds, above, above_end)
            return
        if rest == worlds:
            push(t, worlds)
        rest ^= alike
        if alike & (alike - 1):
            middle = t.top
            choose(t, ply, moves, alike, 0, 0)
            join(t, start, middle, alike, False)


cdef inline int shown_in(const Tree *t, int ply, int world) noexcept nogil:
    return NONE if deal_at(t, ply, world).face_down else t.hidden[world]


cdef void choose(Tree *t, int ply, int moves, uint64_t worlds, size_t above, size_t above_end) noexcept nogil:
    """Push the front of worlds that have looked the same, as `explore` does, when a seat is to act."""
    cdef int seat = seat_to_act(deal_at(t, ply, lowest(worlds)))
    if seat == t.seat:
        choose_alone(t, ply, moves, worlds)
    elif (seat ^ t.seat) == 2:
        choose_for_all(t, ply, moves, worlds, True, 0, 0)
    else:
        choose_for_all(t, ply, moves, worlds, False, above, above_end)


cdef void choose_alone(Tree *t, int ply, int moves, uint64_t worlds) noexcept nogil:
    """The seat itself acts: one choice for all worlds."""
    cdef const Rules *r = &t.exact.rules
    cdef Deal *d = deal_at(t, ply, lowest(worlds))
    cdef uint8_t choices[MOST_CHOICES]
    cdef uint64_t won[MOST_CHOICES]
    cdef size_t start = t.top, middle, i, end
    cdef int j, best, size = choices_of(d, r, t.seat, next_turn(d, r), choices)
    for j in range(size):
        go(t, ply, worlds, choices[j])
        won[j] = won_with_open_cards(t, ply + 1, worlds)
        if won[j] == worlds and moves == 1:
            push(t, worlds)
            return
    for size in range(size, 0, -1):
        best = 0
        for j in range(1, size):
            if count(won[j]) > count(won[best]):
                best = j
        if not covered(t, start, t.top, won[best]):
            go(t, ply, won[best], choices[best])
            middle = t.top
            explore(t, ply + 1, moves - 1, won[best], start, middle)
            end = t.top
            for i in range(middle, end):
                if not covered(t, start, middle, t.fronts[i]):
                    push(t, t.fronts[i])
            join_up(t, start, middle, end)
            if t.fronts[start] == worlds:
                return
        choices[best] = choices[size - 1]
        won[best] = won[size - 1]
    if t.top == start:
        push(t, 0)


cdef void join_up(Tree *t, size_t start, size_t middle, size_t end) noexcept nogil:
    """Make one front of that at `start` and of the vectors from `end` on, none of which is below it."""
    cdef size_t i, j, kept = start
    cdef bint below
    for i in range(start, middle):
        below = False
        for j in range(end, t.top):
            if t.fronts[i] & ~t.fronts[j] == 0:
                below = True
                break
        if not below:
            t.fronts[kept] = t.fronts[i]
            kept += 1
    for j in range(end, t.top):
        t.fronts[kept] = t.fronts[j]
        kept += 1
    t.top = kept


cdef inline uint64_t legal_in(const Tree *t, int ply, int world) noexcept nogil:
    cdef Deal *d = deal_at(t, ply, world)
    return legal_cards(d, seat_to_act(d), d.k, t.exact.rules.trump_mode)


cdef void choose_for_all(
    Tree *t, int ply, int moves, uint64_t worlds, bint helps, size_t above, size_t above_end,
) noexcept nogil:
    """One who sees all cards acts: another choice in each world, the best (if he helps) or the worst for the seat."""
    cdef const Rules *r = &t.exact.rules
    cdef uint64_t possible[ACTIONS]
    cdef uint64_t rest, legal, cards = 0, all, here
    cdef size_t start = t.top, middle, i
    cdef int world, card, before = NONE, order[ACTIONS], size = 0, j, action, seat
    cdef bint all_below
    cdef Deal *d
    for j in range(ACTIONS):
        possible[j] = 0
    rest = worlds
    while rest:
        world = lowest(rest)
        rest &= rest - 1
        d = deal_at(t, ply, world)
        if next_turn(d, r):
            possible[REVEAL_ACTION] |= bit(world)
        legal = legal_in(t, ply, world)
        cards |= legal
        while legal:
            possible[packed(lowest(legal))] |= bit(world)
            legal &= legal - 1
    all = d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3] | d.face_down
    for j in range(d.k):
        all |= bit(d.table[j])
    if possible[REVEAL_ACTION]:
        order[0] = REVEAL_ACTION
        size = 1
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        # Of neighbours that he has in the same worlds one will do.
        if (
            before == NONE or suit_of(before) != suit_of(card) or distinct(r, before, card)
            or possible[packed(before)] != possible[packed(card)] or all & (bit(card) - 1) & ~((bit(before) << 1) - 1)
        ):
            j = size
            while j > 0 and count(possible[order[j - 1]]) < count(possible[packed(card)]):
                order[j] = order[j - 1]
                j -= 1
            order[j] = packed(card)
            size += 1
        before = card
    push(t, 0 if helps else worlds)
    for j in range(size):
        action = order[j]
        here = possible[action]
        if helps:
            go(t, ply, here, action)
            here = won_with_open_cards(t, ply + 1, here)
        else:
            here &= union_of(t, start)
            if here & (here - 1) == 0:                      # he betrays which world it is
                continue
            go(t, ply, here, action)
        if here == 0:
            continue
        middle = t.top
        explore(t, ply + 1, moves, here, 0, 0)
        join(t, start, middle, here, helps)
        if helps:
            if t.fronts[start] == worlds:
                return
        elif above_end > above:
            all_below = True
            for i in range(start, t.top):
                if not covered(t, above, above_end, t.fronts[i]):
                    all_below = False
                    break
            if all_below:
                return


cdef class Searcher:
    """Searches decisions under rules, with tables of at most `memory` bytes together.  One thread at a time.

    Parameters
    ----------
    rules : RuleSet
    memory : bytes
    """

    cdef Tree tree

    def __cinit__(self, rules, size_t memory):
        cdef Rules r = read_rules(rules)
        cdef Tree *t = &self.tree
        t.room = 1024
        t.fronts = <uint64_t *> malloc(t.room * sizeof(uint64_t))
        t.deals = <Deal *> malloc(MOST_PLIES * MOST_WORLDS * sizeof(Deal))
        if not open_exact(&t.exact, &r, memory) or t.fronts == NULL or t.deals == NULL:
            raise MemoryError("no memory for the search")

    def __dealloc__(self):
        close_exact(&self.tree.exact)
        free(self.tree.fronts)
        free(self.tree.deals)

    @property
    def nodes(self):
        """Cards tried so far with open hands."""
        cdef Exact *s = &self.tree.exact
        return s.nodes + s.fast.nodes + s.sweeps[0].nodes + s.sweeps[1].nodes

    def weigh(
        self, const uint8_t[:, ::1] positions, const uint8_t[::1] choices, const double[:, ::1] worths, int moves, uint64_t[::1] out,
    ):
        """Fill out (m,) with the worlds in which each choice reaches what is asked by the best plan; return what it is worth.

        The positions, one world each and at most 64, are those of `Scene.positions`; worths (10, 2), what the deal's end is worth
        to the side of the seat to act, is by outcome and by whether it won it (column 0) or the other side.  `moves` is how many
        actions of the seat are looked ahead, this one included.

        First it is asked whether the side wins the deal.  When all choices do so in all worlds, or none does in any, it is asked
        for the next better, or the next worse end.  What comes back is (worth of the least end that was asked for, worth of the
        best end below it).
        """
        cdef Tree *t = &self.tree
        cdef int n = <int> positions.shape[0], i, j, side, question, way = 0
        cdef uint64_t worlds, some, every
        if positions.shape[1] != sizeof(Deal) or not 1 <= n <= MOST_WORLDS or worths.shape[0] != 10 or worths.shape[1] != 2:
            raise ValueError(f"positions are at most {MOST_WORLDS} of a Scene, and worths a table of 10 by 2")
        if out.shape[0] != choices.shape[0] or choices.shape[0] == 0 or moves < 1:
            raise ValueError("out has a place for each choice, and at least one move is looked ahead")
        with nogil:
            for i in range(n):
                memcpy(deal_at(t, 0, i), &positions[i, 0], sizeof(Deal))
                t.hidden[i] = lowest(deal_at(t, 0, i).face_down) if deal_at(t, 0, i).face_down else NONE
                next_turn(deal_at(t, 0, i), &t.exact.rules)
            t.seat = seat_to_act(t.deals)
            t.full = False
            forget_all(&t.exact.table)
            side = t.seat & 1
            value_ends(&t.ends, t.values, &t.exact.ends_by, t.deals.claimer, &worths[0, 0], side)
            worlds = ~<uint64_t> 0 >> (64 - n)
            question = winning_end(t)
            while t.ends.size > 1:
                ask_for_worth(&t.exact, &t.ends, question)
                some = 0
                every = worlds
                for j in range(choices.shape[0]):
                    out[j] = plan(t, choices[j], moves, worlds)
                    some |= out[j]
                    every &= out[j]
                if every == worlds and way >= 0:
                    way = 1
                elif some == 0 and way <= 0:
                    way = -1
                else:
                    break
                i = question + (way if side == 0 else -way)
                if not 0 < i < t.ends.size:
                    break
                question = i
        if t.full:
            raise MemoryError("no memory for the plans of a decision")
        if t.ends.size == 1:
            out[:] = 0
            return worths[0, 0], worths[0, 0]
        if side == 0:
            return t.values[question], t.values[question - 1]
        return -t.values[question - 1], -t.values[question]


cdef int winning_end(const Tree *t) noexcept nogil:
    """The place of the least end that parts the deals won by side 0 from the others, for the side of the seat."""
    cdef Deal d
    cdef int sweep, tens, tricks, won = t.ends.size, lost = 0, place
    for sweep in range(3):
        for tens in range(5):
            for tricks in range(14):
                end_at(&d, &t.exact.ends_by, t.deals.claimer, sweep, tens, tricks)
                place = t.ends.worth[sweep][tens][tricks]
                if d.side == 0:
                    won = least(won, place)
                else:
                    lost = most(lost, place)
    return most(1, least(lost + 1 if t.seat & 1 == 0 else won, t.ends.size - 1))


cdef uint64_t plan(Tree *t, int choice, int moves, uint64_t worlds) noexcept nogil:
    """The worlds in which the choice reaches what is asked, by the plan that does so in most of them."""
    cdef uint64_t won, best = 0
    cdef size_t i
    go(t, 0, worlds, choice)
    won = won_with_open_cards(t, 1, worlds)
    t.top = 0
    if won == 0:
        return 0
    explore(t, 1, moves - 1, won, 0, 0)
    for i in range(t.top):
        if count(t.fronts[i]) > count(best):
            best = t.fronts[i]
    return best
