"""What search players ask of the kernel: how likely a world is after what was seen, and what comes of each choice in it.

Worlds come as the sampler draws them (worlds.pyx): sets of cards with bit 13*suit + rank.  In all of them the seats are taken
to play on as `greedy` does, and what was seen of the others is weighed as if they were `greedy` players who now and then slip.
"""

from libc.math cimport sqrt
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy

from courtpiece._kernel.bits cimport ACE, NONE, bit, count, lowest, nth, packed, packed_mask, suit_of, unpacked, unpacked_mask
from courtpiece._kernel.callers cimport (
    BLIND, Caller, HIDE, MOST_WORDS, Opening, PASS, TIMEOUT, WEIGHTED, first_word, go_on_speaking, read_caller, say,
    start_opening,
)
from courtpiece._kernel.deal cimport Deal, begin_turn, close_trick, legal_cards, open_deal, put, reveal, seat_to_act
from courtpiece._kernel.dice cimport Dice, opening_draw, set_key, start_deal
from courtpiece._kernel.sampler cimport Draws, below, next_word, start_draws, start_world

include "placed.pxi"
include "choices.pxi"
include "played_on.pxi"

cdef enum:
    MOST_ACTIONS = 53           # 52 cards and one reveal
    WALKS = 0                   # the decision whose random words walks have; 1 << 40 was meant, but is 0 in gcc's int
    FEW = 8                     # worlds with which a plan follows `greedy`

POSITION = sizeof(Deal)         # bytes of a deal as the modules of the kernel hand it on

# One moment of a deal, as the seat to decide knows it: the hands are filled in from a world.
cdef struct Moment:
    Rules rules
    Caller callers[2]           # whom the others are taken for, of eldest and of the partner
    Deal opening                # at the first lead
    uint64_t played[4]          # what each seat has played
    uint8_t shown               # the hidden card that has been turned up; NONE
    uint8_t actions[MOST_ACTIONS]   # what was played, in order; REVEAL_ACTION for the word
    int size                    # how many
    uint8_t words[MOST_WORDS]   # what was said; in `hide` and `change` by others the card is the world's
    uint8_t said                # how many
    int seat                    # who decides

# How often the others leave the path of `greedy`.
cdef struct Slips:
    double rival                # an opponent, at each choice
    double mate                 # the partner

# What a walk over worlds may move, and where; sets have bit 13*suit + rank.
cdef struct Free:
    uint8_t cards[52]           # the unseen cards
    int size                    # how many
    uint64_t barred[4]          # cards that cannot lie in a seat's hand
    int holder                  # a seat that holds one of `held`; NONE
    uint64_t held
    int hider                   # whose card lies face down; NONE
    bint hides                  # the face-down card is one of the unseen
    bint blind                  # it is not one of its owner's first five; else it is
    uint64_t played[4]
    uint64_t early[4]           # cards known to be among a seat's first five
    uint64_t late[4]            # cards that are not

cdef Deal opened(const Moment *m, const uint64_t *hands, int face_down) noexcept nogil:
    """The world's deal at the first lead."""
    cdef Deal d = m.opening
    cdef int seat, hidden = face_down if face_down != NONE else m.shown
    for seat in range(4):
        d.hands[seat] = unpacked_mask(hands[seat]) | m.played[seat]
    if hidden != NONE:
        d.face_down = bit(unpacked(hidden))
        d.hands[d.hider] &= ~d.face_down
    return d


cdef Deal reached(const Moment *m, const uint64_t *hands, int face_down) noexcept nogil:
    """The world's deal at the moment to decide."""
    cdef Deal d = opened(m, hands, face_down)
    cdef int i
    for i in range(m.size):
        next_turn(&d, &m.rules)
        if m.actions[i] != REVEAL_ACTION or d.face_down:    # it may have been turned up of itself
            act(&d, &m.rules, m.actions[i])
    return d


cdef inline void lay_order(Deal *d, int seat, uint64_t five) noexcept nogil:
    """Fill the order of a seat's cards: these five, then the rest with the highest last."""
    cdef uint64_t rest = d.hands[seat]
    cdef int i = 0
    if d.face_down and seat == d.hider:
        rest |= d.face_down
    rest &= ~five
    while five:
        d.order[seat][i] = lowest(five)
        five &= five - 1
        i += 1
    while rest and i < 13:
        d.order[seat][i] = lowest(rest)
        rest &= rest - 1
        i += 1


