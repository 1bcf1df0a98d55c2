# A deal taken up where it stands, for the modules that do not play it from the pack: its rules, and the words and plays so far.

from courtpiece.rules import Outcome

from courtpiece._kernel.bits cimport NONE, TEN, bit, unpacked
from courtpiece._kernel.callers cimport MOST_WORDS, Opening, say, start_opening
from courtpiece._kernel.deal cimport Deal, begin_turn, close_trick, open_deal, put, reveal, seat_to_act
from courtpiece._kernel.rules cimport (
    AFTER_THIRTEEN, ALL_THIRTEEN, AT_SEVEN, BLIND_STOCK, CALLED, FIRST_SEVEN, FIRST_VOID, HIDDEN, NEVER, NO_KOT,
    RANDOM_OWN_FIVE, Rules, UNLESS_SHUTOUT,
)

cdef enum:
    REVEAL_ACTION = 64          # in a list of plays


cdef Rules read_rules(object rules):
    """The kernel's struct for a RuleSet."""
    cdef Rules r
    cdef int outcome, side
    blocks = set(rules.pile_blocks)
    extras = set(rules.extras)
    r.trump_mode = {"called": CALLED, "hidden": HIDDEN, "first-void": FIRST_VOID}[rules.trump]
    r.uncalled = {"none": NEVER, "blind-stock": BLIND_STOCK, "random-own-five": RANDOM_OWN_FIVE}[rules.uncalled]
    r.redeal_rank = {"off": NONE, "no-card-above-ten": TEN, "no-card-above-nine": TEN - 1}[rules.redeal]
    r.deal_ends = {
        "at-seven": AT_SEVEN, "at-seven-unless-shutout": UNLESS_SHUTOUT, "after-thirteen": AFTER_THIRTEEN,
    }[rules.deal_ends]
    r.kot = {"first-seven": FIRST_SEVEN, "all-thirteen": ALL_THIRTEEN, "none": NO_KOT}[rules.kot]
    r.may_pass = rules.caller_may_pass
    r.thirteenth = rules.thirteenth
    r.at_first_void = rules.reveal == "at-first-void"
    r.must_trump = rules.revealer_must_trump
    r.whole_trick = rules.reveal_scope == "whole-trick"
    r.reveal_on_lead = rules.reveal_on_lead
    r.caller_leads = rules.first_lead == "caller"
    r.pile = rules.collection == "pile"
    r.block_two_aces = "ace-on-ace" in blocks
    r.block_trump_ace = "trump-ace" in blocks
    r.block_restarts = rules.blocked_run == "restarts"
    r.block_tricks = 0
    for block in blocks:
        if isinstance(block, int):
            r.block_tricks |= 1 << block
    r.tens = rules.objective == "tens"
    r.claim_ends = rules.claim > 0 and rules.failed_claim == "deal-lost"
    r.change_trump = "change-trump" in extras
    r.swap_cards = "swap-cards" in extras
    for outcome, named in enumerate(Outcome):
        for side in range(2):
            r.points[outcome][side] = rules.score_of(named, side == 0)
    return r


cdef Deal place(const Rules *r, const uint8_t[:, ::1] hands, const uint8_t[::1] words, int claimer) except *:
    """The deal, or ending, after the words have been said and the claim, if any, made."""
    cdef Deal d
    cdef Opening o
    cdef int seat, i, size = <int> hands.shape[1]
    if hands.shape[0] != 4 or not 1 <= size <= 13:
        raise ValueError("hands are four rows of at most thirteen card numbers")
    open_deal(&d, size)
    for seat in range(4):
        d.hands[seat] = 0
        for i in range(size):
            d.order[seat][i] = unpacked(hands[seat, i])
            d.hands[seat] |= bit(d.order[seat][i])
        d.order[seat][12] = d.order[seat][size - 1]         # the last card decides, in an ending too (B11)
    start_opening(&o)
    if words.shape[0] > MOST_WORDS:
        raise ValueError(f"at most {MOST_WORDS} words are said")
    for i in range(words.shape[0]):
        say(&o, &d, r, words[i])
    if r.caller_leads and d.caller != NONE:
        d.leader = d.caller
    d.claimer = claimer
    return d


cdef inline void act(Deal *d, const Rules *r, int action) noexcept nogil:
    """One legal action of a driven deal."""
    if action == REVEAL_ACTION:
        reveal(d, r)
        return
    put(d, seat_to_act(d), unpacked(action), d.k, r.trump_mode)
    if d.k == 4:
        close_trick(d, r, r.pile)


cdef inline bint next_turn(Deal *d, const Rules *r) noexcept nogil:
    """Begin the turn of the seat to act; return whether it may reveal."""
    return d.face_down != 0 and not d.obliged and begin_turn(d, r, seat_to_act(d))
