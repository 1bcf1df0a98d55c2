"""Times of the exact solver against cards left, for the variants: the table in docs/solver.md.

    python docs/scripts/solver_curves.py [CARDS ...]     cards a seat, 3 to 13; 20 deals each

Random hands, eldest leads; trump is eldest's longest suit, or his first card hidden.  Below 13 cards the
question is the most tricks, and the most tens where they count; at 13 the outcome for points.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from time import process_time

import numpy as np

from courtpiece._kernel import exact
from courtpiece.cards import PACK
from courtpiece.deal import FULL_HAND
from courtpiece.rules import Objective, RuleSet, Trump, resolve

DEALS = 20
VARIANTS = {
    "first-void": "be-ranga",
    "hidden": "hidden-trump",
    "pile": "double-sir",
    "pile, ace blocks": "double-sir-aces",
    "tens, first-void": "mendikot",
    "tens, hidden": "mendikot-band",
    "tens, pile": "mendikot,collection=pile",
}


def milliseconds(rules: RuleSet, cards: int, seed: int) -> float:
    """Returns the time of one answer, with an empty table."""
    pack = list(PACK)
    Random(1000 * cards + seed).shuffle(pack)
    hands = [pack[cards * seat : cards * (seat + 1)] for seat in range(4)]
    longest = Counter(card.suit for card in hands[0]).most_common(1)[0][0]
    trump = longest if rules.trump is Trump.CALLED else 255
    hidden = (0, hands[0][0]) if rules.trump is Trump.HIDDEN else (255, 255)
    masks = np.array([sum(1 << card for card in hand) for hand in hands], np.uint64)
    solver = exact.Solver(rules, 64 << 20)
    solver.begin(masks, trump, 0, *hidden, np.zeros(0, np.uint8), 0, 0)
    start = process_time()
    if cards == FULL_HAND:
        solver.outcome()
    else:
        solver.most_tricks(0, cards // 2)
        if rules.objective is Objective.TENS:
            solver.most_tens(0)
    return 1000 * (process_time() - start)


def main() -> None:
    """Prints a row for each variant and number of cards: median, mean and 95th percentile."""
    for cards in [int(word) for word in sys.argv[1:]] or range(3, FULL_HAND + 1):
        for name, spec in VARIANTS.items():
            times = [milliseconds(resolve(spec), cards, seed) for seed in range(DEALS)]
            numbers = np.median(times), np.mean(times), np.percentile(times, 95)
            told = " | ".join(f"{number:.2f}" for number in numbers)
            print(f"| {name} | {cards} | {told} |", flush=True)


if __name__ == "__main__":
    main()
