"""The alternatives of each option, each with its meaning, and the defaults that depend on another option."""

from __future__ import annotations

from collections.abc import Mapping

from courtpiece.rules.values import Choice


class Direction(Choice):
    ANTICLOCKWISE = "anticlockwise", "the turn goes to the right: S, E, N, W"
    CLOCKWISE = "clockwise", "the turn goes to the left: S, W, N, E"


class FirstCaller(Choice):
    HIGHEST_CARD = "highest-card", "everyone draws a card; the highest sits at the first dealer's right"
    HIGHEST_CARD_TEAM = (
        "highest-card-team",
        "as highest-card, but a top rank within one team is no tie",
    )
    FIRST_ACE = "first-ace", "cards are laid round the table until the first ace falls"
    FIRST_JACK = "first-jack", "cards are laid round the table until the first jack falls"
    RANDOM = "random", "any seat with equal chance"


class DrawTie(Choice):
    ALL_REDRAW = "all-redraw", "all four draw again"
    TIED_REDRAW = "tied-redraw", "only the tied players draw again"


class Trump(Choice):
    CALLED = "called", "a suit is named on the first five cards"
    HIDDEN = "hidden", "one of the first five cards lies face down; its suit is trump once it is shown"
    FIRST_VOID = "first-void", "the first card thrown by a player without the suit led makes its suit trump"


class Uncalled(Choice):
    NONE = "none", "somebody always calls"
    BLIND_STOCK = "blind-stock", "the dealer blindly opens, or lays face down, a card of the undealt pack"
    RANDOM_OWN_FIVE = "random-own-five", "one of the chooser's own five is taken at random"


class Redeal(Choice):
    OFF = "off", "no new deal"
    NO_CARD_ABOVE_TEN = "no-card-above-ten", "eldest may ask when none of his five is above a ten"
    NO_CARD_ABOVE_NINE = "no-card-above-nine", "eldest may ask when none of his five is above a nine"


class Reveal(Choice):
    ON_REQUEST = "on-request", "a player without the suit led may ask for the hidden card"
    AT_FIRST_VOID = (
        "at-first-void",
        "the hidden card is turned up before the first player without the suit led plays",
    )


class RevealScope(Choice):
    FROM_REVEAL = "from-reveal", "only cards played after the card is shown are trumps"
    WHOLE_TRICK = "whole-trick", "cards played earlier in that trick are trumps too"


class FirstLead(Choice):
    ELDEST = "eldest", "the dealer's right-hand neighbour leads"
    CALLER = "caller", "the player who really called leads; differs only after a pass"


class Collection(Choice):
    EACH_TRICK = "each-trick", "a trick belongs to its winner's side at once"
    PILE = "pile", "tricks lie in a pile until one player wins two in a row and picks it up"


class PileBlock(Choice):
    ACE_ON_ACE = "ace-on-ace", "no pick-up when both tricks were won by aces"
    TRUMP_ACE = "trump-ace", "no pick-up when the second trick was won by the ace of trump"


class BlockedRun(Choice):
    CONTINUES = "continues", "after a refused pick-up that trick and the next can pair"
    RESTARTS = "restarts", "after a refused pick-up two more tricks are needed"


class DealEnds(Choice):
    AT_SEVEN = "at-seven", "when a side has taken seven tricks"
    AT_SEVEN_UNLESS_SHUTOUT = "at-seven-unless-shutout", "when a side has seven and the other at least one"
    AFTER_THIRTEEN = "after-thirteen", "after all thirteen tricks"


class Objective(Choice):
    TRICKS = "tricks", "seven tricks win the deal"
    TENS = "tens", "three tens win the deal; two each are decided by seven tricks"


class Kot(Choice):
    FIRST_SEVEN = "first-seven", "taking the first seven tricks in a row"
    ALL_THIRTEEN = "all-thirteen", "taking all thirteen tricks"
    NONE = "none", "no kot"


class Counting(Choice):
    POINTS = "points", "the match counts points"
    KOTS = "kots", "the match counts kots: 0, 0, 1 and 3 for the four rows of the score"


class FailedClaim(Choice):
    NO_EFFECT = "no-effect", "play goes on and scores as usual"
    DEAL_LOST = "deal-lost", "the other side wins the deal plainly with the first trick it takes"


class Extra(Choice):
    SWAP_CARDS = "swap-cards", "before the call eldest exchanges his five cards for five of the undealt pack"
    CHANGE_TRUMP = "change-trump", "after thirteen cards, before the first lead, the caller changes trump"


SCORE_ROWS: Mapping[Objective, tuple[str, str, str, str]] = {
    Objective.TRICKS: ("caller_win", "defender_win", "caller_kot", "defender_kot"),
    Objective.TENS: ("three_tens", "two_tens", "four_tens", "whitewash"),
}
DEFAULT_SCORE: Mapping[Objective, tuple[int, int, int, int]] = {
    Objective.TRICKS: (1, 2, 3, 4),  # S0.20-S0.23
    Objective.TENS: (1, 1, 2, 3),  # S0.86-S0.88, A42
}
DEFAULT_STREAK_BONUS: Mapping[Counting, int] = {Counting.POINTS: 2, Counting.KOTS: 1}  # S0.24
KOTS_OF_ROWS = (0, 0, 1, 3)  # S0.20-S0.23
DEFENDERS_CLAIM_KOTS = 3  # a claim made against the caller's side is a goon kot
