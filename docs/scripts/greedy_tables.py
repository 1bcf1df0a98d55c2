"""The tables of docs/greedy.md, measured again.

    python docs/scripts/greedy_tables.py strength [DEALS]   greedy against simple and random, every preset
    python docs/scripts/greedy_tables.py ablation [DEALS]   greedy against itself without one idea
    python docs/scripts/greedy_tables.py caller [HANDS]     the fit of the caller strongest, and its regret
    python docs/scripts/greedy_tables.py policies [HANDS]   when another word than a suit is better

Play is mirrored: each deal is played twice, with the seats of the two sides changed; all callers are
`longest` in the first two, so that only the play of the cards differs.  An interval is 1.96 standard errors
over deals or hands.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.players import parse_built_in
from courtpiece.players.callers import LONGEST, STRONGEST, Weights, kernel_caller
from courtpiece.rules import RuleSet, presets
from courtpiece.words import word_code

Floats = NDArray[np.float64]

SEED = 20_000
KEY = np.random.SeedSequence(SEED).generate_state(2, np.uint64).astype(np.uint64, copy=False)
CALLER_KOT, DEFENDER_KOT = 2, 3
SOURCE = Path(__file__).parents[2] / "ext/courtpiece/_kernel/greedy.pxd"

# Where an idea can matter; the others are measured on `classic`.
PLACES = {
    "PAIR_WINS": ("double-sir", "five-sar"), "LET_GO": ("double-sir", "five-sar"),
    "MAKE_TRUMP": ("be-ranga", "mendikot"), "VOID_FIRST": ("be-ranga", "mendikot"),
    "TENS_TO_PARTNER": ("mendikot", "mendikot-band"), "TENS_WIN": ("mendikot", "mendikot-band"),
    "TENS_KEPT": ("mendikot", "mendikot-band"), "ASK_WORTH": ("hidden-trump", "hidden-rung"),
    "ASK": ("hidden-trump", "hidden-rung"), "KEEP_HIDDEN": ("hidden-trump", "hidden-rung"),
}


def ideas() -> dict[str, tuple[int, str]]:
    """Returns the ideas of greedy.pxd: the bit of each and what it says there."""
    pattern = r"^    ([A-Z_]+) = 1 << (\d+) +# (.+)$"
    return {name: (1 << int(place), text) for name, place, text in
            re.findall(pattern, SOURCE.read_text(encoding="utf-8"), re.MULTILINE)}


def play(rules: RuleSet, ours: str, theirs: str, deals: int, *, without: int = 0,
         caller: str = "longest") -> NDArray[np.void]:
    """Returns the results of the deals with two card players, the caller's side first."""
    word = kernel_caller(parse_built_in(f"random/{caller}"))
    setup = engine.Setup(rules, [ours, theirs, ours, theirs], [word, word], without=without)
    out = np.empty(deals, engine.RESULT)
    engine.play_deals(setup, KEY, 0, out)
    return out


def interval(values: Floats) -> str:
    """Returns mean ± half-width, in per cent."""
    return f"{100 * values.mean():.2f} ± {196 * values.std() / len(values) ** 0.5:.2f}"


def mirrored(
    rules: RuleSet, player: str, other: str, deals: int, *, without: int = 0
) -> tuple[Floats, Floats]:
    """Returns by deal: the share of its two games that `player` won, and its kots less those of `other`."""
    first = play(rules, player, other, deals, without=without)
    second = play(rules, other, player, deals, without=without)
    played = (first["winner"] < 2) & (second["winner"] < 2)      # others were to be dealt again
    first, second = first[played], second[played]
    share = ((first["winner"] == 0) * 1.0 + (second["winner"] == 1)) / 2
    kots = (first["outcome"] == CALLER_KOT) * 1.0 - (second["outcome"] == CALLER_KOT)
    kots += (second["outcome"] == DEFENDER_KOT) * 1.0 - (first["outcome"] == DEFENDER_KOT)
    return share, kots


def print_strength(deals: int) -> None:
    """Prints the share of deals that greedy takes in every preset."""
    print("| preset | from `simple`, % | from `random`, % |\n|---|---|---|")
    for name, rules in presets().items():
        shares = [mirrored(rules, "greedy", other, deals)[0] for other in ("simple", "random")]
        print(f"| `{name}` | {interval(shares[0])} | {interval(shares[1])} |", flush=True)


def print_ablation(deals: int) -> None:
    """Prints what greedy takes from itself without each idea, beyond half of the deals."""
    print("| idea | what it says | preset | deals won, % | kots, % |\n|---|---|---|---|---|")
    for name, (bit, text) in ideas().items():
        for place in PLACES.get(name, ("classic",)):
            share, kots = mirrored(presets()[place], "greedy", "ablated", deals, without=bit)
            figures = f"{interval(share - 0.5)} | {interval(kots)}"
            print(f"| `{name}` | {text} | `{place}` | {figures} |", flush=True)


def random_hands(size: int, seed: int) -> NDArray[np.int64]:
    """Returns `size` random calling hands of five cards, a row each."""
    shuffled = np.argsort(np.random.default_rng(seed).random((size, 52)), axis=1)
    return shuffled[:, :5]


