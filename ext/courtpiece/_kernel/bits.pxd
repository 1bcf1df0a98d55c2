"""Sets of cards as 64-bit masks.

A card is 16*suit + rank (rank 0 for a two, 12 for an ace), so that each suit owns a lane of 16 bits;
a set of cards is the mask of those bits.  Outside the kernel a card is 13*suit + rank.
"""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #ifdef COURTPIECE_CHECKED
    #include <stdio.h>
    #include <stdlib.h>
    #define COURTPIECE_HOLDS(what) \
        ((what) ? (void)0 : (fprintf(stderr, "%s:%d: does not hold: %s\\n", __FILE__, __LINE__, #what), abort()))
    #else
    #define COURTPIECE_HOLDS(what) ((void)0)
    #endif
    #if defined(__BMI2__) && defined(__x86_64__)
    #include <immintrin.h>
    static inline uint64_t courtpiece_nth(uint64_t mask, unsigned n) {
        COURTPIECE_HOLDS(n < (unsigned)__builtin_popcountll(mask));
        return _pdep_u64((uint64_t)1 << n, mask);
    }
    static inline uint64_t courtpiece_deposit(uint64_t pattern, uint64_t mask) {
        return _pdep_u64(pattern, mask);
    }
    #else
    static inline uint64_t courtpiece_nth(uint64_t mask, unsigned n) {
        while (n--) mask &= mask - 1;
        COURTPIECE_HOLDS(mask != 0);
        return mask & (~mask + 1);
    }
    static inline uint64_t courtpiece_deposit(uint64_t pattern, uint64_t mask) {
        uint64_t chosen = 0;
        for (; pattern; pattern >>= 1, mask &= mask - 1)
            if (pattern & 1) chosen |= mask & (~mask + 1);
        return chosen;
    }
    #endif
    #define COURTPIECE_ALL 0x1FFF1FFF1FFF1FFFull
    #if defined(_MSC_VER) && !defined(__clang__)
    #include <intrin.h>
    static inline int courtpiece_count(uint64_t mask) {     /* not every processor has an instruction for it */
        mask -= (mask >> 1) & 0x5555555555555555ull;
        mask = (mask & 0x3333333333333333ull) + ((mask >> 2) & 0x3333333333333333ull);
        mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0Full;
        return (int)((mask * 0x0101010101010101ull) >> 56);
    }
    static inline int courtpiece_lowest(uint64_t mask) {
        unsigned long place;
        _BitScanForward64(&place, mask);
        return (int)place;
    }
    static inline int courtpiece_highest(uint64_t mask) {
        unsigned long place;
        _BitScanReverse64(&place, mask);
        return (int)place;
    }
    static inline uint64_t courtpiece_high_product(uint64_t a, uint64_t b) { return __umulh(a, b); }
    #else
    static inline int courtpiece_count(uint64_t mask) { return __builtin_popcountll(mask); }
    static inline int courtpiece_lowest(uint64_t mask) { COURTPIECE_HOLDS(mask != 0); return __builtin_ctzll(mask); }
    static inline int courtpiece_highest(uint64_t mask) { COURTPIECE_HOLDS(mask != 0); return 63 - __builtin_clzll(mask); }
    static inline uint64_t courtpiece_high_product(uint64_t a, uint64_t b) {
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
    }
    #endif
    """
    const uint64_t ALL_CARDS "COURTPIECE_ALL"
    # The n-th lowest bit of the mask (n from 0, n < count(mask)), as a mask.
    uint64_t nth "courtpiece_nth"(uint64_t mask, unsigned int n) noexcept nogil
    # The bits of the mask that the pattern picks: its bit i stands for the i-th lowest.
    uint64_t deposit "courtpiece_deposit"(uint64_t pattern, uint64_t mask) noexcept nogil
    int count "courtpiece_count"(uint64_t mask) noexcept nogil
    # Index of the lowest and the highest bit; the mask is not empty.
    int lowest "courtpiece_lowest"(uint64_t mask) noexcept nogil
    int highest "courtpiece_highest"(uint64_t mask) noexcept nogil
    # High half of a 128-bit product.
    uint64_t high_product "courtpiece_high_product"(uint64_t a, uint64_t b) noexcept nogil

cdef enum:
    TWO = 0
    TEN = 8
    ACE = 12
    NONE = 255              # no seat, no suit, no side

cdef enum:
    LANE = 0x1FFF           # the 13 cards of suit 0

cdef inline uint64_t bit(int card) noexcept nogil:
    return (<uint64_t> 1) << card

cdef inline int suit_of(int card) noexcept nogil:
    return card >> 4

cdef inline int rank_of(int card) noexcept nogil:
    return card & 15

cdef inline uint64_t suit_mask(int suit) noexcept nogil:
    return (<uint64_t> LANE) << (16 * suit)

cdef inline uint64_t rank_mask(int rank) noexcept nogil:
    return (<uint64_t> 0x0001000100010001) << rank

cdef inline int packed(int card) noexcept nogil:
    """The card's number outside the kernel: 13*suit + rank."""
    return card - 3 * (card >> 4)

cdef inline int unpacked(int number) noexcept nogil:
    """The kernel's card for 13*suit + rank."""
    return number + 3 * (number // 13)

cdef inline uint64_t packed_mask(uint64_t cards) noexcept nogil:
    """A set of cards as it is outside the kernel, with bit 13*suit + rank for each."""
    return (
        (cards & 0x1FFF) | (cards >> 16 & 0x1FFF) << 13 | (cards >> 32 & 0x1FFF) << 26 | (cards >> 48 & 0x1FFF) << 39
    )

cdef inline uint64_t unpacked_mask(uint64_t cards) noexcept nogil:
    """The kernel's set for one with bit 13*suit + rank for each card."""
    return (
        (cards & 0x1FFF) | (cards >> 13 & 0x1FFF) << 16 | (cards >> 26 & 0x1FFF) << 32 | (cards >> 39 & 0x1FFF) << 48
    )
