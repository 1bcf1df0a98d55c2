"""Rules of thumb: folk rules, built-in callers, and those distilled from a book.

A rule says a suit, by its place in falling order (the longest first, among equals the one with the higher
cards), or to pass.  What it says is spelled as terms of `courtpiece.language`, such as
`if(long-first(3),first,leave)`, which the texts have words for.  Distilled are

- decision trees (L. Breiman and others, "Classification and Regression Trees", 1984; scikit-learn), in which
  one to four questions are asked on the way to a call.  A class of hands is told to the tree once for each
  call, and counts as much as the call is worth to it: a leaf says the call worth most to the hands in it;
- point counts: least squares (scikit-learn) of a suit's worth on its length and honours, scaled and rounded
  to small whole numbers, and then changed by ones as long as that makes the cost less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import RANKS
from courtpiece.players.callers import LONGEST, STRONGEST, Weights, suit_values
from courtpiece.stats import Floats
from courtpiece.studies.thumb_hands import ANY, CALLED, PASS, SUITS, Said, ThumbHands

FOLK, CALLER, TREE, COUNT = FAMILIES = ("folk", "caller", "tree", "count")
DEPTHS = (1, 2, 3, 4)
_HONOURS = "AKQJT"
_MOST = 9                               # points for a card: beyond, nobody remembers


@dataclass(frozen=True)
class Rule:
    """One rule for one question."""

    name: str
    family: str
    size: int                           # how many things to remember: questions of a tree, numbers of a count
    spelled: str                        # the whole rule, as a term that every language has words for
    says: Callable[[ThumbHands], Sequence[tuple[float, Said]]]    # what, with which chance

    def cost(self, hands: ThumbHands, question: str) -> tuple[Floats, Floats]:
        """Returns the points lost on each class, and their standard errors: at most that with lots."""
        lost, error = np.zeros(len(hands)), np.zeros(len(hands))
        for chance, said in self.says(hands):
            values, errors = hands.cost(said, question)
            lost += chance * values
            error += chance * errors
        return lost, error

    def share(self, hands: ThumbHands, question: str) -> Floats:
        """Returns the chance, for each class, that it says the book's best call."""
        best = hands.rank[np.arange(len(hands)), hands.best(question)]
        found = np.zeros(len(hands))
        for chance, said in self.says(hands):
            found += chance * (hands.rank[np.arange(len(hands)), said] == best)
        return found


# --- what people say ---------------------------------------------------------------------------------


def _always(role: int) -> Callable[[ThumbHands], list[tuple[float, Said]]]:
    return lambda hands: [(1.0, np.full(len(hands), role))]


def _at_random(roles: Sequence[int]) -> Callable[[ThumbHands], list[tuple[float, Said]]]:
    return lambda hands: [(1 / len(roles), np.full(len(hands), role)) for role in roles]


