"""Matches as Markov chains, against formulas, a plain recursion, and matches of the same odds."""

from __future__ import annotations

from functools import cache
from math import comb, sqrt

import numpy as np
import pytest

from courtpiece.chain import Chain, State, after
from courtpiece.errors import UsageError
from courtpiece.match import Match
from courtpiece.rules import Outcome, RuleSet, resolve

RESULTS = [(Outcome.CALLER_WIN, 0), (Outcome.DEFENDER_WIN, 1), (Outcome.CALLER_KOT, 0),
           (Outcome.DEFENDER_KOT, 1)]
CHANCES = np.array([0.5, 0.3, 0.15, 0.05])
START = State((0, 0))


def chain_of(rules: RuleSet) -> Chain:
    return Chain(rules, RESULTS, [START])


@pytest.mark.parametrize("target", [1, 2, 5, 9])
def test_a_race_between_equals_is_that_of_the_textbook(target: int) -> None:
    chain = chain_of(resolve("classic-no-kot", target=target))
    odds = chain.odds(np.array([0.5, 0.5, 0, 0]))
    start = chain.index[START]
    lengths = {n: 2 * comb(n - 1, target - 1) / 2**n for n in range(target, 2 * target)}
    mean = sum(n * chance for n, chance in lengths.items())
    squares = sum(n * n * chance for n, chance in lengths.items())
    left = odds.solve(np.ones(len(chain.states)))
    assert odds.won[start] == pytest.approx(0.5)
    assert left[start] == pytest.approx(mean)
    assert odds.visits(start).sum() == pytest.approx(mean)
    assert odds.solve(2 * left - 1)[start] == pytest.approx(squares)


@pytest.mark.parametrize("name", ["single-sir,streak=0", "hakim", "classic"])
def test_chances_are_those_of_a_plain_recursion_over_the_score(name: str) -> None:
    rules = resolve(name)
    assert rules.target is not None
    points = [rules.score_of(outcome, winner == 0) for outcome, winner in RESULTS]

    @cache
    def callers_win(ours: int, theirs: int) -> float:
        if rules.target is not None and ours >= rules.target:
            return 1.0
        if rules.target is not None and theirs >= rules.target:
            return 0.0
        chance = 0.0
        for (_, winner), worth, odds in zip(RESULTS, points, CHANCES, strict=True):
            if winner == 0:
                chance += odds * callers_win(ours + worth, theirs)
            else:                       # the winners call next
                chance += odds * (1 - callers_win(theirs + worth, ours))
        return chance

    chain = chain_of(rules)
    won = chain.odds(CHANCES).won
    for state, found in zip(chain.states, won, strict=True):
        ours, theirs = state.score if state.caller == 0 else state.score[::-1]
        expected = callers_win(ours, theirs)
        assert found == pytest.approx(expected if state.caller == 0 else 1 - expected, abs=1e-12)


@pytest.mark.parametrize("name", ["single-sir", "single-sir-kots", "single-sir,streak=3,target=7"])
def test_matches_of_the_same_odds_go_as_computed(name: str) -> None:
    rules = resolve(name)
    source = np.random.default_rng(8)
    games, won, deals = 3000, 0, []
    for _ in range(games):
        match = Match(rules, dealer=3)
        while match.winner is None:
            match.add(*RESULTS[source.choice(4, p=CHANCES)])
        won += match.winner == 0
        deals.append(match.deals)
    chain = chain_of(rules)
    odds = chain.odds(CHANCES)
    start = chain.index[START]
    assert odds.won[start] == pytest.approx(won / games, abs=4.5 * sqrt(0.25 / games))
    reach = 4.5 * float(np.std(deals)) / sqrt(games)
    assert odds.visits(start).sum() == pytest.approx(np.mean(deals), abs=reach)


def test_chances_may_depend_on_the_side_that_calls() -> None:
    chain = chain_of(resolve("classic-no-kot", target=4))
    # Side 0 wins every deal that it calls, and every other that it does not.
    odds = chain.odds(np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0]]))
    assert odds.won[chain.index[START]] == 1.0


def test_what_is_entered_first_is_entered_once() -> None:
    chain = chain_of(resolve("single-sir"))
    odds = chain.odds(CHANCES)
    ahead = chain.score[:, 0] - chain.score[:, 1] >= 3
    entered = odds.entered(chain.index[START], ahead)
    assert 0 < entered.sum() < 1
    assert not entered[~ahead].any()
    assert odds.entered(chain.index[START], np.ones(len(ahead), bool)).sum() == 1


def test_a_deal_that_wins_leads_to_its_winner() -> None:
    rules = resolve("single-sir", target=3)
    assert after(rules, State((2, 2)), (Outcome.CALLER_WIN, 0)) == 0
    assert after(rules, State((2, 2)), (Outcome.DEFENDER_WIN, 1)) == 1
    assert after(rules, State((2, 2), caller=1), (Outcome.CALLER_WIN, 0)) == 1
    assert after(rules, START, (Outcome.CALLER_WIN, 0)) == State((1, 0), (1, 0), 0)


def test_matches_without_end_are_refused() -> None:
    with pytest.raises(UsageError, match="without end"):
        chain_of(resolve("bavan"))
    endless = chain_of(resolve("single-sir", counting="kots", streak="off", kot="none"))
    with pytest.raises(UsageError, match="never end"):
        _ = endless.odds(np.array([0.6, 0.4, 0, 0])).won
    with pytest.raises(UsageError, match="worked out"):
        chain_of(resolve("single-sir", target=1000))
