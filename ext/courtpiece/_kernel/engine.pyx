"""Deals played by the batch: numpy arrays in, arrays filled, the GIL released meanwhile."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from courtpiece._kernel.bits cimport ALL_CARDS, NONE, TEN, bit, lowest, packed, packed_mask, suit_of, unpacked, unpacked_mask
from courtpiece._kernel.callers cimport (
    ABSENT, BLIND, CHANGE_SUIT, Caller, HIDE, MOST_WORDS, NO_WORD, Opening, RANDOM_CALLER, WEIGHTED,
    blind_word, change_word, first_word, go_on_speaking, read_caller, say, start_opening, swap_five, wants_swap,
)
from courtpiece._kernel.deal cimport (
    Deal, begin_turn, close_trick, legal_cards, open_deal, put, reveal, seat_to_act,
)
from courtpiece._kernel.dice cimport Dice, MOVES, PLAYS, philox, set_key, shuffle, start_deal
from courtpiece._kernel.greedy cimport ablated_card, ablated_reveal, greedy_card, greedy_play, greedy_reveal
from courtpiece._kernel.habits cimport Habit, Memory, forget_all, habit_card, note_lead, note_trick
from courtpiece._kernel.playout cimport play_random
from courtpiece._kernel.rules cimport CALLED, FIRST_VOID, HIDDEN, Rules
from courtpiece._kernel.simple cimport random_card, random_reveal, simple_card, simple_reveal

include "placed.pxi"

ctypedef int (*ChooseCard)(const Deal *, const Rules *, Dice *, int, uint64_t) noexcept nogil
ctypedef bint (*ChooseReveal)(const Deal *, const Rules *, Dice *, int) noexcept nogil

cdef struct Players:
    ChooseCard card[4]          # by seat
    ChooseReveal reveal[4]      # by seat
    Caller callers[2]           # of eldest and of the partner
    Habit habits[4]             # by seat: what a `greedy` sends, reads and forgets
    bint habitual               # one of them has habits
    bint all_random             # all four play `random`
    bint any_random             # one of them does

cdef struct Result:
    uint8_t outcome
    uint8_t winner
    uint8_t caller
    uint8_t trump
    uint8_t taken[2]
    uint8_t tens[2]

RESULT = np.dtype([
    ("outcome", "u1"), ("winner", "u1"), ("caller", "u1"), ("trump", "u1"), ("taken", "u1", (2,)), ("tens", "u1", (2,)),
])

cdef enum:
    MOST_ACTIONS = 53           # 52 cards and one reveal

cdef struct Trace:
    uint8_t *plays              # MOST_ACTIONS, NONE after the last
    uint64_t *legal             # MOST_ACTIONS: legal cards as bits 13*suit + rank; bit 63: the word reveal was legal
    int size                    # plays written


cdef uint8_t PACK[52]
for _number in range(52):
    PACK[_number] = unpacked(_number)


cdef inline void fill_hands(Deal *d) noexcept nogil:
    cdef int seat, i
    cdef uint64_t hand
    for seat in range(4):
        hand = 0
        for i in range(13):
            hand |= bit(d.order[seat][i])
        d.hands[seat] = hand


cdef inline void deal_pack(Deal *d, Dice *dice) noexcept nogil:
    """Deal the whole pack at random."""
    memcpy(&d.order[0][0], PACK, 52)
    shuffle(dice, &d.order[0][0], 52)


cdef inline void deal_rest(Deal *d, Dice *dice, const uint8_t *five) noexcept nogil:
    """Deal at random round eldest's first five cards."""
    cdef uint64_t held = 0
    cdef int i, place = 5
    for i in range(5):
        d.order[0][i] = five[i]
        held |= bit(five[i])
    for i in range(52):
        if not held & bit(PACK[i]):
            (&d.order[0][0])[place] = PACK[i]
            place += 1
    shuffle(dice, &d.order[0][0] + 5, 47)


cdef inline void speak(Opening *o, Deal *d, const Rules *r, const Players *players, Dice *dice) noexcept nogil:
    """Let the callers say what is to be said on a deal whose cards lie ready."""
    start_opening(o)
    open_deal(d, 13)
    if r.swap_cards and wants_swap(&players.callers[0], d, dice):
        swap_five(d, dice)
    fill_hands(d)
    if r.trump_mode != FIRST_VOID:
        go_on_speaking(o, d, r, players.callers, dice)


