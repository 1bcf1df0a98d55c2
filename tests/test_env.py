"""The PettingZoo environment: its own tests, the deals of the seeds, and nothing that a seat cannot see."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from courtpiece.cards import PACK, Card
from courtpiece.driver import Driver
from courtpiece.errors import CourtpieceError
from courtpiece.players import parse_lineup
from courtpiece.rules import RuleSet, preset_names, presets, resolve
from courtpiece.table import Table, seed_key
from tests.strategies import random_rule_set
from tests.test_view import exchanged, some_states, witnessed

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from courtpiece import env
from courtpiece.env import ACTIONS, AGENTS, LAYOUT, LENGTH, observation, raw_env

RULES = presets() | {
    "all extras": resolve("single-sir", extras=["swap-cards", "change-trump"]),
    "hidden, all extras": resolve("hidden-trump", extras=["swap-cards", "change-trump"]),
    "bavan, a claim lost at once": resolve("bavan", failed_claim="deal-lost"),
}

# Its own tests would rather see no dictionary, and no mask of a deal that is over.
IGNORED = ("Observation space for each agent", "Observation is not a NumPy", "Action mask numpy array is all")
pytestmark = [pytest.mark.filterwarnings(f"ignore:{text}") for text in IGNORED]

def play(table: raw_env, dice: random.Random, *, never: tuple[str, ...] = ()) -> dict[str, float]:
    """Plays the deal under way at random, and returns what each agent got for it."""
    got = dict.fromkeys(AGENTS, 0.0)
    for agent in table.agent_iter():
        seen, reward, over, _, _ = table.last()
        got[agent] += reward
        choices = [int(choice) for choice in np.flatnonzero(seen["action_mask"])]
        wanted = [choice for choice in choices if ACTIONS[choice] not in never]
        table.step(None if over else dice.choice(wanted))
    return got


@pytest.mark.parametrize("name", RULES)
def test_it_is_what_pettingzoo_expects(name: str) -> None:
    api_test(env.env(RULES[name]), num_cycles=60)
    seed_test(lambda: env.env(RULES[name]), num_cycles=30)


@pytest.mark.parametrize("name", [*preset_names()])
def test_the_deals_are_those_of_the_seed(name: str) -> None:
    table = raw_env(name)
    hands = Table(name, "random").trace(5, 3, 3).hands
    table.reset(seed=5, options={"index": 3})
    for row in range(3):
        assert [list(hand) for hand in table.deal.dealt] == hands[row].tolist()
        assert table.infos["seat_2"] == {"seed": 5, "index": 3 + row}
        table.reset()


def test_without_a_seed_deals_differ() -> None:
    tables = [raw_env(), raw_env()]
    for table in tables:
        table.reset()
    assert tables[0].deal.dealt != tables[1].deal.dealt


@pytest.mark.parametrize("name", RULES)
def test_rewards_are_what_the_match_counts_for_ones_side_less_the_other(name: str) -> None:
    table, dice = raw_env(RULES[name]), random.Random(name)
    table.reset(seed=1)
    for _ in range(12):
        got = play(table, dice)
        worth = table.deal.kots if name == "single-sir-kots" else table.deal.points
        assert got["seat_0"] == got["seat_2"] == worth[0] - worth[1]
        assert got["seat_1"] == got["seat_3"] == worth[1] - worth[0]
        table.reset()


@pytest.mark.parametrize("name", RULES)
def test_what_may_be_done_is_what_the_rules_allow(name: str) -> None:
    table, dice = raw_env(RULES[name]), random.Random(name)
    for index in range(2):
        table.reset(seed=9, options={"index": index})
        while table.deal.phase != "over":
            seat, deal = AGENTS.index(table.agent_selection), table.deal
            masks = [table.observe(agent)["action_mask"] for agent in AGENTS]
            assert [bool(mask.any()) for mask in masks] == [other == seat for other in range(4)]
            told = {ACTIONS[number] for number in np.flatnonzero(masks[seat])}
            if deal.phase == "play" and not told & {"stay", "claim"}:
                legal = {*map(str, deal.legal_cards()), *(["reveal"] if deal.can_reveal else [])}
                assert told == legal
            elif deal.phase == "call" and "swap" not in told:
                assert told == set(deal.legal_words())
            table.step(ACTIONS.index(dice.choice(sorted(told))))


def test_a_card_turned_up_as_nobody_called_is_the_one_of_the_seed() -> None:
    driver = Driver(resolve("single-sir"), parse_lineup("greedy/absent"))
    for index in range(10):
        deal = driver.start(4, seed_key(4), 0).play(index)
        table = raw_env("single-sir")
        table.reset(seed=4, options={"index": index})
        table.step(ACTIONS.index("timeout"))
        table.step(ACTIONS.index("timeout"))
        assert table.deal.words == deal.words


def test_extras_and_claims_are_asked_of_who_may() -> None:
    table = raw_env(RULES["all extras"])
    table.reset(seed=3)
    before = table.deal.dealt
    assert _choices(table) == ["swap", "stay"]
    table.step(ACTIONS.index("swap"))
    assert table.deal.dealt[0][:5] != before[0][:5]
    table.step(ACTIONS.index("pass"))
    table.step(ACTIONS.index("H"))
    assert table.agent_selection == "seat_2"
    assert _choices(table) == ["change S", "change D", "change C", "stay"]
    table.step(ACTIONS.index("change S"))
    assert (table.agent_selection, table.deal.trump) == ("seat_0", 0)

    table = raw_env("bavan")
    table.reset(seed=3)
    table.step(ACTIONS.index("S"))
    table.step(ACTIONS.index("stay"))
    assert table.agent_selection == "seat_1"
    table.step(ACTIONS.index("claim"))
    assert table.deal.claimer == 1
    assert set(_choices(table)) == {*map(str, table.deal.hands[0])}


def _choices(table: raw_env) -> list[str]:
    mask = table.observe(table.agent_selection)["action_mask"]
    return [ACTIONS[number] for number in np.flatnonzero(mask)]


# What a seat sees


def check_no_leak(rules: RuleSet, source: random.Random) -> int:
    """Redeals what each seat cannot see, and returns in how many ways its observation was found to stay."""
    found = 0
    for state in some_states(rules, source, 2):
        free = [card for card in PACK if card not in state.plays]
        for seat in range(4):
            before = witnessed(state, seat)[1]
            seen = observation(state.view(seat))
            for _ in range(6 if len(free) > 1 else 0):
                twin = exchanged(state, *source.sample(free, 2))
                if twin is not None and witnessed(twin, seat)[1] == before:
                    found += 1
                    again = observation(twin.view(seat))
                    assert np.array_equal(again, seen), (str(rules), state.dealt, state.words, state.plays)
    return found


@pytest.mark.parametrize("name", RULES)
def test_redealing_what_a_seat_cannot_see_leaves_its_observation(name: str) -> None:
    assert check_no_leak(RULES[name], random.Random(name)) > 10


def test_redealing_what_a_seat_cannot_see_leaves_its_observation_under_any_rules() -> None:
    source = random.Random(3)
    assert sum(check_no_leak(random_rule_set(source), source) for _ in range(15)) > 50


def test_an_observation_lies_in_its_space_and_tells_the_hand_and_the_table() -> None:
    space = raw_env().observation_space("seat_0")["observation"]  # type: ignore[index]
    source = random.Random(8)
    for _ in range(30):
        for state in some_states(random_rule_set(source), source, 1):
            for seat in range(4):
                view = state.view(seat)
                seen = observation(view)
                assert space.contains(seen)
                assert {Card(int(card)) for card in np.flatnonzero(seen[LAYOUT["hand"]])} == set(view.hand)
                table = seen[LAYOUT["table"]].reshape(4, 52)
                for place, card in enumerate(state.trick):
                    assert table[(state.leader + place - seat) % 4, card] == 1
                assert table.sum() == len(state.trick)
                played = seen[LAYOUT["played"]].reshape(4, 52)
                assert np.count_nonzero(played) == len(view.plays)
                ours = state.taken[seat % 2], state.taken[1 - seat % 2]
                assert tuple(seen[LAYOUT["taken"]]) == ours


def test_the_layout_covers_the_vector_once() -> None:
    places = [*LAYOUT.values()]
    assert places[0].start == 0
    assert places[-1].stop == LENGTH
    assert all(one.stop == other.start for one, other in pairwise(places))
    assert len(set(ACTIONS)) == len(ACTIONS) == 172


# Mistakes


def test_an_illegal_action_costs_the_most_and_ends_the_deal() -> None:
    table = env.env("bavan")
    table.reset(seed=1)
    table.step(ACTIONS.index("AS"))
    assert all(table.terminations.values())
    assert (table.rewards["seat_0"], table.rewards["seat_1"]) == (-82.0, 0.0)


def test_the_raw_environment_says_what_is_wrong() -> None:
    table = raw_env("hakim")
    table.reset(seed=1)
    with pytest.raises(CourtpieceError, match=r"seat_0 may not do AS here but: S, H, D, C$"):
        table.step(ACTIONS.index("AS"))
    with pytest.raises(CourtpieceError, match="may not do 172 here"):
        table.step(172)
    with pytest.raises(CourtpieceError, match="deals are numbered from 0"):
        table.reset(options={"index": -1})
    with pytest.raises(CourtpieceError, match='render_mode is None, human or ansi, not "rgb"'):
        raw_env(render_mode="rgb")


def test_a_deal_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    table = raw_env("hidden-trump", render_mode="ansi")
    table.reset(seed=1)
    play(table, random.Random(1), never=("timeout",))
    text = table.render()
    assert text is not None
    assert text.startswith("hidden-trump: ")
    assert str(table.deal.outcome) in text
    table = raw_env(render_mode="human")
    table.reset(seed=1)
    assert "> seat_0" in capsys.readouterr().out
