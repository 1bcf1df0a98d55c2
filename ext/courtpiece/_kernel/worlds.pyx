"""Worlds by the batch: numpy arrays filled, the GIL released meanwhile.  A set of cards has bit 13*suit + rank for each."""

from libc.stdint cimport uint8_t, uint64_t

from courtpiece._kernel.bits cimport NONE, count, lowest, packed, packed_mask, unpacked, unpacked_mask
from courtpiece._kernel.sampler cimport (
    BLOCKS_OF_WORLD, Draws, Knowledge, Part, Plan, World, draw_five, draw_world, plan_worlds, start_draws, start_world, world_in,
)

MOST_WORLDS = <uint64_t> 1 << (64 - BLOCKS_OF_WORLD)       # that one decision has random words for


cdef inline void write(const World *w, uint64_t *hands, uint8_t *face_down) noexcept nogil:
    cdef int seat
    for seat in range(4):
        hands[seat] = packed_mask(w.hands[seat])
    face_down[0] = packed(lowest(w.face_down)) if w.face_down else NONE


cdef class Worlds:
    """All worlds of one state of knowledge, counted once.

    Parameters
    ----------
    known : four sets, the cards known to lie in each seat's playable hand
    unseen : set of the cards whose place is not known
    need : four numbers, how many of them each playable hand has
    barred : four numbers, bit s: no unseen card of the playable hand is of suit s
    held : (seat, suit) of which it holds at least one unseen card, or None
    hider : the seat whose card lies, or lay, face down, or None
    face_down : number of that card where it is known and lies face down, or None
    hides_unseen : whether the face-down card is one of the unseen
    marked : (card, four weights), an unseen card and what a world weighs when it lies with each seat, or None
    played, early, late : four sets each: what a seat has played, and what was and was not among its first five
    blind : whether the unseen face-down card was not among its owner's first five

    Raises ValueError when these cannot be together, unless that takes counting: then `total` is 0.
    """

    cdef Knowledge knowledge
    cdef Plan plan

    def __init__(
        self, known, unseen, need, barred, *, held, hider, face_down, hides_unseen, marked, played, early, late, blind,
    ):
        cdef Knowledge *k = &self.knowledge
        cdef int seat
        k.unseen = unpacked_mask(unseen)
        for seat in range(4):
            k.known[seat] = unpacked_mask(known[seat])
            k.need[seat] = need[seat]
            k.barred[seat] = barred[seat]
            k.played[seat] = unpacked_mask(played[seat])
            k.early[seat] = unpacked_mask(early[seat])
            k.late[seat] = unpacked_mask(late[seat])
            k.weight[seat] = 1 if marked is None else marked[1][seat]
        k.holder, k.held = (NONE, NONE) if held is None else held
        k.hider = NONE if hider is None else hider
        k.face_down = 0 if face_down is None else unpacked_mask(1 << face_down)
        k.hides_unseen = hides_unseen
        k.marked = NONE if marked is None else unpacked(marked[0])
        k.blind = blind
        if max(need) > 13 or count(k.unseen) > 47 or sum(need) + k.hides_unseen != count(k.unseen):
            raise ValueError("the unseen cards are at most 47, as many as the hands need and what lies face down")
        if held is not None or all(need):
            if any(barred) or marked is not None:
                raise ValueError("this many unknown hands, or a suit that must be held, go with no barred suit and no marked card")
        if hides_unseen and (hider is None or marked is not None or face_down is not None):
            raise ValueError("one card lies face down, and none is marked then")
        plan_worlds(k, &self.plan)

    @property
    def total(self):
        """What all worlds weigh together."""
        return int(self.plan.total) * int(self.plan.waiting_hands)

    @property
    def worlds(self):
        """How many worlds there are."""
        return int(self.plan.worlds) * int(self.plan.waiting_hands)

    def draw(
        self, const uint64_t[::1] key, uint64_t stream, uint64_t index, uint64_t seat, uint64_t decision, uint64_t start,
        uint64_t[:, ::1] hands, uint8_t[::1] face_down, fives=None,
    ):
        """Fill hands (n, 4) and face_down (n,) with worlds start, start+1, ... of a decision; 255 where no card lies face down.

        With fives (n, 4), also with each seat's first five cards.
        """
        cdef Draws draws
        cdef World w
        cdef Py_ssize_t i, size = hands.shape[0]
        cdef uint64_t[:, ::1] five
        cdef int other
        cdef bint ordered = fives is not None
        if key.shape[0] != 2:
            raise ValueError("a key is two 64-bit words: SeedSequence(seed).generate_state(2, numpy.uint64)")
        if hands.shape[1] != 4 or face_down.shape[0] != size:
            raise ValueError("hands take four sets a world, face_down one card")
        if ordered:
            five = fives
            if five.shape[0] != size or five.shape[1] != 4:
                raise ValueError("fives take four sets a world")
        if self.plan.total == 0:
            raise ValueError("there is no world to draw")
        with nogil:
            start_draws(&draws, key[0], key[1], stream, index, seat, decision)
            for i in range(size):
                start_world(&draws, start + <uint64_t> i)
                draw_world(&self.plan, &draws, &w)
                write(&w, &hands[i, 0], &face_down[i])
                if ordered:
                    for other in range(4):
                        five[i, other] = packed_mask(draw_five(&self.knowledge, &self.plan, &w, other, &draws))

    def fill(self, uint64_t start, uint64_t[:, ::1] hands, uint8_t[::1] face_down, uint64_t[::1] weights):
        """Fill hands, face_down and weights (n,) with worlds start, start+1, ... of all, in an order of their own.

        Not for a seat that waits for cards of its own.
        """
        cdef World w
        cdef Py_ssize_t i, size = hands.shape[0]
        cdef int part = 0
        cdef uint64_t number = start
        if hands.shape[1] != 4 or face_down.shape[0] != size or weights.shape[0] != size:
            raise ValueError("hands take four sets a world, face_down one card, weights one number")
        if self.plan.waiting != NONE or start + <uint64_t> size > self.plan.worlds:
            raise ValueError("there are no so many worlds, or too many to number")
        with nogil:
            for i in range(size):
                while number >= self.plan.part[part].worlds:
                    number -= self.plan.part[part].worlds
                    part += 1
                world_in(&self.plan, &self.plan.part[part], 0, number, &w)
                write(&w, &hands[i, 0], &face_down[i])
                weights[i] = self.plan.part[part].total // self.plan.part[part].worlds
                number += 1
