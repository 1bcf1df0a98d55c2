"""What an exact search remembers, in the manner of solver_table.pxd, with the whole state of the rules in the key.

The key of a position at the start of a trick has the shape and the seat on lead, the state of trump, pile and runs, and what is
still asked.  A pattern also tells which of the top cards are special: cards that are more than their rank (a ten that counts, an
ace that can refuse a pick-up, the face-down card).  Which special cards are left is part of the key, and the owner of a card
never changes, so that the special cards of two positions of one key are the same.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef struct Key:
    uint64_t shape          # suit lengths and the seat on lead
    uint64_t state          # trump, face-down card, special cards left, pile and runs; the first two masks of the question
    uint64_t asked          # the other masks of the question

cdef struct ExactPattern:
    uint64_t low_plane      # bit 0 of the owners of the cards under the mask
    uint64_t high_plane     # bit 1 of them
    uint64_t special        # which of them are special
    uint64_t mask           # the top cards that mattered
    uint32_t next           # the next pattern of the key, 0 after the last
    uint8_t lower           # side 0 gets at least so much of what is asked
    uint8_t upper           # and at most so much

cdef struct ExactSlot:
    Key key
    uint32_t first          # its first pattern
    uint32_t round          # the slot is in use if this is the table's round

cdef struct ExactTable:
    ExactSlot *slots        # areas of growing size: the one of 2^b slots begins at slot 2^b
    ExactPattern *patterns  # the pool; pattern 0 is not used
    uint32_t capacity       # patterns in the pool
    uint32_t used           # patterns in use
    uint32_t keys           # slots in use
    uint32_t round          # raised to forget everything
    int bits                # the area in use has 2^bits slots
    int most_bits
    uint64_t forgotten      # times the table was full

cdef enum:
    FEWEST_SLOT_BITS = 8

cdef inline void forget_all(ExactTable *table) noexcept nogil:
    """Empty the table, in constant time."""
    table.round += 1
    table.used = 1
    table.keys = 0
    table.bits = FEWEST_SLOT_BITS

cdef inline ExactSlot *slot_of(const ExactTable *table, const Key *key) noexcept nogil:
    """The slot of the key, or the free slot where it would go."""
    cdef ExactSlot *area = table.slots + ((<uint64_t> 1) << table.bits)
    cdef uint64_t last = ((<uint64_t> 1) << table.bits) - 1
    cdef uint64_t hashed = (key.shape ^ (key.state * <uint64_t> 0xD6E8FEB86659FD93)) * <uint64_t> 0x9E3779B97F4A7C15
    cdef uint64_t place
    hashed = (hashed ^ (hashed >> 29) ^ key.asked) * <uint64_t> 0x9E3779B97F4A7C15
    place = hashed >> (64 - table.bits)
    while area[place].round == table.round and (
        area[place].key.shape != key.shape or area[place].key.state != key.state or area[place].key.asked != key.asked
    ):
        place = (place + 1) & last
    return area + place

cdef inline ExactPattern *known(
    const ExactTable *table, const Key *key, uint64_t low, uint64_t high, uint64_t special, int need,
) noexcept nogil:
    """A pattern of the key that fits the owners and answers whether `need` can be had, or NULL."""
    cdef ExactSlot *slot = slot_of(table, key)
    cdef ExactPattern *pattern
    cdef uint32_t place, before = 0
    if slot.round != table.round:
        return NULL
    place = slot.first
    while place:
        pattern = table.patterns + place
        if ((low ^ pattern.low_plane) | (high ^ pattern.high_plane) | (special ^ pattern.special)) & pattern.mask == 0:
            if pattern.lower >= need or pattern.upper < need:
                if before:
                    table.patterns[before].next = pattern.next
                    pattern.next = slot.first
                    slot.first = place
                return pattern
        before = place
        place = pattern.next
    return NULL

cdef inline void widen(ExactTable *table) noexcept nogil:
    """Move the slots to the area of twice the size."""
    cdef ExactSlot *old = table.slots + ((<uint64_t> 1) << table.bits)
    cdef uint64_t i, size = (<uint64_t> 1) << table.bits
    table.bits += 1
    for i in range(size):
        if old[i].round == table.round:
            slot_of(table, &old[i].key)[0] = old[i]

cdef inline void note(
    ExactTable *table, const Key *key, uint64_t low, uint64_t high, uint64_t special, uint64_t mask, int lower, int upper,
) noexcept nogil:
    """Keep bounds for the positions of the key whose cards under the mask lie so."""
    cdef ExactSlot *slot
    cdef ExactPattern *pattern
    if table.used == table.capacity:
        forget_all(table)
        table.forgotten += 1
    if 2 * table.keys >= (<uint64_t> 1) << table.bits:
        if table.bits == table.most_bits:
            forget_all(table)
            table.forgotten += 1
        else:
            widen(table)
    slot = slot_of(table, key)
    if slot.round != table.round:
        slot.round = table.round
        slot.key = key[0]
        slot.first = 0
        table.keys += 1
    pattern = table.patterns + table.used
    pattern.low_plane = low
    pattern.high_plane = high
    pattern.special = special
    pattern.mask = mask
    pattern.lower = lower
    pattern.upper = upper
    pattern.next = slot.first
    slot.first = table.used
    table.used += 1
