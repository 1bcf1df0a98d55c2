"""Information-set Monte Carlo tree search: one tree over all worlds that a seat cannot tell apart, one iteration in each.

Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012), with a single observer: all choices in a deal are
seen by all.
"""

from libc.math cimport log, sqrt
from libc.stdlib cimport malloc
from libc.string cimport memcpy

include "exact_search.pxi"
include "choices.pxi"
include "played_on.pxi"

cdef enum:
    MOST_ACTIONS = 53           # 52 cards and one reveal
    NO_NODE = -1

cdef struct Node:
    int32_t parent
    int32_t child               # the first
    int32_t sibling             # the next
    uint32_t visits
    uint32_t available          # how often it could have been chosen
    double value                # sum over the visits, for the side of the deciding seat
    uint8_t action

cdef struct Tree:
    Exact exact                 # answers for one world
    Ends ends                   # what the deal's ends are worth
    double values[ENDS]         # to side 0
    const double *worths        # the same, to the side of the deciding seat, by outcome and winner
    double trick                # and each trick more, in playouts
    double tie                  # what a playout counts beside an exact answer
    double explore
    bint others_search
    int exact_from              # cards that a seat has at the start of a trick when leaves turn exact
    int seat                    # who decides
    Node *nodes
    int made


cdef inline int new_node(Tree *t, int parent, int action) noexcept nogil:
    """Add a node and return its place."""
    cdef Node *node = &t.nodes[t.made]
    node.parent = parent
    node.child = NO_NODE
    node.visits = 0
    node.available = 0
    node.value = 0
    node.action = action
    node.sibling = NO_NODE
    if parent != NO_NODE:
        node.sibling = t.nodes[parent].child
        t.nodes[parent].child = t.made
    t.made += 1
    return t.made - 1


cdef inline int find_child(const Tree *t, int node, int action) noexcept nogil:
    cdef int child = t.nodes[node].child
    while child != NO_NODE and t.nodes[child].action != action:
        child = t.nodes[child].sibling
    return child


cdef double leaf_value(Tree *t, const Deal *d) noexcept nogil:
    """What the deal below the tree is worth to the side of the deciding seat."""
    cdef Exact *s = &t.exact
    cdef Deal last = d[0]
    cdef int side = t.seat & 1
    cdef double tried
    play_on(&last, &s.ends_by)
    tried = worth(&last, t.worths, t.trick, side)
    if 13 - d.tricks > t.exact_from:
        return tried
    if d.over:
        return worth(d, t.worths, 0, side) + t.tie * tried
    s.deals[0] = d[0]
    take_up(s)
    return t.values[worth_of(s, &t.ends, 0)] * (1 if side == 0 else -1) + t.tie * tried


cdef void grow(Tree *t, const Deal *root) noexcept nogil:
    """One iteration: go down the tree in this world, add a node, value its deal, and carry the value up."""
    cdef const Rules *r = &t.exact.ends_by
    cdef Deal d = root[0]
    cdef uint8_t choices[MOST_CHOICES]
    cdef int path[MOST_ACTIONS + 1]
    cdef int node = 0, depth = 0, seat, size, i, child, best, preferred
    cdef bint may_reveal, added = False
    cdef double value, bound, best_bound, sign
    while not d.over and not added:
        seat = seat_to_act(&d)
        may_reveal = next_turn(&d, r)
        size = choices_of(&d, r, seat, may_reveal, choices)
        preferred = greedy_choice(&d, r, seat, may_reveal, choices, size)
        best = NO_NODE
        if size == 1 or (not t.others_search and seat != t.seat):
            best = find_child(t, node, preferred)
            if best == NO_NODE:
                best = new_node(t, node, preferred)
        else:
            if find_child(t, node, preferred) == NO_NODE:
                best = new_node(t, node, preferred)
                added = True
            else:
                for i in range(size):
                    if find_child(t, node, choices[i]) == NO_NODE:
                        best = new_node(t, node, choices[i])
                        added = True
                        break
            best_bound = -1e300
            sign = 1 if (seat ^ t.seat) & 1 == 0 else -1
            for i in range(size):
                child = find_child(t, node, choices[i])
                if child == NO_NODE:
                    continue
                t.nodes[child].available += 1
                if not added:
                    bound = sign * t.nodes[child].value / t.nodes[child].visits + t.explore * sqrt(
                        log(<double> t.nodes[child].available) / t.nodes[child].visits)
                    if bound > best_bound:
                        best_bound = bound
                        best = child
        node = best
        path[depth] = node
        depth += 1
        act(&d, r, t.nodes[node].action)
    value = leaf_value(t, &d)
    for i in range(depth):
        t.nodes[path[i]].visits += 1
        t.nodes[path[i]].value += value


cdef class Searcher:
    """Searches decisions under rules, with tables of at most `memory` bytes together for exact leaves.  One thread at a time.

    Parameters
    ----------
    rules : RuleSet
    memory : bytes
    """

    cdef Tree tree

    def __cinit__(self, rules, size_t memory):
        cdef Rules r = read_rules(rules)
        if not open_exact(&self.tree.exact, &r, memory):
            raise MemoryError("no memory for the search")

    def __dealloc__(self):
        close_exact(&self.tree.exact)

    def weigh(
        self, const uint8_t[:, ::1] positions, const uint8_t[::1] choices, const double[:, ::1] worths, double trick, *,
        double explore, bint others_search, int exact_from, double tie, uint32_t[::1] visits, double[::1] values,
    ):
        """Grow one tree over all worlds, one iteration a world, and fill visits (m,) and mean values (m,) of the choices.

        The positions, one world each, are those of `Scene.positions`; worths (10, 2), what the deal's end is worth to the side of
        the seat to act, is by outcome and by whether it won it (column 0) or the other side.  With others_search every seat
        chooses by upper confidence bounds for its own side; else only the deciding seat does, and the others play as `greedy`.
        Below the tree all play on as `greedy`; or with open cards for the worths, from `exact_from` cards a seat on, to which
        `tie` of a playout is added.
        """
        cdef Tree *t = &self.tree
        cdef Py_ssize_t i, j, n = positions.shape[0]
        cdef Deal d
        cdef int child
        if positions.shape[1] != sizeof(Deal) or n == 0 or worths.shape[0] != 10 or worths.shape[1] != 2:
            raise ValueError("positions are those of a Scene, and worths a table of 10 by 2")
        if visits.shape[0] != choices.shape[0] or values.shape[0] != choices.shape[0]:
            raise ValueError("visits and values have a place for each choice")
        t.nodes = <Node *> malloc((<size_t> n * MOST_ACTIONS + 1) * sizeof(Node))
        if t.nodes == NULL:
            raise MemoryError("no memory for the tree")
        t.made = 0
        t.worths = &worths[0, 0]
        t.trick, t.tie, t.explore, t.others_search, t.exact_from = trick, tie, explore, others_search, exact_from
        with nogil:
            new_node(t, NO_NODE, NONE)
            for i in range(n):
                memcpy(&d, &positions[i, 0], sizeof(Deal))
                if i == 0:
                    t.seat = seat_to_act(&d)
                    value_ends(&t.ends, t.values, &t.exact.ends_by, d.claimer, t.worths, t.seat & 1)
                grow(t, &d)
            for j in range(choices.shape[0]):
                child = find_child(t, 0, choices[j])
                visits[j] = t.nodes[child].visits if child != NO_NODE else 0
                values[j] = t.nodes[child].value / visits[j] if visits[j] else 0
        free(t.nodes)