cdef double call_likelihood(const Moment *m, const Deal *start, const uint64_t *fives, double slip) noexcept nogil:
    """How likely the others' words up to the call are, given their first five cards.

    A hidden card that was changed afterwards tells nothing, nor does a change of trump.
    """
    cdef Deal d = start[0]
    cdef Opening o
    cdef const Caller *caller
    cdef double likely = 1
    cdef int i, word, seat
    for seat in range(0, 4, 2):
        lay_order(&d, seat, unpacked_mask(fives[seat]))
    start_opening(&o)
    for i in range(m.said):
        word = m.words[i]
        if HIDE <= word < BLIND and o.chooser != m.seat:
            if i < m.said - 1:
                break
            word = HIDE + packed(lowest(start.face_down))
        if word >= BLIND:
            break
        caller = &m.callers[o.chooser >> 1]
        if o.chooser != m.seat and caller.kind == WEIGHTED and word != TIMEOUT:
            if first_word(caller, &o, &d, &m.rules, NULL) == word:
                likely *= 1 - slip
            else:
                likely *= slip / 4
        if not (word == PASS or word == TIMEOUT) or o.chooser:
            break
        o.chooser = 2
    return likely


cdef double play_likelihood(const Moment *m, const Deal *start, const Slips *slips) noexcept nogil:
    """How likely the others' choices are, if they play as `greedy` but for a slip now and then."""
    cdef Deal d = start[0]
    cdef const Rules *r = &m.rules
    cdef int i, seat, action
    cdef uint64_t legal
    cdef bint may_reveal, revealed
    cdef double likely = 1, slip
    for i in range(m.size):
        seat = seat_to_act(&d)
        action = m.actions[i]
        may_reveal = next_turn(&d, r)
        if action == REVEAL_ACTION and not d.face_down:     # it was turned up of itself
            continue
        if seat != m.seat:
            slip = slips.mate if (seat ^ m.seat) == 2 else slips.rival
            if may_reveal:
                revealed = action == REVEAL_ACTION
                likely *= 1 - slip if greedy_reveal(&d, r, NULL, seat) == revealed else slip
            if action != REVEAL_ACTION:
                legal = legal_cards(&d, seat, d.k, r.trump_mode)
                if legal & (legal - 1):
                    if packed(greedy_card(&d, r, NULL, seat, legal)) == action:
                        likely *= 1 - slip
                    else:
                        likely *= slip / (count(legal) - 1)
        act(&d, r, action)
    return likely


cdef inline double likelihood(
    const Moment *m, const uint64_t *hands, int face_down, const uint64_t *fives, const Slips *slips,
) noexcept nogil:
    """How likely the world makes all that the others said and played."""
    cdef Deal d = opened(m, hands, face_down)
    return call_likelihood(m, &d, fives, slips.rival) * play_likelihood(m, &d, slips)


cdef inline void exchange(uint64_t *cards, uint64_t out, uint64_t into) noexcept nogil:
    if cards[0] & out:
        cards[0] ^= out | into


