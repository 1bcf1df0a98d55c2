"""What is done in a deal and what comes of it, in words for a person."""

from __future__ import annotations

from collections.abc import Sequence

from courtpiece.cards import PACK, RANKS, SYMBOLS, Card, Suit
from courtpiece.deal import REVEAL, Deal
from courtpiece.rules import Counting, Objective, Outcome
from courtpiece.rules.values import either

_ENDINGS = {
    Outcome.CALLER_WIN: "wins",
    Outcome.DEFENDER_WIN: "wins",
    Outcome.CALLER_KOT: "makes a kot",
    Outcome.DEFENDER_KOT: "makes a kot against the caller (goon kot)",
    Outcome.THREE_TENS: "wins with three tens",
    Outcome.TWO_TENS: "wins with two tens and more tricks",
    Outcome.FOUR_TENS: "wins with all four tens",
    Outcome.WHITEWASH: "takes all thirteen tricks (whitewash)",
    Outcome.CLAIM_MADE: "makes the claim of all thirteen tricks",
}


def result(deal: Deal) -> str:
    """Returns how a finished deal ended, in one line."""
    if deal.outcome is None:
        return "The deal is not over."
    if deal.winner is None:
        return "A new deal by the same dealer."
    side, other = deal.side_name(deal.winner), deal.side_name(1 - deal.winner)
    ours, theirs = deal.taken[deal.winner], deal.taken[1 - deal.winner]
    tens = ""
    if deal.rules.objective is Objective.TENS:
        tens = f", tens {deal.tens[deal.winner]}–{deal.tens[1 - deal.winner]}"
    scores = deal.kots if deal.rules.counting is Counting.KOTS else deal.points
    score = scores[deal.winner]
    unit = deal.rules.counting.removesuffix("s") + ("" if score == 1 else "s")
    failed = "; the claim failed" if deal.claim_failed else ""
    return (f"{side} {_ENDINGS[deal.outcome]}: tricks {ours}–{theirs} against {other}{tens}; "
                f"{score} {unit}{failed}.")


def option(action: str) -> str:
    """Returns what may be done, as in the deal record, for a person.

    >>> option("KH"), option("S"), option("hide 7H")
    ('K♥', 'spades', 'lay 7♥ face down')
    """
    verb, _, what = action.partition(" ")
    if what:
        return {"hide": f"lay {_thing(what)} face down", "change": f"change to {_thing(what)}"}[verb]
    return _CHOICES.get(verb) or _thing(verb)


def options(actions: Sequence[str]) -> str:
    """Returns what may be done, cards by suit.

    >>> options(["KH", "2S", "QH"]), options(["S", "pass"])
    ('2♠ or KQ♥', 'spades or pass')
    """
    cards = sorted(Card.parse(action) for action in actions if action in _CARDS)
    suits = [[RANKS[card.rank] for card in reversed(cards) if card.suit is suit] for suit in Suit]
    held = [f"{''.join(ranks)}{suit.symbol}" for suit, ranks in zip(Suit, suits, strict=True) if ranks]
    return either([*held, *(option(action) for action in actions if action not in _CARDS)])


def deed(kind: str, action: str) -> str:
    """Returns what was done, as said of who did it; `kind` is that of a `Decision`.

    >>> deed("ruff", "2H"), deed("call", "S"), deed("call", "hide 7H")
    ('ruffs with 2♥', 'calls spades', 'lays 7♥ face down')
    """
    verb, _, what = action.partition(" ")
    if what:
        done = {"hide": "lays {} face down", "change": "changes trump to {}", "blind": "turns up {} unseen"}
        return done[verb].format(_thing(what))
    if verb in Suit.__members__:
        return f"calls {_thing(verb)}"
    return _DEEDS.get(verb) or f"{_PLAYS[kind]} {_thing(verb)}"


_CHOICES = {
    REVEAL: "have the hidden card turned up",
    "keep": "keep trump",
    "pass": "pass",
    "timeout": "let time run out",
    "thirteenth": "let the thirteenth card decide",
    "redeal": "ask for a new deal",
}
_DEEDS = {
    REVEAL: "has the hidden card turned up",
    "keep": "keeps trump",
    "pass": "passes",
    "timeout": "lets time run out",
    "thirteenth": "lets the thirteenth card decide",
    "redeal": "asks for a new deal",
}
_CARDS = frozenset(map(str, PACK))
_PLAYS = {"lead": "leads", "follow": "follows with", "ruff": "ruffs with", "discard": "throws"}


def _thing(text: str) -> str:
    """Returns a suit's word, or a card as `K♥`."""
    if text in Suit.__members__:
        return Suit[text].word
    card = Card.parse(text)
    return f"{str(card)[0]}{SYMBOLS[card.suit]}"


def count(number: int, thing: str) -> str:
    """Returns `1 point`, `2 points`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
