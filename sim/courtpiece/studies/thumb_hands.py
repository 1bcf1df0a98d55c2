"""Classes of hands as a rule of thumb sees them, and what a book says their calls are worth."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from courtpiece.cards import RANKS
from courtpiece.stats import Estimates, Floats
from courtpiece.studies.book_hands import weighted
from courtpiece.studies.book_rows import CLASSES, ROLES

if TYPE_CHECKING:
    import polars as pl

Integers = NDArray[np.int64]
Said = NDArray[np.int64]                # of each class, the role of the call that a rule makes

SUITS, PASS = 4, ROLES.index("pass")
CALLED = (*ROLES[:SUITS], "pass")       # what rules of thumb may say: a suit by its place, or pass
ANY, SUIT = QUESTIONS = ("any", "suit")
ENOUGH = 200                            # classes, to fit something to half of them


class ThumbHands:
    """Arrays over n classes.  Suits are in falling order: the longest, among equals the higher, first.

    Suits that are held alike are one call: all of them have its worth.

    A book tells the best call from the next best, and not always which of two poor suits is the better one.
    So the best suit, where one must be called, is what the finest of all counts says, with a weight for every
    rank in suits of every length: fitted to every other class it names the suit of the classes between, and
    the other way round, so that luck does not choose.  (Boosted trees, far freer, find no better ones.)
    """

    def __init__(self, rows: pl.DataFrame) -> None:
        """`rows` has a row for each call of each class, by class and place."""
        numbers = rows["class"].to_numpy()
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        owner = np.repeat(np.arange(len(first)), np.diff(first, append=len(numbers)))
        self.weights = rows["weight"].to_numpy()[first].astype(np.float64)
        self.held = _held(rows["cards"].gather(first).to_list())
        shape = len(first), len(CALLED)
        self.points, self.errors = np.full(shape, np.nan), np.zeros(shape)
        self.behind_errors, self.rank = np.zeros(shape), np.full(shape, len(ROLES))
        role = rows["role"].to_physical().to_numpy().astype(np.int64)
        told = role < len(CALLED)
        where = owner[told], role[told]
        for table, name in ((self.points, "points_ahead"), (self.errors, "error"),
                            (self.behind_errors, "behind_error"), (self.rank, "rank")):
            table[where] = rows[name].to_numpy()[told]
        for suit in range(1, SUITS):    # suits held alike are told under the first of them
            alike = np.isnan(self.points[:, suit])
            for table in (self.points, self.errors, self.behind_errors, self.rank):
                table[alike, suit] = table[alike, suit - 1]
        self.best_suit = self._finest()

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def may_pass(self) -> bool:
        """True where the rules let eldest pass."""
        return bool(np.isfinite(self.points[:, PASS]).all())

    @property
    def questions(self) -> tuple[str, ...]:
        """What may be asked: which call, where one may pass; which suit, where one must be called."""
        return QUESTIONS if self.may_pass else (SUIT,)

    @cached_property
    def lengths(self) -> Integers:
        """(n, 4): how many cards of each suit."""
        return np.asarray(self.held.sum(axis=2), np.int64)

    def best(self, question: str) -> Said:
        """Returns the book's best call, or the best suit."""
        return np.asarray(self.rank.argmin(axis=1)) if question == ANY else self.best_suit

    def _finest(self) -> Said:
        """Returns the suit that the finest count says; of very few classes the one ruled out last."""
        from sklearn.linear_model import Ridge

        said = np.asarray(self.rank[:, :SUITS].argmin(axis=1))
        if len(self) < ENOUGH:
            return said
        known = np.concatenate(
            [self.held * (self.lengths == length)[:, :, None] for length in range(1, 6)], axis=2
        ).astype(np.float32)
        known -= known.mean(axis=1, keepdims=True)          # suits of one hand against each other
        worth = self.points[:, :SUITS] - self.points[:, :SUITS].mean(axis=1, keepdims=True)
        even = np.arange(len(self)) % 2 == 0
        for seen in (even, ~even):
            count = Ridge(fit_intercept=False)      # lengths no hand of a small book has leave it undecided
            count.fit(known[seen].reshape(-1, known.shape[2]), worth[seen].ravel(),
                      np.repeat(self.weights[seen], SUITS))
            said[~seen] = (known[~seen] @ count.coef_.astype(np.float32)).argmax(axis=1)
        return said

    def worth(self, said: Said) -> Floats:
        """Returns the points ahead of what is said, (n,)."""
        return np.asarray(self.points[np.arange(len(self)), said])

    def cost(self, said: Said, question: str) -> tuple[Floats, Floats]:
        """Returns the points lost against the book's best, (n,), and at most their standard errors.

        Where neither is the best call of all, the errors of the two suits are taken as independent, which is
        too careful, as they met the same deals.
        """
        every, best = np.arange(len(self)), self.best(question)
        lost = self.worth(best) - self.worth(said)
        paired = self.rank[every, best] == 0
        error = np.where(paired, self.behind_errors[every, said],
                         np.hypot(self.errors[every, best], self.errors[every, said]))
        same = self.rank[every, best] == self.rank[every, said]
        return np.where(same, 0.0, lost), np.where(same, 0.0, error)

    def mean(self, values: Floats, errors: Floats, *, chance: bool = False) -> Estimates:
        """Returns the mean over all hands, with its interval."""
        return weighted(values, errors, self.weights, chance=chance, all_of=max(CLASSES, len(self)))

    def part(self, members: NDArray[np.bool_]) -> ThumbHands:
        """Returns some of the classes."""
        found = object.__new__(ThumbHands)
        for name in ("weights", "held", "points", "errors", "behind_errors", "rank", "best_suit"):
            setattr(found, name, getattr(self, name)[members])
        return found


def _held(hands: list[str]) -> NDArray[np.bool_]:
    """Returns which ranks are held in each suit, (n, 4, 13), of canonical hands such as `AK5.2.9.`"""
    found = np.zeros((len(hands), SUITS, len(RANKS)), bool)
    rank_of = {rank: place for place, rank in enumerate(RANKS)}
    for number, hand in enumerate(hands):
        for suit, held in enumerate(hand.split(".")):
            for rank in held:
                found[number, suit, rank_of[rank]] = True
    return found
