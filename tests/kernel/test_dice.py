"""Random numbers: numpy's Philox bit for bit, and shuffles that favour no order."""

from __future__ import annotations

import itertools
import math
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from courtpiece._kernel import engine
from courtpiece.players import parse_built_in
from courtpiece.players.callers import kernel_caller
from courtpiece.rules import resolve
from courtpiece.table import RESULT, Table
from tests.kernel.test_differential import setup_of

WORD = st.integers(0, 2**64 - 1)


@given(key=st.tuples(WORD, WORD), counter=st.tuples(WORD, WORD, WORD, WORD))
def test_blocks_are_those_of_numpys_philox(key: tuple[int, int], counter: tuple[int, int, int, int]) -> None:
    # numpy steps the counter, a 256-bit number, before it makes a block
    number = sum(word << (64 * place) for place, word in enumerate(counter))
    before = np.random.Philox(key=key[0] + (key[1] << 64), counter=(number - 1) % 2**256)
    ours = engine.philox_block(np.array(key, np.uint64), *counter)
    assert ours.tolist() == before.random_raw(4).tolist()


def test_a_deal_depends_on_its_seed_stream_and_index_alone() -> None:
    table = Table("single-sir", "random")
    whole = table.trace(7, 0, 300, stream=3)
    for start, count in ((0, 1), (1, 99), (100, 200), (299, 1)):
        part = table.trace(7, start, count, stream=3)
        for name in ("hands", "words", "plays", "results"):
            np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[start : start + count])
    for seed, stream, start in ((8, 3, 0), (7, 4, 0), (7, 3, 1)):
        other = table.trace(seed, start, 300, stream=stream)
        assert (other.hands != whole.hands).any(axis=(1, 2)).all()


def test_indices_and_streams_reach_to_the_end_of_64_bits() -> None:
    table = Table("single-sir", "random")
    last = table.trace(1, 2**64 - 2, 2, stream=2**64 - 1)
    first = table.trace(1, 0, 1)
    assert (last.hands[0] != last.hands[1]).any()
    assert (last.hands[0] != first.hands[0]).any()


def test_every_card_falls_on_every_place_equally_often() -> None:
    deals = 60_000
    hands = Table("single-sir", "random").trace(11, 0, deals).hands.reshape(deals, 52)
    counts = np.zeros((52, 52), np.int64)
    for place in range(52):
        counts[place] = np.bincount(hands[:, place], minlength=52)
    # 51 * 51 degrees of freedom: rows and columns are fixed
    statistic = ((counts - deals / 52) ** 2 / (deals / 52)).sum()
    assert 1e-6 < stats.chi2.sf(statistic, 51 * 51) < 1 - 1e-6


def test_orders_of_three_cards_are_equally_frequent() -> None:
    deals = 60_000
    hands = Table("single-sir", "random").trace(12, 0, deals).hands.reshape(deals, 52)
    where = np.argsort(hands, axis=1)[:, [0, 25, 51]]       # the places of three cards
    order = np.argsort(where, axis=1)
    counts = [int((order == each).all(axis=1).sum()) for each in itertools.permutations(range(3))]
    assert sum(counts) == deals
    assert stats.chisquare(counts).pvalue > 1e-6


def test_eldest_holds_each_ace_as_often_as_combinatorics_says() -> None:
    deals = 60_000
    hands = Table("single-sir", "random").trace(13, 0, deals).hands
    aces = np.isin(hands[:, 0, :5], [12, 25, 38, 51]).sum(axis=1)
    expected = [deals * math.comb(4, k) * math.comb(48, 5 - k) / math.comb(52, 5) for k in range(5)]
    assert stats.chisquare(np.bincount(aces, minlength=5), expected).pvalue > 1e-6


def test_the_portable_build_gives_the_same_bits() -> None:
    portable = import_module("courtpiece._kernel.engine")
    key = np.array([1, 2], np.uint64)
    for rules in ("single-sir", "hidden-trump", "mendikot-band", "double-sir-house", "bavan"):
        for player in ("random", "simple", "greedy"):
            caller = kernel_caller(parse_built_in(player))
            out = [np.zeros(500, RESULT), np.zeros(500, RESULT)]
            for module, rows in zip((engine, portable), out, strict=True):
                setup = module.Setup(resolve(rules), [player] * 4, [caller, caller])
                module.play_deals(setup, key, 9, rows)
            np.testing.assert_array_equal(out[0], out[1])


def test_arrays_of_another_kind_are_refused() -> None:
    setup = setup_of(resolve("single-sir"))
    key = np.array([1, 2], np.uint64)
    with pytest.raises(ValueError, match="array of RESULT"):
        engine.play_deals(setup, key, 0, np.zeros(4, np.uint8))
    with pytest.raises(ValueError, match="array of RESULT"):
        engine.play_deals(setup, key, 0, np.zeros(8, RESULT)[::2])
    with pytest.raises(ValueError, match="two 64-bit words"):
        engine.play_deals(setup, np.zeros(3, np.uint64), 0, np.zeros(4, RESULT))