def _longest_by_lot(hands: ThumbHands) -> list[tuple[float, Said]]:
    """Returns one of the longest suits; of k of them each is said with a chance of 1/k."""
    tied = (hands.lengths == hands.lengths[:, :1]).sum(axis=1)
    parts = np.lcm.reduce(np.unique(tied), initial=1)
    return [(1 / parts, part * tied // parts) for part in range(int(parts))]


def folk(question: str) -> Iterator[Rule]:
    """Yields the rules that need no book."""
    roles = range(len(CALLED)) if question == ANY else range(SUITS)
    yield Rule("random", FOLK, 0, f"lots-{question}", _at_random(roles))
    if question == ANY:
        yield Rule("always pass", FOLK, 0, "leave-always", _always(PASS))
    yield Rule("longest by lot", FOLK, 0, "longest-by-lot", _longest_by_lot)
    yield Rule("longest", FOLK, 1, "longest-highest", _always(0))
    strong = _Count(1, {"A": 1, "K": 1, "Q": 1})
    yield Rule("long and strong", FOLK, 2, f"long-and-strong({strong.spelled})", strong.says)
    high = _Count(0, {"A": 4, "K": 3, "Q": 2, "J": 1})
    yield Rule("A4 K3 Q2 J1", FOLK, 4, high.spelled, high.says)


def callers(question: str) -> Iterator[Rule]:
    """Yields the built-in callers."""
    yield Rule("caller longest", CALLER, 1, "caller-longest", _weighed(LONGEST, question))
    yield Rule("caller strongest", CALLER, 40, "caller-strongest", _weighed(STRONGEST, question))


def _weighed(weights: Weights, question: str) -> Callable[[ThumbHands], list[tuple[float, Said]]]:
    def says(hands: ThumbHands) -> list[tuple[float, Said]]:
        value = suit_values(weights, hands.held)
        said = value.argmax(axis=1)
        if question == ANY:
            said = np.where(value.max(axis=1) < weights.pass_below, PASS, said)
        return [(1.0, said)]

    return says


# --- point counts ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Count:
    """Points for each card of a suit and for its honours; a pass below so many, where one may pass."""

    length: int                         # for each card
    honours: dict[str, int]
    least: int | None = None

    def points(self, hands: ThumbHands) -> NDArray[np.int64]:
        """Returns the points of each suit, (n, 4)."""
        held = hands.held[:, :, [RANKS.index(rank) for rank in self.honours]]
        return np.asarray(self.length * hands.lengths + held @ np.array([*self.honours.values()], np.int64))

    def says(self, hands: ThumbHands) -> list[tuple[float, Said]]:
        """Returns the suit with most points, the first of equals in falling order."""
        return [(1.0, self.said(self.points(hands)))]

    def said(self, points: NDArray[np.int64]) -> Said:
        """Returns what suits of so many points make one say."""
        said = points.argmax(axis=1)
        if self.least is not None:
            said = np.where(points.max(axis=1) < self.least, PASS, said)
        return np.asarray(said)

    def near(self) -> Iterator[_Count]:
        """Yields the counts that differ by one."""
        for step in (1, -1):
            if 0 <= self.length + step <= _MOST:
                yield _Count(self.length + step, self.honours, self.least)
            for rank, worth in self.honours.items():
                if abs(worth + step) <= _MOST:
                    yield _Count(self.length, self.honours | {rank: worth + step}, self.least)
            if self.least is not None:
                yield _Count(self.length, self.honours, self.least + step)

    @property
    def spelled(self) -> str:
        """The count as a term."""
        told = [f"a-card({self.length})"] if self.length else []
        told += [f"a-{rank}({worth})" for rank, worth in self.honours.items() if worth]
        count = f"count({reduce(lambda before, after: f'and({before},{after})', told)})"
        return count if self.least is None else f"leave-below({count},{self.least})"


def counts(hands: ThumbHands, question: str) -> Iterator[Rule]:
    """Yields the best counts with length alone and with one honour more each, as far as they get better."""
    for honours in range(len(_HONOURS) + 1):
        found = _fitted(hands, question, _HONOURS[:honours])
        size = 1 + honours + (question == ANY)
        name = "count " + " ".join(["length", *_HONOURS[:honours]])
        yield Rule(name, COUNT, size, found.spelled, found.says)


def _fitted(hands: ThumbHands, question: str, honours: str) -> _Count:
    """Returns the count of these honours that costs least, as far as small steps find it."""
    exact, least = _regression(hands, question, honours)
    alike = _Alike(hands, honours)
    tried: dict[_Key, float] = {}

    def cost(count: _Count) -> float:
        key = (count.length, *count.honours.values(), count.least)
        if key not in tried:
            tried[key] = -alike.worth(count)
        return tried[key]

    best: _Count | None = None
    for scale in range(1, 6):
        unit = scale / exact[0]
        rounded = np.rint(exact * unit).astype(int).clip(-_MOST, _MOST)
        threshold = round(least * unit) if question == ANY else None
        count = _Count(int(rounded[0]), dict(zip(honours, rounded[1:].tolist(), strict=True)), threshold)
        while True:
            better = min(count.near(), key=cost)
            if cost(better) >= cost(count):
                break
            count = better
        # A larger scale has larger numbers to remember: it must earn them.
        if best is None or cost(count) < cost(best) - _WORTH_REMEMBERING:
            best = count
    assert best is not None
    return best


_WORTH_REMEMBERING = 2e-4               # points a deal
_Key = tuple[int | None, ...]


class _Alike:
    """Hands that are alike to every count of some honours, together."""

    def __init__(self, hands: ThumbHands, honours: str) -> None:
        held = hands.held[:, :, [RANKS.index(rank) for rank in honours]]
        told = np.concatenate([hands.lengths[:, :, None], held], axis=2).reshape(len(hands), -1)
        distinct, place = np.unique(told.astype(np.int8), axis=0, return_inverse=True)
        self.suits = distinct.reshape(len(distinct), SUITS, -1).astype(np.int64)
        share = hands.weights / hands.weights.sum()
        self.points = np.stack(
            [np.bincount(place.ravel(), share * np.nan_to_num(column)) for column in hands.points.T], axis=1
        )

    def worth(self, count: _Count) -> float:
        """Returns the mean of the points ahead over all hands when called by a count."""
        said = count.said(self.suits @ np.array([count.length, *count.honours.values()], np.int64))
        return float(self.points[np.arange(len(said)), said].sum())


def _regression(hands: ThumbHands, question: str, honours: str) -> tuple[Floats, float]:
    """Returns what a card more and each honour add to a suit's worth, and the length that is worth a pass."""
    from sklearn.linear_model import LinearRegression

    known = np.concatenate(
        [hands.lengths[:, :, None], hands.held[:, :, [RANKS.index(rank) for rank in honours]]], axis=2
    ).astype(np.float64)
    worth = hands.points[:, :SUITS]
    if question == ANY:
        worth = worth - hands.points[:, PASS:]
    else:                               # suits of one hand against each other
        known = known - known.mean(axis=1, keepdims=True)
        worth = worth - worth.mean(axis=1, keepdims=True)
    fit = LinearRegression(fit_intercept=question == ANY)
    fit.fit(known.reshape(-1, known.shape[2]), worth.ravel(), np.repeat(hands.weights, SUITS))
    return np.asarray(fit.coef_), -float(fit.intercept_)


# --- trees -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    """A number that a person reads off his hand, and what asks whether it is at least so much."""

    name: str                           # of the term, which holds the number or the rank
    of: Callable[[ThumbHands], NDArray[np.int64]]
    ranks: bool = False                 # the number is a rank
    one: str = ""                       # the term for the least there can be: 1, or a card at all

    def at_least(self, least: int) -> str:
        """Returns the question as a term."""
        if self.one and least <= (0 if self.ranks else 1):
            return self.one
        return f"{self.name}({f'rank-{RANKS[least]}' if self.ranks else least})"


def _top(suit: int, place: int = 0) -> Callable[[ThumbHands], NDArray[np.int64]]:
    """Returns what tells the highest (or next highest) rank of a suit; -1 where there is none."""

    def of(hands: ThumbHands) -> NDArray[np.int64]:
        ranks = np.where(hands.held[:, suit], np.arange(len(RANKS)), -1)
        return np.asarray(np.sort(ranks, axis=1)[:, -1 - place])

    return of


def _high(suits: slice, ranks: str) -> Callable[[ThumbHands], NDArray[np.int64]]:
    places = [RANKS.index(rank) for rank in ranks]
    return lambda hands: np.asarray(hands.held[:, suits][:, :, places].sum(axis=(1, 2)))


_QUESTIONS = (
    _Question("long-first", lambda hands: hands.lengths[:, 0]),
    _Question("long-second", lambda hands: hands.lengths[:, 1], one="any-second"),
    _Question("top-first", _top(0), ranks=True),
    _Question("next-first", _top(0, 1), ranks=True),
    _Question("top-second", _top(1), ranks=True, one="any-second"),
    _Question("next-second", _top(1, 1), ranks=True),
    _Question("top-third", _top(2), ranks=True, one="any-third"),
    _Question("AKQ-first", _high(slice(0, 1), "AKQ"), one="any-AKQ-first"),
    _Question("A-others", _high(slice(1, 4), "A"), one="any-A-others"),
    _Question("AK-others", _high(slice(1, 4), "AK"), one="any-AK-others"),
    _Question("AK", _high(slice(0, 4), "AK"), one="any-AK"),
    _Question("AKQJ", _high(slice(0, 4), "AKQJ"), one="any-AKQJ"),
)


@dataclass(frozen=True)
class _Node:
    """A question with the branches of no and yes; a branch is another question or the role to be said."""

    asked: int                          # the position in _QUESTIONS
    least: int
    no: _Node | int
    yes: _Node | int


def trees(hands: ThumbHands, question: str) -> Iterator[Rule]:
    """Yields the trees of each depth, as far as they get better.

    Each is grown twice, on what the calls are worth and on how far the best one is ahead; the cheaper stays.
    """
    asked = np.stack([each.of(hands) for each in _QUESTIONS], axis=1)
    distinct, place = np.unique(asked, axis=0, return_inverse=True)
    roles = len(CALLED) if question == ANY else SUITS
    worth = hands.points[:, :roles] - hands.points[:, :roles].min(axis=1, keepdims=True)
    ranked = np.sort(worth, axis=1)
    ahead = np.where(worth == ranked[:, -1:], ranked[:, -1:] - ranked[:, -2:-1], 0.0)
    grown: list[Floats] = [
        np.stack([np.bincount(place.ravel(), hands.weights * column) for column in told.T], axis=1)
        for told in (worth, ahead)
    ]
    distinct = distinct.astype(np.int64)
    for depth in DEPTHS:
        found = [_tree_rule(_grown(distinct, told, depth), depth) for told in grown]
        costs = [float(np.average(rule.cost(hands, question)[0], weights=hands.weights)) for rule in found]
        yield found[int(np.argmin(costs))]


def _grown(asked: NDArray[np.int64], worth: Floats, depth: int) -> _Node | int:
    """Returns the tree that scikit-learn grows on some hands, told once for each call with its worth."""
    from sklearn.tree import DecisionTreeClassifier

    size, roles = worth.shape
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    tree.fit(np.repeat(asked, roles, axis=0), np.tile(np.arange(roles), size), worth.ravel())
    parts = tree.tree_

    def branch(node: int) -> _Node | int:
        if parts.children_left[node] < 0:
            return int(tree.classes_[parts.value[node, 0].argmax()])
        least = int(np.floor(parts.threshold[node])) + 1
        no, yes = branch(parts.children_left[node]), branch(parts.children_right[node])
        return no if no == yes else _Node(int(parts.feature[node]), least, no, yes)

    return branch(0)


def _tree_rule(tree: _Node | int, depth: int) -> Rule:
    def says(hands: ThumbHands) -> list[tuple[float, Said]]:
        numbers = [each.of(hands) for each in _QUESTIONS]

        def said(node: _Node | int) -> Said:
            if isinstance(node, int):
                return np.full(len(hands), node)
            return np.where(numbers[node.asked] >= node.least, said(node.yes), said(node.no))

        return [(1.0, said(tree))]

    return Rule(f"tree of depth {depth}", TREE, _questions(tree), _spelled(tree), says)


def _questions(node: _Node | int) -> int:
    return 0 if isinstance(node, int) else 1 + _questions(node.no) + _questions(node.yes)


_DEEDS = ("first", "second", "third", "fourth", "leave")


def _spelled(node: _Node | int, *, within: bool = False) -> str:
    """Returns a tree as a term: `if(question,yes,no)`, in brackets within another."""
    if isinstance(node, int):
        return _DEEDS[node]
    asked = _QUESTIONS[node.asked].at_least(node.least)
    told = f"if({asked},{_spelled(node.yes, within=True)},{_spelled(node.no, within=True)})"
    return f"brackets({told})" if within else told