cdef double step(
    const Moment *m, const Free *f, Draws *draws, const Slips *slips, uint64_t *hands, uint8_t *face_down, uint64_t *fives,
    double likely,
) noexcept nogil:
    """One Metropolis step: exchange two unseen cards, or two cards of a caller's between his first five and the rest.

    Returns the likelihood of where it leads.  Exchanges are their own reverse and equally likely both ways, so that the walk's
    limit weighs each order of dealing by its likelihood.
    """
    cdef uint64_t new_hands[4]
    cdef uint64_t new_fives[4]
    cdef uint64_t word = next_word(draws), a, b, rest
    cdef uint8_t new_down = face_down[0]
    cdef int i, j, seat
    cdef double chance
    for seat in range(4):
        new_hands[seat] = hands[seat]
        new_fives[seat] = fives[seat]
    if word & 7 == 0:
        seat = <int> (word >> 3 & 1) * 2                    # only eldest and the partner speak
        rest = (hands[seat] | f.played[seat] | (bit52(face_down[0]) if seat == f.hider else 0)) & ~fives[seat]
        if seat == m.seat or not rest:
            return likely
        a = nth(fives[seat], below(draws, count(fives[seat])))
        b = nth(rest, below(draws, count(rest)))
        if (a & f.early[seat]) or (b & f.late[seat]) or not five_holds(f, seat, face_down[0], fives[seat] ^ a ^ b):
            return likely
        new_fives[seat] ^= a | b
    else:
        i = <int> below(draws, f.size)
        j = <int> below(draws, f.size)
        a = bit52(f.cards[i])
        b = bit52(f.cards[j])
        i = place_of(hands, a, f.hider)
        j = place_of(hands, b, f.hider)
        if i == j:
            return likely
        if (i < 4 and b & f.barred[i]) or (j < 4 and a & f.barred[j]):
            return likely
        if i < 4:
            new_hands[i] ^= a | b
        else:
            new_down = lowest(b)
        if j < 4:
            new_hands[j] ^= a | b
        else:
            new_down = lowest(a)
        if f.holder != NONE and not new_hands[f.holder] & f.held:
            return likely
        i = f.hider if i == 4 else i
        j = f.hider if j == 4 else j
        if i == j:                                          # within one owner's cards: his face-down card and another
            if not new_fives[i] & b or not new_fives[i] & a:
                if new_fives[i] & (a | b):
                    new_fives[i] ^= a | b
        else:
            exchange(&new_fives[i], a, b)
            exchange(&new_fives[j], b, a)
        for seat in range(0, 4, 2):
            if new_fives[seat] & f.late[seat] or not five_holds(f, seat, new_down, new_fives[seat]):
                return likely
    chance = likelihood(m, new_hands, new_down, new_fives, slips)
    if chance < likely and (next_word(draws) >> 11) * (1.0 / 9007199254740992.0) * likely >= chance:
        return likely
    for seat in range(4):
        hands[seat] = new_hands[seat]
        fives[seat] = new_fives[seat]
    face_down[0] = new_down
    return chance


cdef inline uint64_t bit52(int card) noexcept nogil:
    """The set of one card, or none for NONE."""
    return (<uint64_t> 1) << card if card != NONE else 0


cdef inline int place_of(const uint64_t *hands, uint64_t card, int hider) noexcept nogil:
    """The seat whose hand holds the card; 4 when it lies face down."""
    cdef int seat
    for seat in range(4):
        if hands[seat] & card:
            return seat
    return 4


cdef inline bint five_holds(const Free *f, int seat, int face_down, uint64_t five) noexcept nogil:
    """Whether a face-down card that nobody has shown lies on the right side of its owner's first five (S0.52, S0.58)."""
    if not f.hides or seat != f.hider:
        return True
    return ((five & bit52(face_down)) == 0) == f.blind


include "plans.pxi"


