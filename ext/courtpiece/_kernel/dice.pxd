"""Random numbers as a pure function of (seed, stream, deal index, purpose).

Philox 4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), bit for bit numpy's `Philox`:
key = SeedSequence(seed).generate_state(2), counter = (block, purpose, index, stream).
Bounded draws are Lemire's (2019), several from one word as in Brackett-Rozelle and Lemire (2024); both are exactly uniform.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from courtpiece._kernel.bits cimport high_product

cdef enum Purpose:
    SHUFFLE = 0             # the pack's order
    PLAYS = 1               # one word a trick, 16 bits a seat
    OPENING = 2             # what callers say
    REVEALS = 3             # one bit for each chance to reveal
    RESERVE = 4             # what replaces a rejected draw
    MOVES = 5 + (255 << 8)  # the walks over deals of splitting.pxi: no seat, so no decision, has this number

# A function called by its address is not inlined: the rare draw stays out of the hot loops.
ctypedef uint64_t (*SpareWord)(Dice *) noexcept nogil

cdef struct Dice:
    SpareWord next_spare    # gives the next word of the reserve
    uint64_t keys[20]       # two for each round, from the seed
    uint64_t index          # the deal's number
    uint64_t stream         # 0 for plain deals, 1 + class index for a given calling hand
    uint64_t tricks[4]      # PLAYS words of the four tricks under way
    uint64_t coins          # unused bits of the REVEALS word
    uint64_t opening[4]     # the current OPENING block
    uint64_t spare[4]       # the current RESERVE block
    uint32_t coin_count     # bits of `coins` not yet used; 0 before the first
    uint32_t opening_count  # 16-bit pieces of OPENING already used, over all blocks
    uint32_t spare_count    # words of RESERVE already used, over all blocks

cdef inline void philox(const Dice *dice, uint64_t block, uint64_t purpose, uint64_t *out) noexcept nogil:
    """Fill out[0..3] with the block's four words."""
    cdef uint64_t c0 = block, c1 = purpose, c2 = dice.index, c3 = dice.stream
    cdef uint64_t high0, high1, low0, low1
    cdef int step
    for step in range(10):
        high0 = high_product(0xD2E7470EE14C6C93ULL, c0)
        low0 = 0xD2E7470EE14C6C93ULL * c0
        high1 = high_product(0xCA5A826395121157ULL, c2)
        low1 = 0xCA5A826395121157ULL * c2
        c0 = high1 ^ c1 ^ dice.keys[2 * step]
        c1 = low1
        c2 = high0 ^ c3 ^ dice.keys[2 * step + 1]
        c3 = low0
    out[0] = c0
    out[1] = c1
    out[2] = c2
    out[3] = c3

cdef inline void start_deal(Dice *dice, uint64_t index) noexcept nogil:
    dice.index = index
    dice.coin_count = 0
    dice.opening_count = 0
    dice.spare_count = 0

cdef inline uint64_t spare_word(Dice *dice) noexcept nogil:
    """The next word of the reserve: rare, so generated a block at a time."""
    if dice.spare_count % 4 == 0:
        philox(dice, dice.spare_count // 4, RESERVE, dice.spare)
    dice.spare_count += 1
    return dice.spare[(dice.spare_count - 1) % 4]

cdef inline void set_key(Dice *dice, uint64_t key0, uint64_t key1) noexcept nogil:
    """Lay out the keys of the ten rounds."""
    cdef int step
    dice.next_spare = spare_word
    for step in range(10):
        dice.keys[2 * step] = key0
        dice.keys[2 * step + 1] = key1
        key0 += 0x9E3779B97F4A7C15ULL
        key1 += 0xBB67AE8584CAA73BULL

cdef inline uint32_t below16(Dice *dice, uint32_t half, uint32_t bound) noexcept nogil:
    """Uniform in 0..bound-1 from 16 random bits (bound at most 52)."""
    cdef uint32_t product = half * bound
    cdef uint32_t threshold
    if (product & 0xFFFF) < bound:
        threshold = 0x10000 % bound
        while (product & 0xFFFF) < threshold:
            product = <uint32_t> (dice.next_spare(dice) >> 48) * bound
    return product >> 16

cdef inline uint32_t opening_draw(Dice *dice, uint32_t bound) noexcept nogil:
    """Uniform in 0..bound-1 for what is said before the first lead (bound at most 52)."""
    cdef uint32_t half
    if dice.opening_count % 16 == 0:
        philox(dice, dice.opening_count // 16, OPENING, dice.opening)
    half = (dice.opening[(dice.opening_count >> 2) & 3] >> (16 * (dice.opening_count & 3))) & 0xFFFF
    dice.opening_count += 1
    return below16(dice, half, bound)

cdef inline bint coin(Dice *dice) noexcept nogil:
    """One fair bit for a chance to reveal; a deal has fewer than 64 of them."""
    cdef uint64_t block[4]
    if dice.coin_count == 0:
        philox(dice, 0, REVEALS, block)
        dice.coins = block[0]
        dice.coin_count = 64
    dice.coin_count -= 1
    return (dice.coins >> dice.coin_count) & 1

cdef enum:
    DRAWS = 7               # swaps made from one word: 52**7 < 2**40, so a word is rejected once in 2**24 times

cdef inline void shuffle_some(Dice *dice, uint8_t *cards, uint64_t word, const int last) noexcept nogil:
    """Give places last, last-1, ... (DRAWS of them, down to place 1) their final cards: steps of Fisher-Yates.

    The draws of one word are exactly uniform together once the word that is left is not below 2**64 modulo the
    product of their bounds; `last` is a constant, so that the bounds and their product are too.
    """
    cdef uint64_t product = 1
    cdef int draws[DRAWS]
    cdef int step
    cdef uint8_t held
    for step in range(DRAWS):
        if last - step > 0:
            product *= <uint64_t> (last - step + 1)
    while True:
        for step in range(DRAWS):
            if last - step > 0:
                draws[step] = <int> high_product(word, <uint64_t> (last - step + 1))
                word *= <uint64_t> (last - step + 1)
        if word >= product or word >= (<uint64_t> 0 - product) % product:
            break
        word = dice.next_spare(dice)
    for step in range(DRAWS):
        if last - step > 0:
            held = cards[last - step]
            cards[last - step] = cards[draws[step]]
            cards[draws[step]] = held

cdef inline void shuffle(Dice *dice, uint8_t *cards, const int size) noexcept nogil:
    """Put cards[0..size-1] (size at most 57) into uniformly random order."""
    cdef uint64_t words[8]
    philox(dice, 0, SHUFFLE, words)
    philox(dice, 1, SHUFFLE, words + 4)
    shuffle_some(dice, cards, words[0], size - 1)
    shuffle_some(dice, cards, words[1], size - 1 - DRAWS)
    shuffle_some(dice, cards, words[2], size - 1 - 2 * DRAWS)
    shuffle_some(dice, cards, words[3], size - 1 - 3 * DRAWS)
    shuffle_some(dice, cards, words[4], size - 1 - 4 * DRAWS)
    shuffle_some(dice, cards, words[5], size - 1 - 5 * DRAWS)
    shuffle_some(dice, cards, words[6], size - 1 - 6 * DRAWS)
    shuffle_some(dice, cards, words[7], size - 1 - 7 * DRAWS)