def try_words(rules: RuleSet, hands: NDArray[np.int64], words: Sequence[Sequence[int]], deals: int,
              start: int = 0) -> Floats:
    """Returns the share of `deals` deals won by the caller's side for each word (codes, a row a hand)."""
    word = kernel_caller(parse_built_in("greedy"))
    setup = engine.Setup(rules, ["greedy"] * 4, [word, word])
    said = np.asarray(words, np.uint8)
    out = np.empty((deals, said.shape[1]), engine.RESULT)
    won = np.empty(said.shape)
    for place, hand in enumerate(hands):
        engine.play_calls(setup, KEY, start + place * deals, hand.tolist(), said[place], out)
        won[place] = (out["winner"] == 0).mean(axis=0)
    return won


def values(hands: NDArray[np.int64], weights: Weights) -> Floats:
    """Returns the value of each suit as trump, a row a hand."""
    suit, rank = hands // 13, hands % 13
    lengths = np.stack([(suit == trump).sum(axis=1) for trump in range(4)], axis=1)
    side = np.array(weights.side_length)[lengths]
    cards = np.array(weights.trump), np.array(weights.side)
    return np.stack([
        np.array(weights.length)[lengths[:, trump]] + side.sum(axis=1) - side[:, trump]
        + np.where(suit == trump, cards[0][rank], cards[1][rank]).sum(axis=1) for trump in range(4)
    ], axis=1).astype(float)


def features(hands: NDArray[np.int64], trump: int) -> Floats:
    """Returns what the fit sees: trump length, number of other suits by length, trumps 7-A, others T-A."""
    suit, rank = hands // 13, hands % 13
    lengths = np.stack([(suit == other).sum(axis=1) for other in range(4)], axis=1)
    beside = np.delete(lengths, trump, axis=1)
    return np.concatenate([
        lengths[:, [trump]] == np.arange(6),
        (beside[:, :, None] == np.arange(6)).sum(axis=1),
        ((suit == trump)[:, :, None] & (rank[:, :, None] == np.arange(5, 13))).sum(axis=1),
        ((suit != trump)[:, :, None] & (rank[:, :, None] == np.arange(8, 13))).sum(axis=1),
    ], axis=1).astype(float)


def print_caller(size: int) -> None:
    """Prints the fitted weights, then the regret of the callers against the best suit."""
    rules = presets()["single-sir"]
    suits = [[0, 1, 2, 3]]
    hands = random_hands(size, 1)
    won = try_words(rules, hands, suits * size, 8)
    rows = np.concatenate([features(hands, trump) for trump in range(4)])
    wins = won.T.ravel()
    weights = np.linalg.solve(rows.T @ rows + 0.01 * np.eye(rows.shape[1]), rows.T @ wins)
    shift = weights[7]              # every call has three suits beside it: a singleton there counts nothing
    weights[6:12] -= shift
    weights[:6] += 3 * shift
    for name, part in zip(("length 0-5", "side_length 0-5", "trump 7-A", "side T-A"),
                          np.split(1000 * weights, [6, 12, 20]), strict=True):
        print(f"{name}: {', '.join(f'{weight:.0f}' for weight in part)}")
    hands = random_hands(size // 250, 2)
    first = try_words(rules, hands, suits * len(hands), 5000, 10**9)
    second = try_words(rules, hands, suits * len(hands), 5000, 2 * 10**9)
    every = np.arange(len(hands))
    best = first.argmax(axis=1)              # chosen on the one half, judged on the other
    error = values(hands, STRONGEST) - 1000 * second
    print(f"value against P(win): {np.sqrt((error**2).mean()):.0f} thousandths off")
    for name, table in (("strongest", STRONGEST), ("longest", LONGEST)):
        call = values(hands, table).argmax(axis=1)
        regret = second[every, best] - second[every, call]
        print(f"{name}: P(win) {interval(second[every, call])}, regret {interval(regret)}")


def print_policies(size: int) -> None:
    """Prints the gain of passing and of the thirteenth card over the best suit, by its value."""
    hands = random_hands(size, 3)
    value = values(hands, STRONGEST)
    call, worth = value.argmax(axis=1), value.max(axis=1)
    edges = (430, 450, 465, 480, 500, 520, 540, 560, 580, 595, 610, 630, 660, 1000)
    for preset, word in (("single-sir", "pass"), ("bavan", "thirteenth")):
        words = np.stack([call, np.full(size, word_code(word))], axis=1)
        won = try_words(presets()[preset], hands, words.tolist(), 8)
        gain = won[:, 1] - won[:, 0]
        for low, high in pairwise(edges):
            inside = (worth >= low) & (worth < high)
            if inside.sum() > 1:
                print(f"| `{preset}` | `{word}` | {low}-{high} | {interval(gain[inside])} |")


if __name__ == "__main__":
    tables = {
        "strength": (print_strength, 200_000), "ablation": (print_ablation, 400_000),
        "caller": (print_caller, 100_000), "policies": (print_policies, 100_000),
    }
    show, size = tables[sys.argv[1]]
    show(int(float(sys.argv[2])) if len(sys.argv) > 2 else size)
