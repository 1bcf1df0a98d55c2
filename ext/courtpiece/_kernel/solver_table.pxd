"""What a search remembers: which positions are settled, by shape and by the top ranks that mattered.

A position at the start of a trick is keyed by its shape (the length of each suit in each hand) and the seat on lead.
Under a key lies a list of patterns.  A pattern names the owners of the top remaining cards of each suit, as far down as they
mattered, and bounds on the tricks of the asking side: they hold for every position of that key whose top cards lie so.

Owners are kept in two planes: bit 0 and bit 1 of the owner's seat, for each remaining card, with the cards that are gone
squeezed out (`gather`).  Two positions of one key have their suits at the same places, so a pattern matches where both planes
agree under its mask.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from *:
    """
    #if defined(__BMI2__) && defined(__x86_64__)
    #include <immintrin.h>
    static inline uint64_t courtpiece_gather(uint64_t cards, uint64_t among) { return _pext_u64(cards, among); }
    static inline uint64_t courtpiece_scatter(uint64_t packed, uint64_t among) { return _pdep_u64(packed, among); }
    #else
    /* Compress each lane of 16 bits towards its bottom, all four at once (Hacker's Delight, 7-4). */
    #define COURTPIECE_LANES(x) ((x) * 0x0001000100010001ull)
    static inline uint64_t courtpiece_prefix(uint64_t x) {
        x ^= (x << 1) & COURTPIECE_LANES(0xFFFEull);
        x ^= (x << 2) & COURTPIECE_LANES(0xFFFCull);
        x ^= (x << 4) & COURTPIECE_LANES(0xFFF0ull);
        x ^= (x << 8) & COURTPIECE_LANES(0xFF00ull);
        return x;
    }
    static inline uint64_t courtpiece_gather(uint64_t cards, uint64_t among) {
        uint64_t below = (~among << 1) & COURTPIECE_LANES(0xFFFEull);
        cards &= among;
        for (int i = 0; i < 4; i++) {
            uint64_t odd = courtpiece_prefix(below);
            uint64_t move = odd & among;
            uint64_t moved = cards & move;
            among = (among ^ move) | (move >> (1 << i));
            cards = (cards ^ moved) | (moved >> (1 << i));
            below &= ~odd;
        }
        return cards;
    }
    static inline uint64_t courtpiece_scatter(uint64_t packed, uint64_t among) {
        uint64_t move[4], kept = among;
        uint64_t below = (~among << 1) & COURTPIECE_LANES(0xFFFEull);
        for (int i = 0; i < 4; i++) {
            uint64_t odd = courtpiece_prefix(below);
            move[i] = odd & among;
            among = (among ^ move[i]) | (move[i] >> (1 << i));
            below &= ~odd;
        }
        for (int i = 3; i >= 0; i--)
            packed = (packed & ~move[i]) | ((packed << (1 << i)) & move[i]);
        return packed & kept;
    }
    #endif
    """
    # The bits of `cards` that lie in `among`, moved together.
    uint64_t gather "courtpiece_gather"(uint64_t cards, uint64_t among) noexcept nogil
    # The inverse: the cards of `among` that packed bits stand for.
    uint64_t scatter "courtpiece_scatter"(uint64_t packed, uint64_t among) noexcept nogil

cdef struct Pattern:
    uint64_t low_plane      # bit 0 of the owners of the cards under the mask
    uint64_t high_plane     # bit 1 of them
    uint64_t mask           # the top cards that mattered
    uint32_t next           # the next pattern of the key, 0 after the last
    uint8_t lower           # the asking side takes at least so many of the tricks left
    uint8_t upper           # and at most so many

cdef struct Slot:
    uint64_t key            # shape and seat on lead
    uint32_t first          # its first pattern
    uint32_t round          # the slot is in use if this is the table's round

cdef struct Table:
    Slot *slots             # areas of growing size: the one of 2^b slots begins at slot 2^b
    Pattern *patterns       # the pool; pattern 0 is not used
    uint32_t capacity       # patterns in the pool
    uint32_t used           # patterns in use
    uint32_t keys           # slots in use
    uint32_t round          # raised to forget everything
    int bits                # the area in use has 2^bits slots
    int most_bits
    uint64_t forgotten      # times the table was full

cdef enum:
    FEWEST_BITS = 10

cdef inline void forget(Table *table) noexcept nogil:
    """Empty the table, in constant time."""
    table.round += 1
    table.used = 1
    table.keys = 0
    table.bits = FEWEST_BITS

cdef inline uint64_t key_of(uint64_t shape, int leader) noexcept nogil:
    """The shape with the seat on lead in place of its last length, which the others tell."""
    return (shape & <uint64_t> 0x0FFFFFFFFFFFFFFF) | <uint64_t> leader << 60

cdef inline Slot *find_slot(const Table *table, uint64_t key) noexcept nogil:
    """The slot of the key, or the free slot where it would go."""
    cdef Slot *area = table.slots + ((<uint64_t> 1) << table.bits)
    cdef uint64_t last = ((<uint64_t> 1) << table.bits) - 1
    cdef uint64_t place = (key * <uint64_t> 0x9E3779B97F4A7C15) >> (64 - table.bits)
    while area[place].round == table.round and area[place].key != key:
        place = (place + 1) & last
    return area + place

cdef inline Pattern *settled(const Table *table, Slot *slot, uint64_t low, uint64_t high, int need) noexcept nogil:
    """A pattern of the slot that fits the owners and answers whether `need` tricks can be had, or NULL."""
    cdef Pattern *pattern
    cdef uint32_t place = slot.first, before = 0
    while place:
        pattern = table.patterns + place
        if ((low ^ pattern.low_plane) | (high ^ pattern.high_plane)) & pattern.mask == 0:
            if pattern.lower >= need or pattern.upper < need:
                if before:
                    table.patterns[before].next = pattern.next
                    pattern.next = slot.first
                    slot.first = place
                return pattern
        before = place
        place = pattern.next
    return NULL

cdef inline void grow(Table *table) noexcept nogil:
    """Move the slots to the area of twice the size."""
    cdef Slot *old = table.slots + ((<uint64_t> 1) << table.bits)
    cdef uint64_t i, size = (<uint64_t> 1) << table.bits
    table.bits += 1
    for i in range(size):
        if old[i].round == table.round:
            find_slot(table, old[i].key)[0] = old[i]

cdef inline void remember(
    Table *table, uint64_t key, uint64_t low, uint64_t high, uint64_t mask, int lower, int upper,
) noexcept nogil:
    """Note bounds for the positions of the key whose cards under the mask are owned so."""
    cdef Slot *slot
    cdef Pattern *pattern
    cdef uint32_t place
    if table.used == table.capacity:
        forget(table)
        table.forgotten += 1
    if 2 * table.keys >= (<uint64_t> 1) << table.bits:
        if table.bits == table.most_bits:
            forget(table)
            table.forgotten += 1
        else:
            grow(table)
    slot = find_slot(table, key)
    if slot.round != table.round:
        slot.round = table.round
        slot.key = key
        slot.first = 0
        table.keys += 1
    pattern = table.patterns + table.used
    pattern.low_plane = low
    pattern.high_plane = high
    pattern.mask = mask
    pattern.lower = lower
    pattern.upper = upper
    pattern.next = slot.first
    slot.first = table.used
    table.used += 1
