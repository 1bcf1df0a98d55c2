"""Exact answers with all four hands open and trump fixed: zero-window searches over one table of patterns."""

from libc.stdint cimport int8_t, uint8_t, uint64_t

include "solver_search.pxi"


cdef class Solver:
    """Answers questions about positions, with one table of at most `memory` bytes for all of them.

    Hands are masks with bit 13*suit + rank for each card, trump a suit or 255 for none, the leader a seat.  One thread at a time.
    """

    cdef Search search
    cdef Table table

    def __cinit__(self, size_t memory):
        if not allocate(&self.search, &self.table, memory):
            raise MemoryError("no memory for the solver's table")

    def __dealloc__(self):
        release(&self.search, &self.table)

    @property
    def nodes(self):
        """Cards tried so far."""
        return self.search.nodes

    @property
    def forgotten(self):
        """How often the table was full and began anew."""
        return self.table.forgotten

    def at_least(
        self, const uint64_t[:, ::1] hands, const uint8_t[::1] trumps, const uint8_t[::1] leaders, const uint8_t[::1] needs,
        int8_t[::1] out, *, bint in_a_row=False,
    ):
        """Fill `out` with whether the leader's side can take so many tricks, or so many before it loses one."""
        cdef Py_ssize_t i
        with nogil:
            for i in range(hands.shape[0]):
                set_up(&self.search, &hands[i, 0], NULL, 0, trumps[i], leaders[i], leaders[i], in_a_row)
                forget(&self.table)
                out[i] = ask(&self.search, 0, needs[i]).tricks >= needs[i]

    def most(
        self, const uint64_t[:, ::1] hands, const uint8_t[::1] trumps, const uint8_t[::1] leaders, int8_t[::1] out,
    ):
        """Fill `out` with the most tricks that the leader's side can take."""
        cdef Py_ssize_t i
        with nogil:
            for i in range(hands.shape[0]):
                set_up(&self.search, &hands[i, 0], NULL, 0, trumps[i], leaders[i], leaders[i], False)
                forget(&self.table)
                out[i] = most_of(&self.search, 0, (self.search.tricks[0].left + 2) // 2)

    def can(
        self, const uint64_t[::1] hands, const uint8_t[::1] table, int trump, int leader, int side, int need,
        *, bint in_a_row=False,
    ):
        """Return whether a side can take so many of the tricks left, the one on the table included."""
        cdef bint answer
        with nogil:
            set_up(&self.search, &hands[0], &table[0] if table.shape[0] else NULL, table.shape[0], trump, leader, side, in_a_row)
            answer = ask(&self.search, table.shape[0], need).tricks >= need
        return answer

    def most_from(
        self, const uint64_t[::1] hands, const uint8_t[::1] table, int trump, int leader, int side, int guess,
    ):
        """Return the most of the tricks left, the one on the table included, that a side can take."""
        cdef int answer
        with nogil:
            set_up(&self.search, &hands[0], &table[0] if table.shape[0] else NULL, table.shape[0], trump, leader, side, False)
            answer = most_of(&self.search, table.shape[0], guess)
        return answer
