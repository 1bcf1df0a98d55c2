"""The rule set as the kernel reads it: one small struct, filled once before the loop."""

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint8_t

cdef enum TrumpMode:
    CALLED = 0
    HIDDEN = 1
    FIRST_VOID = 2

cdef enum DealEnds:
    AT_SEVEN = 0
    UNLESS_SHUTOUT = 1
    AFTER_THIRTEEN = 2

cdef enum Kot:
    FIRST_SEVEN = 0
    ALL_THIRTEEN = 1
    NO_KOT = 2

cdef enum Uncalled:
    NEVER = 0
    BLIND_STOCK = 1
    RANDOM_OWN_FIVE = 2

# In the order of courtpiece.rules.Outcome.
cdef enum Outcome:
    CALLER_WIN = 0
    DEFENDER_WIN = 1
    CALLER_KOT = 2
    DEFENDER_KOT = 3
    THREE_TENS = 4
    TWO_TENS = 5
    FOUR_TENS = 6
    WHITEWASH = 7
    CLAIM_MADE = 8
    REDEAL = 9

cdef struct Rules:
    uint8_t trump_mode          # TrumpMode
    uint8_t uncalled            # Uncalled
    uint8_t redeal_rank         # highest rank that still allows a redeal (S4.17); NONE when it is off
    uint8_t deal_ends           # DealEnds
    uint8_t kot                 # Kot
    bint may_pass               # eldest may pass to the partner (S0.11)
    bint thirteenth             # eldest may let the thirteenth card decide (S4.18)
    bint at_first_void          # the hidden card is turned up at the first void (S0.79), else on request (S0.55)
    bint must_trump             # who reveals plays a trump if able
    bint whole_trick            # a reveal also counts for the cards before it in the trick
    bint reveal_on_lead         # the hider may show the card when leading (S0.56)
    bint caller_leads           # the caller leads the first trick, else eldest (A5)
    bint pile                   # Double Sir's pile (S0.41)
    bint block_two_aces         # ace on ace refuses a pick-up (S0.48)
    bint block_trump_ace        # the trump ace refuses a pick-up (S0.49)
    bint block_restarts         # a refused pick-up starts the run again (A22)
    uint16_t block_tricks       # bit t: no pick-up at trick t (S0.50)
    bint tens                   # the tens decide the deal (S0.72)
    bint claim_ends             # a failed claim loses the deal at the first trick taken (B18)
    bint change_trump           # extra (S0.34)
    bint swap_cards             # extra (S0.33)
    uint32_t without            # ideas that the player `ablated` leaves out of `greedy` (greedy.pxd)
    int32_t points[10][2]       # by outcome and winning side, for players who weigh what is at stake