cdef class Scene:
    """A decision in a deal under way, as the seat that decides knows it.

    Parameters
    ----------
    rules : RuleSet
    callers : (kind, weights, thresholds) of whom the others are taken for, of eldest and of the partner
    seat : who decides
    words : what was said, as bytes of callers.pxd; the card of `hide` or `change` by another may be any
    facts : (caller, trump, hider, shown, blind, claimer, leader) at the first lead, 255 where there is none; shown is the
        hidden card that has been turned up since
    played : four sets, what each seat has played
    plays : the cards in the order played, 64 where the hidden card was turned up by a player's own will
    """

    cdef Moment moment

    def __init__(self, rules, callers, int seat, const uint8_t[::1] words, facts, played, const uint8_t[::1] plays):
        cdef Moment *m = &self.moment
        cdef Deal *d = &m.opening
        cdef Py_ssize_t i
        m.rules = read_rules(rules)
        for i in range(2):
            m.callers[i] = read_caller(callers[i])
        if words.shape[0] > MOST_WORDS or plays.shape[0] > MOST_ACTIONS or not 0 <= seat < 4:
            raise ValueError(f"a seat is 0 to 3, and it sees at most {MOST_WORDS} words and {MOST_ACTIONS} plays")
        m.seat = seat
        m.said = words.shape[0]
        for i in range(words.shape[0]):
            m.words[i] = words[i]
        open_deal(d, 13)
        d.caller, d.trump, d.hider, m.shown, d.blind, d.claimer, d.leader = facts
        m.size = plays.shape[0]
        for i in range(plays.shape[0]):
            m.actions[i] = plays[i]
        for i in range(4):
            m.played[i] = unpacked_mask(played[i])

    def positions(self, const uint64_t[:, ::1] hands, const uint8_t[::1] face_down, uint8_t[:, ::1] out):
        """Fill out (n, POSITION) with the deals of the worlds, as the other modules of the kernel take them up."""
        cdef Py_ssize_t i
        cdef Deal d
        if out.shape[0] != hands.shape[0] or out.shape[1] != sizeof(Deal):
            raise ValueError(f"out has {POSITION} bytes for each world")
        with nogil:
            for i in range(hands.shape[0]):
                d = reached(&self.moment, &hands[i, 0], face_down[i])
                memcpy(&out[i, 0], &d, sizeof(Deal))

    def choices(self, const uint64_t[::1] hands, int face_down):
        """Return what the seat can do, of equal cards the lowest: card numbers, then 64 if it may reveal."""
        cdef Deal d = reached(&self.moment, &hands[0], face_down)
        cdef uint8_t out[MOST_CHOICES]
        cdef bint may_reveal = next_turn(&d, &self.moment.rules)
        cdef int i, size = choices_of(&d, &self.moment.rules, self.moment.seat, may_reveal, out)
        return [out[i] for i in range(size)]

    def greedy(self, const uint64_t[::1] hands, int face_down):
        """Return what `greedy` does: a card number, or 64 for `reveal`.  It is the same in every world."""
        cdef Deal d = reached(&self.moment, &hands[0], face_down)
        cdef int seat = self.moment.seat
        if next_turn(&d, &self.moment.rules) and greedy_reveal(&d, &self.moment.rules, NULL, seat):
            return REVEAL_ACTION
        return packed(greedy_card(
            &d, &self.moment.rules, NULL, seat, legal_cards(&d, seat, d.k, self.moment.rules.trump_mode)))

    def likelihoods(
        self, const uint64_t[:, ::1] hands, const uint8_t[::1] face_down, const uint64_t[:, ::1] fives, double[::1] out,
        *, double rival_slip, double mate_slip,
    ):
        """Fill out (n,) with how likely each world makes the others' words and plays."""
        cdef Slips slips
        cdef Py_ssize_t i
        slips.rival = rival_slip
        slips.mate = mate_slip
        with nogil:
            for i in range(hands.shape[0]):
                out[i] = likelihood(&self.moment, &hands[i, 0], face_down[i], &fives[i, 0], &slips)

    def walk(
        self, uint64_t[:, ::1] hands, uint8_t[::1] face_down, uint64_t[:, ::1] fives, free, const uint64_t[::1] key,
        *, int burn, int every, double rival_slip, double mate_slip,
        uint64_t[:, :, ::1] out_hands, uint8_t[:, ::1] out_face_down,
    ):
        """Let a Metropolis walk start from each world, and fill out_hands (n, k, 4) and out_face_down (n, k) with k of its places.

        The first is written after `burn` steps, one more after `every` steps.  The walk's limit is the sampler's measure weighed
        by likelihood.  hands, face_down and fives are left where the walks end.

        free : (unseen cards, four sets barred to the hands, (seat, set) of which it holds one or None, hider or 255, whether its
            face-down card is unseen, whether that is none of his first five, four sets early, four sets late)
        """
        cdef Free f
        cdef Draws draws
        cdef Slips slips
        cdef Py_ssize_t i, k
        cdef int seat, steps
        cdef double likely
        unseen, barred, held, f.hider, f.hides, f.blind, early, late = free
        f.size = len(unseen)
        for i in range(f.size):
            f.cards[i] = unseen[i]
        f.holder, f.held = (NONE, 0) if held is None else held
        for seat in range(4):
            f.barred[seat] = barred[seat]
            f.early[seat] = early[seat]
            f.late[seat] = late[seat]
            f.played[seat] = packed_mask(self.moment.played[seat])
        slips.rival = rival_slip
        slips.mate = mate_slip
        start_draws(&draws, key[0], key[1], 0, 0, self.moment.seat, WALKS)
        with nogil:
            for i in range(hands.shape[0]):
                start_world(&draws, i)
                likely = likelihood(&self.moment, &hands[i, 0], face_down[i], &fives[i, 0], &slips)
                for k in range(out_hands.shape[1]):
                    for steps in range(burn if k == 0 else every):
                        likely = step(
                            &self.moment, &f, &draws, &slips, &hands[i, 0], &face_down[i], &fives[i, 0], likely)
                    for seat in range(4):
                        out_hands[i, k, seat] = hands[i, seat]
                    out_face_down[i, k] = face_down[i]

    def playouts(
        self, const uint64_t[:, ::1] hands, const uint8_t[::1] face_down, const uint8_t[::1] choices,
        const double[:, ::1] worths, double trick, double[:, ::1] out,
    ):
        """Fill out (n, m) with what each choice comes to in each world when all play on as `greedy`.

        worths (10, 2) is by outcome and by whether this side won it (column 0) or the other; `trick` is added for each trick
        more than the other side.
        """
        cdef Deal start, d
        cdef Py_ssize_t i, j
        cdef int side = self.moment.seat & 1
        with nogil:
            for i in range(hands.shape[0]):
                start = reached(&self.moment, &hands[i, 0], face_down[i])
                next_turn(&start, &self.moment.rules)
                for j in range(choices.shape[0]):
                    d = start
                    act(&d, &self.moment.rules, choices[j])
                    play_on(&d, &self.moment.rules)
                    out[i, j] = worth(&d, &worths[0, 0], trick, side)

    def plans(
        self, const uint64_t[:, ::1] hands, const uint8_t[::1] face_down, const uint8_t[::1] choices,
        const double[:, ::1] worths, double trick, int moves, double evidence, int length, double[:, ::1] out,
    ):
        """Fill out (m, n) with what each choice comes to in each world when the seat plans its actions and all else is `greedy`.

        `moves` actions of the seat are planned, the choice included; with 1 it is `playouts`, the other way round.  An action is
        planned instead of that of `greedy` where it is better by `evidence` standard errors.  `length` worlds, one after the
        other, are of one walk.
        """
        cdef Plans p
        cdef Py_ssize_t i, n = hands.shape[0], depths = moves + 1
        if moves < 1 or length < 1 or out.shape[0] != choices.shape[0] or out.shape[1] != n:
            raise ValueError("out has a row for each choice and a column for each world, and one move is planned at least")
        p.moment = &self.moment
        p.worths = &worths[0, 0]
        p.trick = trick
        p.evidence = evidence
        p.moves = moves
        p.length = length
        p.size = <int> n
        p.deals = <Deal *> malloc(<size_t> (depths * n) * sizeof(Deal))
        p.sights = <Sight *> malloc(<size_t> (depths * n) * sizeof(Sight))
        p.values = <double *> malloc(<size_t> (depths * n) * MOST_CHOICES * sizeof(double))
        if p.deals == NULL or p.sights == NULL or p.values == NULL:
            free(p.deals)
            free(p.sights)
            free(p.values)
            raise MemoryError("no memory for the plans")
        with nogil:
            for i in range(n):
                p.deals[i] = reached(&self.moment, &hands[i, 0], face_down[i])
                next_turn(&p.deals[i], &self.moment.rules)
            for i in range(n):
                p.sights[moves * n + i].world = <int> i
            for i in range(choices.shape[0]):
                play_action(&p, 0, p.sights + moves * n, <int> n, choices[i], &out[i, 0])
        free(p.deals)
        free(p.sights)
        free(p.values)

    def calls(
        self, const uint64_t[:, ::1] hands, const uint64_t[:, ::1] fives, const uint8_t[::1] words, const uint64_t[::1] key,
        const double[:, ::1] worths, double trick, double[:, ::1] out,
    ):
        """Fill out (n, m) with what each word of the seat to speak comes to in each world when all go on as modelled.

        A redeal comes to 0.  The order of the last eight cards is drawn by the key.
        """
        cdef Dice dice
        cdef Opening o
        cdef Deal d
        cdef Py_ssize_t i, j
        cdef int seat, k
        cdef uint8_t card
        cdef Rules *r = &self.moment.rules
        set_key(&dice, key[0], key[1])
        dice.stream = 0
        with nogil:
            for i in range(hands.shape[0]):
                for j in range(words.shape[0]):
                    start_deal(&dice, i)
                    open_deal(&d, 13)
                    for seat in range(4):
                        d.hands[seat] = unpacked_mask(hands[i, seat])
                        lay_order(&d, seat, unpacked_mask(fives[i, seat]))
                    k = 5 + opening_draw(&dice, 8)              # eldest's last card counts (S4.18)
                    card = d.order[0][k]
                    d.order[0][k] = d.order[0][12]
                    d.order[0][12] = card
                    start_opening(&o)
                    for k in range(self.moment.said):
                        say(&o, &d, r, self.moment.words[k])
                    say(&o, &d, r, words[j])
                    go_on_speaking(&o, &d, r, self.moment.callers, &dice)
                    out[i, j] = 0
                    if not d.over:
                        play_on(&d, r)
                        out[i, j] = worth(&d, &worths[0, 0], trick, self.moment.seat & 1)