cdef inline void note(Trace *t, int action, uint64_t legal, bint may_reveal) noexcept nogil:
    t.plays[t.size] = action
    t.legal[t.size] = packed_mask(legal) | (<uint64_t> may_reveal) << 63
    t.size += 1


cdef inline void turn(
    Deal *d, const Rules *r, const Players *players, Dice *dice, Trace *t,
    const int k, const int trump_mode, const bint traced,
) noexcept nogil:
    """The k-th card of a trick, and the reveal before it, as the seat's player chooses."""
    cdef int seat = (d.leader + k) & 3
    cdef int card
    cdef uint64_t legal
    cdef bint may_reveal = False
    if trump_mode == HIDDEN and d.face_down:
        may_reveal = begin_turn(d, r, seat)
        if may_reveal and players.reveal[seat](d, r, dice, seat):
            if traced:
                note(t, REVEAL_ACTION, legal_cards(d, seat, k, trump_mode), True)
            reveal(d, r)
            may_reveal = False
    legal = legal_cards(d, seat, k, trump_mode)
    card = players.card[seat](d, r, dice, seat, legal)
    if traced:
        note(t, packed(card), legal, may_reveal)
    put(d, seat, card, k, trump_mode)


cdef inline void play_out(
    Deal *d, const Rules *r, const Players *players, Dice *dice, Trace *t, const int trump_mode, const bint traced,
) noexcept nogil:
    """Play the deal to its end.  The last two arguments are constants wherever this is called for speed."""
    while not d.over:
        if d.tricks % 4 == 0 and players.any_random:
            philox(dice, d.tricks // 4, PLAYS, dice.tricks)
        turn(d, r, players, dice, t, 0, trump_mode, traced)
        turn(d, r, players, dice, t, 1, trump_mode, traced)
        turn(d, r, players, dice, t, 2, trump_mode, traced)
        turn(d, r, players, dice, t, 3, trump_mode, traced)
        close_trick(d, r, r.pile)


cdef inline int chosen_card(
    const Deal *d, const Rules *r, const Players *players, Dice *dice, const Memory *m, int seat, uint64_t legal,
) noexcept nogil:
    """What the seat's player plays, with its habits if it has some."""
    cdef const Habit *h = &players.habits[seat]
    if h.does or h.reads or h.watches:
        return habit_card(m, d, r, seat, legal, h)
    return players.card[seat](d, r, dice, seat, legal)


cdef inline void remembered(Memory *m, Deal *d, const Rules *r, int action) noexcept nogil:
    """One legal action of a driven deal, and what its card tells."""
    cdef int leader = d.leader
    cdef bint closes = d.k == 3 and action != REVEAL_ACTION
    if d.k == 0 and action != REVEAL_ACTION:
        note_lead(m, d, unpacked(action))
    act(d, r, action)
    if closes:
        note_trick(m, d, leader)


cdef inline void play_remembering(
    Deal *d, const Rules *r, const Players *players, Dice *dice, Trace *t, const bint traced,
) noexcept nogil:
    """Play the deal to its end, keeping what its cards have told."""
    cdef Memory m
    cdef int k, seat, card, leader
    cdef uint64_t legal
    cdef bint may_reveal
    forget_all(&m)
    while not d.over:
        if d.tricks % 4 == 0 and players.any_random:
            philox(dice, d.tricks // 4, PLAYS, dice.tricks)
        leader = d.leader
        for k in range(4):
            seat = (leader + k) & 3
            may_reveal = False
            if d.face_down:
                may_reveal = begin_turn(d, r, seat)
                if may_reveal and players.reveal[seat](d, r, dice, seat):
                    if traced:
                        note(t, REVEAL_ACTION, legal_cards(d, seat, k, r.trump_mode), True)
                    reveal(d, r)
                    may_reveal = False
            legal = legal_cards(d, seat, k, r.trump_mode)
            card = chosen_card(d, r, players, dice, &m, seat, legal)
            if traced:
                note(t, packed(card), legal, may_reveal)
            if k == 0:
                note_lead(&m, d, card)
            put(d, seat, card, k, r.trump_mode)
        note_trick(&m, d, leader)
        close_trick(d, r, r.pile)


cdef void play_by_shape(Deal *d, const Rules *r, const Players *players, Dice *dice) noexcept nogil:
    """Choose the loop made for this shape of rules and players."""
    if players.habitual:
        play_remembering(d, r, players, dice, NULL, False)
    elif players.all_random:
        if r.trump_mode == CALLED:
            play_random(d, r, dice, CALLED)
        elif r.trump_mode == HIDDEN:
            play_random(d, r, dice, HIDDEN)
        else:
            play_random(d, r, dice, FIRST_VOID)
    elif r.trump_mode == HIDDEN:
        play_out(d, r, players, dice, NULL, HIDDEN, False)
    elif r.trump_mode == CALLED:
        play_out(d, r, players, dice, NULL, CALLED, False)
    else:
        play_out(d, r, players, dice, NULL, FIRST_VOID, False)


cdef inline void report(const Deal *d, Result *out) noexcept nogil:
    out.outcome = d.outcome
    out.winner = d.side
    out.caller = d.caller
    out.trump = d.trump
    out.taken[0] = d.taken[0]
    out.taken[1] = d.taken[1]
    out.tens[0] = d.tens[0]
    out.tens[1] = d.tens[1]


CARD_PLAYERS = ("random", "simple", "greedy")


cdef class Setup:
    """Rules and players of a batch, read once.

    Parameters
    ----------
    rules : RuleSet
    cards : four names of CARD_PLAYERS, by seat from eldest
    callers : two (kind, weights, thresholds), for eldest and for the partner; kind is "random", "weighted" or "absent"
    without : ideas (bits of Idea in greedy.pxd) that the players named "ablated" leave out of `greedy`
    habits : by seat, what a "greedy" sends and forgets, reads of its partner, understands of the others: bits of Signal in
        habits.pxd
    """

    cdef Rules rules
    cdef Players players

    def __init__(self, rules, cards, callers, *, without=0, habits=((0, 0, 0),) * 4):
        cdef int seat, code
        self.rules = read_rules(rules)
        self.rules.without = without
        if len(cards) != 4 or len(callers) != 2:
            raise ValueError("a setup takes four card players and two callers")
        self.players.all_random = all(card == "random" for card in cards)
        self.players.any_random = "random" in cards
        self.players.habitual = any(any(habit) for habit in habits)
        for seat in range(4):
            if any(habits[seat]) and cards[seat] != "greedy":
                raise ValueError("only greedy has habits")
            self.players.habits[seat].does, self.players.habits[seat].reads, self.players.habits[seat].watches = habits[seat]
        for seat in range(4):
            code = 3 if cards[seat] == "ablated" else CARD_PLAYERS.index(cards[seat])
            if code == 0:
                self.players.card[seat] = random_card
                self.players.reveal[seat] = random_reveal
            elif code == 1:
                self.players.card[seat] = simple_card
                self.players.reveal[seat] = simple_reveal
            elif code == 2:
                self.players.card[seat] = greedy_card
                self.players.reveal[seat] = greedy_reveal
            else:
                self.players.card[seat] = ablated_card
                self.players.reveal[seat] = ablated_reveal
        for seat in range(2):
            self.players.callers[seat] = read_caller(callers[seat])


cdef Dice read_dice(const uint64_t[::1] key, uint64_t stream) except *:
    cdef Dice dice
    if key.shape[0] != 2:
        raise ValueError("a key is two 64-bit words: SeedSequence(seed).generate_state(2, numpy.uint64)")
    set_key(&dice, key[0], key[1])
    dice.stream = stream
    return dice


cdef inline void note_call(const Deal *d, const Rules *r, uint64_t *five, uint8_t *suit) noexcept nogil:
    """Tell the first five cards of the caller and the suit that he called or hid, before the first lead."""
    cdef int i
    five[0] = 0
    suit[0] = NONE
    if d.caller == NONE or d.over:
        return
    for i in range(5):
        five[0] |= bit(d.order[d.caller][i])
    five[0] = packed_mask(five[0])
    suit[0] = suit_of(lowest(d.face_down)) if d.face_down else d.trump


def play_deals(
    Setup setup, const uint64_t[::1] key, uint64_t start, out, *, uint64_t stream=0, uint64_t[::1] fives=None,
    uint8_t[::1] suits=None,
):
    """Play deals start, start+1, ... with the setup's players and fill out, an array of RESULT, one row a deal.

    fives, suits : where given, they are filled with the first five cards of the caller (bit 13*suit + rank) and the suit that
        he called or hid; 0 and 255 where nobody called, and for a redeal
    """
    cdef uint8_t[:, ::1] rows = checked_rows(out, 1)
    cdef Dice dice = read_dice(key, stream)
    cdef Py_ssize_t size = rows.shape[0], i
    cdef Deal d
    cdef Opening o
    cdef bint noted = fives is not None
    if noted and (suits is None or fives.shape[0] != size or suits.shape[0] != size):
        raise ValueError("fives and suits need one entry for each deal")
    with nogil:
        for i in range(size):
            start_deal(&dice, start + <uint64_t> i)
            deal_pack(&d, &dice)
            speak(&o, &d, &setup.rules, &setup.players, &dice)
            if noted:
                note_call(&d, &setup.rules, &fives[i], &suits[i])
            play_by_shape(&d, &setup.rules, &setup.players, &dice)
            report(&d, <Result *> &rows[i, 0])


def play_calls(Setup setup, const uint64_t[::1] key, uint64_t start, five, const uint8_t[::1] words, out, *, uint64_t stream=0):
    """Play each of the first words on the same deals round eldest's five cards.

    five holds five card numbers, words one word each (see callers.pxd); out is an array of RESULT of shape (deals, len(words)).
    """
    cdef uint8_t[:, ::1] rows = checked_rows(out, 2)
    cdef Dice dice = read_dice(key, stream)
    cdef Py_ssize_t options = words.shape[0], size = out.shape[0], i, j
    cdef uint8_t cards[5]
    cdef Deal d
    cdef Opening o
    if out.shape[1] != options:
        raise ValueError("out needs one column for each word")
    read_first_words(five, words, cards)
    with nogil:
        for i in range(size):
            start_deal(&dice, start + <uint64_t> i)
            deal_rest(&d, &dice, cards)
            for j in range(options):
                start_deal(&dice, start + <uint64_t> i)
                speak_after(words[j], &o, &d, &setup.rules, &setup.players, &dice)
                play_by_shape(&d, &setup.rules, &setup.players, &dice)
                report(&d, <Result *> &rows[i * options + j, 0])


cdef int read_first_words(object five, const uint8_t[::1] words, uint8_t *cards) except -1:
    """Fill eldest's five cards; raise ValueError for what is no calling hand, or a word that nobody says first."""
    cdef Py_ssize_t j
    if len(five) != 5:
        raise ValueError("a calling hand has five cards")
    for j in range(words.shape[0]):
        if CHANGE_SUIT <= words[j] < HIDE or words[j] >= BLIND:
            raise ValueError(f"nobody says {words[j]} first")
    for j in range(5):
        cards[j] = unpacked(five[j])
    return 0


cdef inline void speak_after(int word, Opening *o, Deal *d, const Rules *r, const Players *players, Dice *dice) noexcept nogil:
    """Say eldest's first word on a deal whose cards lie ready, then let the callers go on."""
    open_deal(d, 13)
    fill_hands(d)
    start_opening(o)
    say(o, d, r, word)
    go_on_speaking(o, d, r, players.callers, dice)


cdef inline void lay_open(const Deal *d, uint64_t *hands, uint8_t *leader, uint8_t *hidden) noexcept nogil:
    """Tell all that lies on the table before the first lead; a card face down is among its owner's thirteen."""
    cdef int seat
    for seat in range(4):
        hands[seat] = packed_mask(d.hands[seat] | (d.face_down if seat == d.hider else 0))
    leader[0] = d.leader
    hidden[0] = d.hider
    hidden[1] = packed(lowest(d.face_down)) if d.face_down else NONE


def open_deals(
    Setup setup, const uint64_t[::1] key, uint64_t start, Py_ssize_t size, *, uint64_t stream=0, uint64_t[::1] fives=None,
    uint8_t[::1] suits=None,
):
    """Deal the deals of play_deals and let the callers speak, but play no card.  fives and suits are those of play_deals.

    Returns
    -------
    hands : uint64 (size, 4), the thirteen cards of each seat, bit 13*suit + rank
    leaders : uint8 (size,), who leads the first trick
    hidden : uint8 (size, 2), who laid a card face down, and the card; 255 where nobody did
    results : RESULT (size,), the caller and the trump; outcome 255 but for a redeal
    """
    hands = np.empty((size, 4), np.uint64)
    leaders = np.empty(size, np.uint8)
    hidden = np.empty((size, 2), np.uint8)
    results = np.empty(size, RESULT)
    cdef uint64_t[:, ::1] hands_view = hands
    cdef uint8_t[::1] leaders_view = leaders
    cdef uint8_t[:, ::1] hidden_view = hidden, rows = checked_rows(results, 1)
    cdef Dice dice = read_dice(key, stream)
    cdef Py_ssize_t i
    cdef Deal d
    cdef Opening o
    cdef bint noted = fives is not None
    if noted and (suits is None or fives.shape[0] != size or suits.shape[0] != size):
        raise ValueError("fives and suits need one entry for each deal")
    with nogil:
        for i in range(size):
            start_deal(&dice, start + <uint64_t> i)
            deal_pack(&d, &dice)
            speak(&o, &d, &setup.rules, &setup.players, &dice)
            if noted:
                note_call(&d, &setup.rules, &fives[i], &suits[i])
            lay_open(&d, &hands_view[i, 0], &leaders_view[i], &hidden_view[i, 0])
            report(&d, <Result *> &rows[i, 0])
    return hands, leaders, hidden, results


def open_calls(
    Setup setup, const uint64_t[::1] key, uint64_t start, five, const uint8_t[::1] words, Py_ssize_t size, *, uint64_t stream=0,
):
    """Deal the deals of play_calls and let the callers speak, but play no card.

    Returns what open_deals does, with a second dimension for the words: hands (size, len(words), 4), leaders and results
    (size, len(words)), hidden (size, len(words), 2).
    """
    cdef Py_ssize_t options = words.shape[0], i, j
    hands = np.empty((size, options, 4), np.uint64)
    leaders = np.empty((size, options), np.uint8)
    hidden = np.empty((size, options, 2), np.uint8)
    results = np.empty((size, options), RESULT)
    cdef uint64_t[:, :, ::1] hands_view = hands
    cdef uint8_t[:, ::1] leaders_view = leaders, rows = checked_rows(results, 2)
    cdef uint8_t[:, :, ::1] hidden_view = hidden
    cdef Dice dice = read_dice(key, stream)
    cdef uint8_t cards[5]
    cdef Deal d
    cdef Opening o
    read_first_words(five, words, cards)
    with nogil:
        for i in range(size):
            start_deal(&dice, start + <uint64_t> i)
            deal_rest(&d, &dice, cards)
            for j in range(options):
                start_deal(&dice, start + <uint64_t> i)
                speak_after(words[j], &o, &d, &setup.rules, &setup.players, &dice)
                lay_open(&d, &hands_view[i, j, 0], &leaders_view[i, j], &hidden_view[i, j, 0])
                report(&d, <Result *> &rows[i * options + j, 0])
    return hands, leaders, hidden, results


cdef uint8_t[:, ::1] checked_rows(object out, int dimensions):
    """The bytes of an array of RESULT, a row each."""
    if not isinstance(out, np.ndarray) or out.dtype != RESULT or out.ndim != dimensions or not out.flags.c_contiguous:
        raise ValueError(f"out must be a C-contiguous array of RESULT with {dimensions} dimension(s)")
    return out.reshape(-1).view("u1").reshape(-1, RESULT.itemsize)


def trace_deals(Setup setup, const uint64_t[::1] key, uint64_t start, Py_ssize_t size, *, uint64_t stream=0):
    """Play the same deals as play_deals and return all that happened.

    Returns
    -------
    hands : uint8 (size, 4, 13), the cards of each seat in the order dealt
    words : uint8 (size, MOST_WORDS), what was said; 255 after the last
    plays : uint8 (size, 53), cards in the order played, 64 for `reveal`; 255 after the last
    legal : uint64 (size, 53), the legal cards before each of them, bit 13*suit + rank; bit 63 when `reveal` was legal
    results : RESULT (size,)
    """
    hands = np.empty((size, 4, 13), np.uint8)
    words = np.full((size, MOST_WORDS), NO_WORD, np.uint8)
    plays = np.full((size, MOST_ACTIONS), NO_WORD, np.uint8)
    legal = np.zeros((size, MOST_ACTIONS), np.uint64)
    results = np.zeros(size, RESULT)
    cdef uint8_t[:, :, ::1] hands_view = hands
    cdef uint8_t[:, ::1] words_view = words, plays_view = plays
    cdef uint64_t[:, ::1] legal_view = legal
    cdef uint8_t[:, ::1] rows = checked_rows(results, 1)
    cdef Dice dice = read_dice(key, stream)
    cdef Deal d
    cdef Opening o
    cdef Trace t
    cdef Py_ssize_t i
    cdef int j
    with nogil:
        for i in range(size):
            start_deal(&dice, start + <uint64_t> i)
            deal_pack(&d, &dice)
            speak(&o, &d, &setup.rules, &setup.players, &dice)
            for j in range(52):
                hands_view[i, j // 13, j % 13] = packed(d.order[j // 13][j % 13])
            for j in range(o.size):
                words_view[i, j] = o.words[j]
            t.plays = &plays_view[i, 0]
            t.legal = &legal_view[i, 0]
            t.size = 0
            if setup.players.habitual:
                play_remembering(&d, &setup.rules, &setup.players, &dice, &t, True)
            else:
                play_out(&d, &setup.rules, &setup.players, &dice, &t, setup.rules.trump_mode, True)
            report(&d, <Result *> &rows[i, 0])
    return hands, words, plays, legal, results


def drive(Setup setup, const uint8_t[:, ::1] hands, const uint8_t[::1] words, int claimer, const uint8_t[::1] plays):
    """Walk a deal through given words and plays.

    Returns (legal, result): legal is uint64 (len(plays) + 1,), the legal cards before each play and after the last, as
    trace_deals gives them; result is an array of one RESULT for the state reached, outcome 255 while the deal goes on.
    Raises ValueError when a play is not legal.
    """
    cdef Deal d = place(&setup.rules, hands, words, claimer)
    legal = np.zeros(plays.shape[0] + 1, np.uint64)
    result = np.zeros(1, RESULT)
    cdef uint64_t[::1] legal_view = legal
    cdef uint8_t[:, ::1] rows = checked_rows(result, 1)
    cdef Py_ssize_t i
    cdef bint may_reveal
    cdef uint64_t cards
    for i in range(plays.shape[0] + 1):
        if d.over:
            if i < plays.shape[0]:
                raise ValueError(f"play {i}: the deal is over")
            break
        may_reveal = next_turn(&d, &setup.rules)
        cards = legal_cards(&d, seat_to_act(&d), d.k, setup.rules.trump_mode)
        legal_view[i] = packed_mask(cards) | (<uint64_t> may_reveal) << 63
        if i == plays.shape[0]:
            break
        if plays[i] == REVEAL_ACTION:
            if not may_reveal:
                raise ValueError(f"play {i}: nothing may be revealed")
        elif plays[i] >= 52 or not cards & bit(unpacked(plays[i])):
            raise ValueError(f"play {i}: card {plays[i]} is not legal")
        act(&d, &setup.rules, plays[i])
    report(&d, <Result *> &rows[0, 0])
    return legal, result


def choose(Setup setup, const uint8_t[:, ::1] hands, const uint8_t[::1] words, int claimer, const uint8_t[::1] plays):
    """Return what the player of the seat to act chooses after the plays (all legal): a card number, or 64 for `reveal`.

    A player that draws random numbers gets zeros.
    """
    cdef Deal d = place(&setup.rules, hands, words, claimer)
    cdef Dice dice = read_dice(np.zeros(2, np.uint64), 0)
    cdef Py_ssize_t i
    cdef int seat
    cdef Memory m
    start_deal(&dice, 0)
    dice.tricks[0] = dice.tricks[1] = dice.tricks[2] = dice.tricks[3] = 0
    forget_all(&m)
    for i in range(plays.shape[0]):
        next_turn(&d, &setup.rules)
        remembered(&m, &d, &setup.rules, plays[i])
    if d.over:
        raise ValueError("the deal is over")
    seat = seat_to_act(&d)
    if next_turn(&d, &setup.rules) and setup.players.reveal[seat](&d, &setup.rules, &dice, seat):
        return REVEAL_ACTION
    return packed(chosen_card(
        &d, &setup.rules, &setup.players, &dice, &m, seat, legal_cards(&d, seat, d.k, setup.rules.trump_mode)
    ))


cdef inline uint64_t lone(uint64_t cards) noexcept nogil:
    """The lowest card of a set, as a set."""
    return cards & (~cards + 1)


cdef class Walk:
    """One deal taken step by step, with the setup's players to ask at each step; what it is told must be legal.

    Parameters
    ----------
    setup : rules and players; those of the seats that somebody else plays are never asked
    key, stream : as for play_deals
    """

    cdef Setup setup
    cdef Dice dice
    cdef Deal d
    cdef Opening o
    cdef Memory m

    def __init__(self, Setup setup, const uint64_t[::1] key, *, uint64_t stream=0):
        self.setup = setup
        self.dice = read_dice(key, stream)
        self.open()

    cdef void open(self) noexcept:
        start_opening(&self.o)
        open_deal(&self.d, 13)
        forget_all(&self.m)


    def deal(self, uint64_t index):
        """Deal deal number index, as play_deals does."""
        start_deal(&self.dice, index)
        deal_pack(&self.d, &self.dice)
        self.open()
        fill_hands(&self.d)

    def deal_round(self, uint64_t index, five):
        """Deal deal number index round eldest's five cards, as play_calls does."""
        cdef uint8_t cards[5]
        cdef int i
        if len(five) != 5:
            raise ValueError("a calling hand has five cards")
        for i in range(5):
            cards[i] = unpacked(five[i])
        start_deal(&self.dice, index)
        deal_rest(&self.d, &self.dice, cards)
        start_deal(&self.dice, index)
        self.open()
        fill_hands(&self.d)

    def hands(self):
        """Return the cards of each seat in the order dealt, four lists of thirteen card numbers."""
        cdef int seat, i
        return [[packed(self.d.order[seat][i]) for i in range(13)] for seat in range(4)]

    def wants_swap(self):
        """Return whether eldest's player gives his five back to the pack (S0.33)."""
        return bool(wants_swap(&self.setup.players.callers[0], &self.d, &self.dice))

    def swap(self):
        """Give eldest five fresh cards, before anything is said."""
        swap_five(&self.d, &self.dice)
        fill_hands(&self.d)

    def word(self):
        """Return what the seat to speak says, or the dealer's blind card when nobody called."""
        if self.o.blind_due:
            return blind_word(&self.d, &self.setup.rules, &self.dice)
        return first_word(
            &self.setup.players.callers[self.o.chooser >> 1], &self.o, &self.d, &self.setup.rules, &self.dice
        )

    def change(self):
        """Return the word with which the caller changes trump before the first card; 255 for none.

        Only asked where he may.
        """
        return change_word(&self.setup.players.callers[self.d.caller >> 1], &self.d, &self.setup.rules, &self.dice)

    def say(self, int word):
        """Say one word."""
        if self.o.size == MOST_WORDS:
            raise ValueError(f"at most {MOST_WORDS} words are said")
        say(&self.o, &self.d, &self.setup.rules, word)
        if self.setup.rules.caller_leads and self.d.caller != NONE:
            self.d.leader = self.d.caller

    def claim(self, int seat):
        """Let a seat claim all thirteen tricks."""
        self.d.claimer = seat

    def action(self):
        """Return what the player of the seat to act does: a card number, or 64 for `reveal`."""
        cdef int seat = seat_to_act(&self.d)
        cdef Rules *r = &self.setup.rules
        if self.d.over:
            raise ValueError("the deal is over")
        if self.setup.players.any_random:
            philox(&self.dice, self.d.tricks // 4, PLAYS, self.dice.tricks)
        if next_turn(&self.d, r) and self.setup.players.reveal[seat](&self.d, r, &self.dice, seat):
            return REVEAL_ACTION
        return packed(chosen_card(
            &self.d, r, &self.setup.players, &self.dice, &self.m, seat, legal_cards(&self.d, seat, self.d.k, r.trump_mode)
        ))

    def greedy_among(self, uint64_t among, uint64_t gone=0, uint64_t back=0, int forget_voids_of=NONE, uint32_t without=0):
        """Return what `greedy` plays for the seat to act of some of its legal cards, believing something else.

        among : the cards, as bits 13*suit + rank
        gone, back : cards that it takes for played, and for not played
        forget_voids_of : a suit of which it does not know who is void, 255 for none
        without : ideas left out
        """
        cdef Deal d = self.d
        cdef int i, seat = seat_to_act(&self.d)
        d.played = (d.played & ~unpacked_mask(back)) | (unpacked_mask(gone) & ~d.hands[seat])
        if forget_voids_of != NONE:
            for i in range(4):
                d.voids[i] &= ~(1 << forget_voids_of)
        return packed(greedy_play(&d, &self.setup.rules, seat, unpacked_mask(among), without))

    def act(self, int action):
        """Play a card for the seat to act, or reveal for it when action is 64."""
        if self.d.over or not (0 <= action < 52 or action == REVEAL_ACTION):
            raise ValueError(f"nobody can do {action} now")
        next_turn(&self.d, &self.setup.rules)
        if action == REVEAL_ACTION and self.d.face_down == 0:
            raise ValueError("nothing lies face down")
        remembered(&self.m, &self.d, &self.setup.rules, action)

    def report(self, out, Py_ssize_t row):
        """Write the result of the deal so far into a row of out, an array of RESULT with one dimension."""
        cdef uint8_t[:, ::1] rows = checked_rows(out, 1)
        if not 0 <= row < rows.shape[0]:
            raise IndexError(row)
        report(&self.d, <Result *> &rows[row, 0])

    def observe(self, int seat, const uint8_t[::1] dealt, known_facts, const uint8_t[::1] plays):
        """Take the place of one seat that sees only this.

        seat : whose view it is
        dealt : its cards in the order dealt, as far as it knows them
        known_facts : (speaker, caller, trump, hider, hidden card, blind, claimer, leader of the first trick), each 255
            where there is none; the hidden card is the one that was shown, or that it laid itself; a blind card that
            was not shown is 255
        plays : the cards played, with 64 where the hidden card was turned up
        """
        cdef Py_ssize_t i
        cdef int hidden, card
        cdef Rules *r = &self.setup.rules
        self.open()
        speaker, self.d.caller, self.d.trump, self.d.hider, hidden, self.d.blind, self.d.claimer, self.d.leader = known_facts
        self.o.chooser = speaker
        self.d.hands[0] = self.d.hands[1] = self.d.hands[2] = self.d.hands[3] = 0
        if dealt.shape[0] > 13:
            raise ValueError("a hand has thirteen cards")
        for i in range(dealt.shape[0]):
            card = unpacked(dealt[i])
            self.d.order[seat][i] = card
            self.d.hands[seat] |= bit(card)
        if self.d.hider != NONE:
            # A card that this seat does not know is never looked at; any that it does not hold stands for it.
            self.d.face_down = bit(unpacked(hidden)) if hidden != NONE else lone(ALL_CARDS & ~self.d.hands[seat])
            if self.d.hider == seat:
                self.d.hands[seat] &= ~self.d.face_down
                if dealt.shape[0] < 13:
                    self.d.order[seat][12] = lowest(self.d.face_down)
        for i in range(plays.shape[0]):
            if plays[i] == REVEAL_ACTION:
                reveal(&self.d, r)
                continue
            remembered(&self.m, &self.d, r, plays[i])


cdef uint64_t count_lines(const Deal *start, const Rules *r) noexcept nogil:
    """The number of ways to play the deal to its end."""
    cdef Deal d = start[0]
    cdef Deal after
    cdef uint64_t cards, lines = 0
    if d.over:
        return 1
    if next_turn(&d, r):
        after = d
        act(&after, r, REVEAL_ACTION)
        lines += count_lines(&after, r)
    cards = legal_cards(&d, seat_to_act(&d), d.k, r.trump_mode)
    while cards:
        after = d
        act(&after, r, packed(lowest(cards)))
        lines += count_lines(&after, r)
        cards &= cards - 1
    return lines


def perft(Setup setup, const uint8_t[:, ::1] hands, const uint8_t[::1] words, int claimer, const uint8_t[::1] plays):
    """Return the number of ways to finish the deal from the position after the plays (all legal)."""
    cdef Deal d = place(&setup.rules, hands, words, claimer)
    cdef Py_ssize_t i
    for i in range(plays.shape[0]):
        next_turn(&d, &setup.rules)
        act(&d, &setup.rules, plays[i])
    with nogil:
        lines = count_lines(&d, &setup.rules)
    return lines


def philox_block(const uint64_t[::1] key, uint64_t block, uint64_t purpose, uint64_t index, uint64_t stream):
    """Return the four 64-bit words of one block of the random numbers, for comparison with numpy's Philox."""
    cdef Dice dice = read_dice(key, stream)
    out = np.empty(4, np.uint64)
    cdef uint64_t[::1] view = out
    dice.index = index
    philox(&dice, block, purpose, &view[0])
    return out


def philox_words(const uint64_t[::1] key, uint64_t purpose, uint64_t start, uint64_t[:, :, ::1] out, *, uint64_t stream=0):
    """Fill out (deals, blocks, 4) with the first blocks of one purpose of deals start, start+1, ..."""
    cdef Dice dice = read_dice(key, stream)
    cdef Py_ssize_t i, block
    if out.shape[2] != 4:
        raise ValueError("a block has four words")
    with nogil:
        for i in range(out.shape[0]):
            start_deal(&dice, start + <uint64_t> i)
            for block in range(out.shape[1]):
                philox(&dice, block, purpose, &out[i, block, 0])


include "splitting.pxi"
