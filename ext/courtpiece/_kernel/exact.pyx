"""Exact answers under any rules, all four hands open."""

from libc.string cimport memcpy

include "exact_search.pxi"


cdef inline void lay_out(
    Deal *d, const uint64_t *hands, int trump, int leader, int hider, int hidden,
) noexcept nogil:
    """Set up a deal before a lead: masks of 13*suit + rank, and who has which card face down, NONE for nobody."""
    cdef int seat
    open_deal(d, count(hands[0]))
    for seat in range(4):
        d.hands[seat] = unpacked_mask(hands[seat])
    d.trump = trump
    d.leader = leader
    if hider != NONE:
        d.hider = d.caller = hider
        d.face_down = bit(unpacked(hidden))
        d.hands[hider] ^= d.face_down


cdef class Solver:
    """Answers questions about deals under any rules, with tables of at most `memory` bytes together.  One thread at a time.

    Parameters
    ----------
    rules : RuleSet
    memory : bytes
    """

    cdef Exact exact
    cdef Ends ends                  # of the worth asked for last
    cdef int ply

    def __cinit__(self, rules, size_t memory):
        cdef Rules r = read_rules(rules)
        if not open_exact(&self.exact, &r, memory):
            raise MemoryError("no memory for the solver's table")

    def __dealloc__(self):
        close_exact(&self.exact)

    @property
    def nodes(self):
        """Cards tried so far."""
        return self.exact.nodes + self.exact.fast.nodes + self.exact.sweeps[0].nodes + self.exact.sweeps[1].nodes

    @property
    def forgotten(self):
        """How often a table was full and began anew."""
        cdef Exact *s = &self.exact
        return s.table.forgotten + s.fast_table.forgotten + s.sweep_tables[0].forgotten + s.sweep_tables[1].forgotten

    def place(self, const uint8_t[:, ::1] hands, const uint8_t[::1] words, int claimer, const uint8_t[::1] plays):
        """Take up a deal or an ending after the words, the claim and the plays, all legal."""
        cdef Py_ssize_t i
        self.exact.deals[0] = place(&self.exact.rules, hands, words, claimer)
        self.ply = 0
        take_up(&self.exact)
        for i in range(plays.shape[0]):
            self.step(plays[i])
        self.exact.deals[0] = self.exact.deals[self.ply]
        self.ply = 0

    def begin(
        self, const uint64_t[::1] hands, int trump, int leader, int hider, int hidden,
        const uint8_t[::1] table, int taken, int lost,
    ):
        """Take up hands before a lead or, with cards on the table, within a trick.

        Hands are masks with bit 13*suit + rank, those on the table not among them; trump is 255 where it is not set; the
        hider, 255 for nobody, has the hidden card among his; `taken` and `lost` are the tricks of the sides so far.
        """
        cdef uint64_t whole[4]
        cdef Deal *d = &self.exact.deals[0]
        cdef int i
        for i in range(4):
            whole[i] = hands[i]
        for i in range(<int> table.shape[0]):
            whole[(leader + i) & 3] |= (<uint64_t> 1) << table[i]
        lay_out(d, whole, trump, leader, hider, hidden)
        self.ply = 0
        take_up(&self.exact)
        d.taken[0] = taken
        d.taken[1] = lost
        if taken + lost + count(d.hands[leader]) >= 13 and (taken >= 7 and not lost or lost >= 7 and not taken):
            d.swept = 0 if taken else 1
        for i in range(<int> table.shape[0]):
            self.step(table[i])
        self.exact.deals[0] = self.exact.deals[self.ply]
        self.ply = 0

    def outcomes(
        self, const uint64_t[:, ::1] hands, const uint8_t[::1] trumps, const uint8_t[::1] leaders,
        const uint8_t[:, ::1] hidden, uint8_t[:, ::1] out,
    ):
        """Fill `out` with the outcome of each whole deal and the side that wins it, both sides playing for points.

        `hidden` has the hider, 255 for nobody, and his card.
        """
        cdef Py_ssize_t i
        cdef Ends ends
        cdef int outcome = NONE, side = NONE
        with nogil:
            weigh_ends(&ends, &self.exact.ends_by, NONE, True, False)
            self.ply = 0
            for i in range(hands.shape[0]):
                lay_out(&self.exact.deals[0], &hands[i, 0], trumps[i], leaders[i], hidden[i, 0], hidden[i, 1])
                take_up(&self.exact)
                name_worth(&ends, &self.exact.ends_by, NONE, worth_of(&self.exact, &ends, 0), &outcome, &side)
                out[i, 0] = outcome
                out[i, 1] = side

    cdef void step(self, int action) noexcept nogil:
        cdef Deal *d = &self.exact.deals[self.ply]
        d[1] = d[0]
        self.ply += 1
        next_turn(d + 1, &self.exact.rules)
        act(d + 1, &self.exact.rules, action)

    def actions(self):
        """Return the cards that may be played now as a mask, and whether `reveal` may be said first."""
        cdef Deal d = self.exact.deals[self.ply]
        cdef bint may_reveal
        if d.tricks == 13:
            return 0, False
        may_reveal = next_turn(&d, &self.exact.rules)
        return packed_mask(legal_cards(&d, seat_to_act(&d), d.k, self.exact.rules.trump_mode)), may_reveal

    def act(self, int action):
        """Play a legal card, or say `reveal` (64)."""
        self.step(action)

    def back(self):
        """Take the last action back."""
        self.ply -= 1

    def can_take(self, int side, int tricks):
        """Return whether a side can collect so many tricks of the deal, those it has included."""
        cdef Deal *d = &self.exact.deals[self.ply]
        cdef int whole = d.taken[0] + d.taken[1] + d.pile + 13 - d.tricks
        cdef bint yes
        if tricks <= 0 or tricks > whole:
            return tricks <= 0
        with nogil:
            ask_for_tricks(&self.exact, tricks if side == 0 else whole - tricks + 1)
            yes = ask_from(&self.exact, self.ply).yes
        return yes == (side == 0)

    def can_sweep(self, int side):
        """Return whether a side can take the first seven tricks of a whole deal."""
        cdef bint yes
        with nogil:
            ask_for_sweep(&self.exact, side)
            yes = ask_from(&self.exact, self.ply).yes
        return yes == (side == 0)

    def most_tricks(self, int side, int guess):
        """Return the most tricks of the deal that a side can collect, those it has included."""
        cdef int tricks
        with nogil:
            tricks = most_tricks_of(&self.exact, self.ply, side, guess - self.exact.deals[self.ply].taken[side])
        return tricks + self.exact.deals[self.ply].taken[side]

    def most_tens(self, int side):
        """Return the most tens of the deal that a side can collect, those it has included."""
        cdef int tens
        with nogil:
            tens = most_tens_of(&self.exact, self.ply, side)
        return tens + self.exact.deals[self.ply].tens[side]

    def outcome(self):
        """Return how a whole deal ends when both sides play for points: (outcome, side that wins, points ahead of side 0).

        Of outcomes that score the same each side prefers the greater for itself: a win to a loss, a kot to a win.
        """
        cdef Ends ends
        cdef int outcome = NONE, side = NONE
        cdef int claimer = self.exact.deals[self.ply].claimer
        with nogil:
            weigh_ends(&ends, &self.exact.ends_by, claimer, True, False)
            name_worth(&ends, &self.exact.ends_by, claimer, worth_of(&self.exact, &ends, self.ply), &outcome, &side)
        return outcome, side, self.exact.ends_by.points[outcome][side] * (1 if side == 0 else -1)

    def worth(self, bint whole):
        """Return what best play comes to for side 0: a number that grows with its points, the greater outcome, and its tricks.

        In an ending, one that is not `whole`, it grows with the tens where they count, then with the tricks.
        """
        cdef int worth
        with nogil:
            weigh_ends(&self.ends, &self.exact.ends_by, self.exact.deals[self.ply].claimer, whole, True)
            worth = worth_of(&self.exact, &self.ends, self.ply)
        return worth

    def reaches(self, int worth):
        """Return whether side 0 can reach an end of so much `worth`, as asked for last."""
        cdef bint yes
        with nogil:
            ask_for_worth(&self.exact, &self.ends, worth)
            yes = ask_from(&self.exact, self.ply).yes
        return yes

    def weigh(
        self, const uint8_t[:, ::1] positions, const uint8_t[::1] choices, const double[:, ::1] worths, int side, double[:, ::1] out,
    ):
        """Fill out (n, m) with what each choice comes to in each position when all four then play on with open cards for the worths.

        The positions are those of `Scene.positions`; worths (10, 2), what the deal's end is worth to the side, is by outcome and by
        whether it won it (column 0) or the other side, which wants the contrary.
        """
        cdef Exact *s = &self.exact
        cdef double values[ENDS]
        cdef Ends ends
        cdef Py_ssize_t i, j
        if positions.shape[1] != sizeof(Deal) or worths.shape[0] != 10 or worths.shape[1] != 2:
            raise ValueError("positions are those of a Scene, and worths a table of 10 by 2")
        if out.shape[0] != positions.shape[0] or out.shape[1] != choices.shape[0]:
            raise ValueError("out has a row for each position and a column for each choice")
        with nogil:
            for i in range(positions.shape[0]):
                memcpy(&s.deals[0], &positions[i, 0], sizeof(Deal))
                if i == 0:
                    value_ends(&ends, values, &s.ends_by, s.deals[0].claimer, &worths[0, 0], side)
                self.ply = 0
                take_up(s)
                for j in range(choices.shape[0]):
                    self.step(choices[j])
                    out[i, j] = values[worth_of(s, &ends, 1)] * (1 if side == 0 else -1)
                    self.ply = 0
