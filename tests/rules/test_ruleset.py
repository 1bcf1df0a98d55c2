"""The rule set as a value: what is legal, what is refused and why, the canonical line."""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
import tomllib
from collections import Counter
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtpiece.errors import RulesError
from courtpiece.rules import Counting, Extra, Kot, Objective, Outcome, PileBlock, RuleSet, Trump, resolve
from tests.strategies import legal_rule_sets, random_options, refusal

# The options in the table's order with their defaults (RULES section 1), written out a second time.
DEFAULTS: dict[str, Any] = {
    "direction": "anticlockwise",
    "first_caller": "highest-card",
    "draw_tie": "all-redraw",
    "trump": "called",
    "caller_may_pass": False,
    "uncalled": "none",
    "redeal": "off",
    "thirteenth": False,
    "reveal": "on-request",
    "revealer_must_trump": True,
    "reveal_scope": "from-reveal",
    "reveal_on_lead": True,
    "first_lead": "eldest",
    "collection": "each-trick",
    "pile_blocks": (),
    "blocked_run": "continues",
    "deal_ends": "at-seven",
    "objective": "tricks",
    "kot": "first-seven",
    "score": (1, 2, 3, 4),
    "counting": "points",
    "streak": 0,
    "streak_bonus": 2,
    "claim": 0,
    "failed_claim": "no-effect",
    "kot_moves_call": True,
    "target": 10,
    "extras": (),
}


def is_legal(given: dict[str, Any]) -> bool:
    """The constraints of the table of options, sentence by sentence."""
    o = DEFAULTS | given
    refused = [
        o["collection"] == "pile" and o["kot"] == "first-seven",
        o["collection"] == "pile" and o["deal_ends"] == "at-seven",
        o["kot"] == "all-thirteen" and o["deal_ends"] == "at-seven",
        o["objective"] == "tens" and o["deal_ends"] != "after-thirteen",
        o["caller_may_pass"] and o["trump"] == "first-void",
        o["uncalled"] != "none" and o["trump"] == "first-void",
        o["redeal"] != "off" and o["trump"] != "called",
        o["thirteenth"] and o["trump"] != "called",
        o["reveal"] != "on-request" and o["trump"] != "hidden",
        not o["revealer_must_trump"] and o["trump"] != "hidden",
        o["reveal_scope"] != "from-reveal" and o["trump"] != "hidden",
        not o["reveal_on_lead"] and o["trump"] != "hidden",
        "change-trump" in o["extras"] and o["trump"] == "first-void",
        "change-trump" in o["extras"] and o["objective"] == "tens",
        o["claim"] not in ("off", 0) and o["kot"] != "all-thirteen",
    ]
    return not any(refused)


def reasons_of(**options: Any) -> tuple[str, ...]:
    """The reasons for which a rule set is refused; fails when it is not."""
    with pytest.raises(RulesError) as caught:
        RuleSet(**options)
    return caught.value.reasons


def test_the_options_and_their_defaults_are_those_of_the_table() -> None:
    assert {option.name: getattr(RuleSet(), option.name) for option in fields(RuleSet)} == DEFAULTS
    assert [option.name for option in fields(RuleSet)] == list(DEFAULTS)


def test_exactly_the_combinations_of_the_table_are_legal() -> None:
    source = random.Random(1)
    judged: Counter[bool] = Counter()
    for _ in range(4000):
        options = random_options(source)
        assert (refusal(RuleSet, **options) is None) == is_legal(options), options
        judged[is_legal(options)] += 1
    assert min(judged.values()) > 500


def test_each_reason_names_two_options_and_what_it_asks_for_removes_it() -> None:
    source = random.Random(2)
    for _ in range(1000):
        options = random_options(source)
        for reason in getattr(refusal(RuleSet, **options), "reasons", ()):
            ((complaint, other, rights),) = re.findall(r"^(.+ needs (\w+)) = (.+), not .+$", reason)
            assert complaint.split()[0] in DEFAULTS
            for right in re.findall(r'"(.+?)"', rights):
                left = refusal(RuleSet, **options | {other: right})
                assert left is None or not any(again.startswith(complaint) for again in left.reasons)


@settings(max_examples=200)
@given(legal_rule_sets())
def test_the_canonical_line_gives_the_rule_set_back(rules: RuleSet) -> None:
    line = str(rules)
    assert "\n" not in line
    assert RuleSet.from_string(line) == rules == resolve(line)
    assert str(RuleSet.from_string(line)) == line


@given(legal_rule_sets())
def test_a_rule_set_survives_json_pickle_and_copying(rules: RuleSet) -> None:
    assert resolve(json.loads(json.dumps(rules.to_dict()))) == rules
    for twin in (pickle.loads(pickle.dumps(rules)), copy.deepcopy(rules), RuleSet(**vars(rules))):
        assert twin == rules
        assert hash(twin) == hash(rules)
        assert twin.trump is rules.trump


@settings(max_examples=150)
@given(legal_rule_sets(), legal_rule_sets())
def test_a_difference_is_what_turns_the_one_into_the_other(rules: RuleSet, base: RuleSet) -> None:
    assert base.replace(**rules.difference(base)) == rules
    assert not rules.difference(rules)


@given(legal_rule_sets())
def test_values_are_members_of_their_enumerations_however_they_were_given(rules: RuleSet) -> None:
    for option in fields(RuleSet):
        value = getattr(rules, option.name)
        assert option.metadata["read"](value) == value
        assert type(option.metadata["read"](value)) is type(value)


def test_the_line_lists_what_differs_from_the_defaults_in_the_tables_order() -> None:
    given = {"target": None, "uncalled": "blind-stock", "trump": "hidden", "pile_blocks": [12, "trump-ace"]}
    rules = resolve(given)
    assert str(rules) == "trump=hidden,uncalled=blind-stock,pile_blocks=[trump-ace,12],target=none"
    assert str(RuleSet()) == "defaults"
    assert RuleSet.from_string("defaults") == RuleSet.from_string("") == RuleSet()


def test_the_order_of_lists_does_not_matter() -> None:
    blocks = resolve("double-sir", pile_blocks=[12, "trump-ace", 3, "ace-on-ace"]).pile_blocks
    assert blocks == (PileBlock.ACE_ON_ACE, PileBlock.TRUMP_ACE, 3, 12)
    assert resolve("single-sir", extras={"change-trump", "swap-cards"}).extras == tuple(Extra)


def test_a_rule_set_is_frozen_and_hashable() -> None:
    with pytest.raises(FrozenInstanceError):
        RuleSet().trump = Trump.HIDDEN  # type: ignore[misc]
    assert len({RuleSet(), RuleSet(), RuleSet(trump=Trump.HIDDEN)}) == 2


# --- refusals ---------------------------------------------------------------------------------------


def test_all_reasons_come_at_once() -> None:
    assert reasons_of(
        trump="first-void", redeal="off", thirteenth=True, extras=["change-trump"], claim=82
    ) == (
        'thirteenth = true needs trump = "called", not "first-void"',
        'extras with "change-trump" needs trump = "called" or "hidden", not "first-void"',
        'claim = 82 needs kot = "all-thirteen", not "first-seven"',
    )


def test_unreadable_values_and_broken_constraints_come_together_without_guesses() -> None:
    assert reasons_of(
        kot="none", objective="tenz", claim=82, collection="pile", streak=-1, score={"whitewash": 5}
    ) == (
        'objective must be "tricks" or "tens", not "tenz" (did you mean "tens"?)',
        'streak must be a whole number from 0 up or "off", not -1',
        'collection = "pile" needs deal_ends = "at-seven-unless-shutout" or "after-thirteen", not "at-seven"',
        'claim = 82 needs kot = "all-thirteen", not "none"',
    )


BLOCKS = '"ace-on-ace", "trump-ace" or a trick number 1 to 12'
MODES = '"called", "hidden" or "first-void"'
ROWS = "caller_win, defender_win, caller_kot, defender_kot"
KOT = ' (did you mean "caller_kot"?)'
BAD_VALUES = [
    ("trump", "hiden", f'trump must be {MODES}, not "hiden" (did you mean "hidden"?)'),
    ("trump", 3, f"trump must be {MODES}, not 3"),
    ("trump", True, f"trump must be {MODES}, not true"),
    ("trump", None, f'trump must be {MODES}, not "none"'),
    ("trump", ["called"], f'trump must be {MODES}, not ["called"]'),
    ("thirteenth", 1, "thirteenth must be true or false, not 1"),
    ("thirteenth", "true", 'thirteenth must be true or false, not "true"'),
    ("target", True, 'target must be a whole number from 1 up or "none", not true'),
    ("target", 0, 'target must be a whole number from 1 up or "none", not 0'),
    ("target", -3, 'target must be a whole number from 1 up or "none", not -3'),
    ("target", 5.0, 'target must be a whole number from 1 up or "none", not 5.0'),
    ("target", "5", 'target must be a whole number from 1 up or "none", not "5"'),
    ("target", 10**12, 'target must be a whole number from 1 to 10000 or "none", not 1000000000000'),
    ("streak", False, 'streak must be a whole number from 0 up or "off", not false'),
    ("streak", 0.0, 'streak must be a whole number from 0 up or "off", not 0.0'),
    ("streak_bonus", -1, "streak_bonus must be a whole number from 0 up, not -1"),
    ("claim", -82, 'claim must be a whole number from 1 up or "off", not -82'),
    ("claim", "none", 'claim must be a whole number from 1 up or "off", not "none"'),
    ("pile_blocks", "trump-ace", f'pile_blocks must be a list of {BLOCKS}, not "trump-ace"'),
    ("pile_blocks", 11, f"pile_blocks must be a list of {BLOCKS}, not 11"),
    ("pile_blocks", [13], f"pile_blocks may hold {BLOCKS}, not 13"),
    ("pile_blocks", [0], f"pile_blocks may hold {BLOCKS}, not 0"),
    ("pile_blocks", ["11"], f'pile_blocks may hold {BLOCKS}, not "11"'),
    ("pile_blocks", [True], f"pile_blocks may hold {BLOCKS}, not true"),
    ("pile_blocks", [[2]], f"pile_blocks may hold {BLOCKS}, not [2]"),
    ("pile_blocks", [11, 11], "pile_blocks holds 11 twice"),
    ("pile_blocks", ["trump-ace", 2, "trump-ace"], 'pile_blocks holds "trump-ace" twice'),
    (
        "pile_blocks",
        ["trump-ice"],
        f'pile_blocks may hold {BLOCKS}, not "trump-ice" (did you mean "trump-ace"?)',
    ),
    (
        "extras",
        ["swap-card"],
        'extras may hold "swap-cards" or "change-trump", not "swap-card" (did you mean "swap-cards"?)',
    ),
    ("extras", None, 'extras must be a list of "swap-cards" or "change-trump", not "none"'),
    ("score", [1, 2, 3], "score must be four whole numbers from 0 up, not [1, 2, 3]"),
    ("score", [1, 2, 3, -4], "score must be four whole numbers from 0 up, not [1, 2, 3, -4]"),
    ("score", [1, 2, 3, True], "score must be four whole numbers from 0 up, not [1, 2, 3, true]"),
    ("score", [1, 2, 3, 4.0], "score must be four whole numbers from 0 up, not [1, 2, 3, 4.0]"),
    ("score", [1, 2, 3, 10_001], "score must be four whole numbers from 0 to 10000, not [1, 2, 3, 10001]"),
    ("score", 7, "score must be four whole numbers or a table of its rows, not 7"),
    ("score", "1234", 'score must be four whole numbers or a table of its rows, not "1234"'),
    ("score", {"caller_win": -1}, "score caller_win must be a whole number from 0 up, not -1"),
    ("score", {"caller_win": False}, "score caller_win must be a whole number from 0 up, not false"),
    ("score", {"whitewash": 1}, f'score has no row "whitewash" when objective = "tricks"; rows are {ROWS}'),
    (
        "score",
        {"caller_kto": 1},
        f'score has no row "caller_kto" when objective = "tricks"; rows are {ROWS}{KOT}',
    ),
]


@pytest.mark.parametrize(("option", "value", "reason"), BAD_VALUES)
def test_a_bad_value_gets_one_clear_reason(option: str, value: object, reason: str) -> None:
    assert reasons_of(**{option: value}) == (reason,)


def test_an_unknown_option_suggests_the_nearest() -> None:
    with pytest.raises(RulesError) as caught:
        resolve("single-sir", colection="pile", xyzzy=1)
    assert caught.value.reasons == (
        'there is no option "colection" (did you mean "collection"?)',
        'there is no option "xyzzy"',
    )


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5),
       st.sampled_from(list(DEFAULTS)))  # fmt: skip
def test_any_value_at_all_is_read_or_refused_in_one_short_line(value: object, option: str) -> None:
    error = refusal(RuleSet, **{option: value})
    if error:
        assert "\n" not in str(error)
        assert all(len(reason) < 300 for reason in error.reasons)


# --- what depends on another option -----------------------------------------------------------------


def test_the_score_follows_the_objective_unless_given() -> None:
    tens = resolve("classic", objective="tens", deal_ends="after-thirteen")
    assert tens.score == (1, 1, 2, 3)
    assert resolve("classic", objective="tricks").score == (1, 1, 2, 2)
    assert resolve(tens, objective="tricks", score={"caller_kot": 9}).score == (1, 2, 9, 4)
    assert RuleSet(objective=Objective.TENS, deal_ends="after-thirteen").score == (1, 1, 2, 3)  # type: ignore[arg-type]


def test_a_score_table_changes_only_its_rows() -> None:
    assert resolve("bavan", score={"defender_kot": 50}).score == (7, 7, 13, 50)
    assert resolve("mendikot,score.two_tens=0").score == (1, 0, 2, 3)
    assert resolve("mendikot,score.two_tens=0,score.whitewash=9").score == (1, 0, 2, 9)


def test_the_streak_bonus_follows_the_counting_and_no_preset_freezes_it() -> None:
    assert resolve("single-sir").streak_bonus == 2
    assert resolve("single-sir", counting="kots").streak_bonus == 1
    assert resolve("single-sir-kots").streak_bonus == 1
    assert resolve("single-sir-kots", counting="points").streak_bonus == 2
    assert resolve("single-sir", counting="kots", streak_bonus=2).streak_bonus == 2
    assert resolve(resolve("single-sir", streak_bonus=5), streak=6).streak_bonus == 5


# --- points and kots --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "outcome", "callers", "points", "kots"),
    [
        ("single-sir", Outcome.CALLER_WIN, True, 1, 0),  # S0.20
        ("single-sir", Outcome.DEFENDER_WIN, False, 2, 0),  # S0.21
        ("single-sir", Outcome.CALLER_KOT, True, 3, 1),  # S0.22
        ("single-sir", Outcome.DEFENDER_KOT, False, 4, 3),  # S0.23
        ("classic", Outcome.DEFENDER_KOT, False, 2, 3),  # S2.27
        ("hakim", Outcome.DEFENDER_KOT, False, 3, 3),  # S3.25
        ("mendikot", Outcome.THREE_TENS, False, 1, 0),  # S0.86
        ("mendikot", Outcome.TWO_TENS, True, 1, 0),  # A42
        ("mendikot", Outcome.FOUR_TENS, True, 2, 1),  # S0.87
        ("mendikot", Outcome.WHITEWASH, False, 3, 3),  # S0.88
        ("bavan", Outcome.CALLER_KOT, True, 13, 1),  # S4.30
        ("bavan", Outcome.DEFENDER_KOT, False, 52, 3),  # S4.31
        ("bavan", Outcome.CLAIM_MADE, True, 82, 1),  # S4.32
        ("bavan", Outcome.CLAIM_MADE, False, 82, 3),
        ("bavan", Outcome.REDEAL, True, 0, 0),
    ],
)
def test_a_result_scores_its_row(
    preset: str, outcome: Outcome, callers: bool, points: int, kots: int
) -> None:
    rules = resolve(preset)
    assert rules.score_of(outcome, callers) == points
    assert rules.kots_of(outcome, callers) == kots


def test_outcomes_keep_their_order() -> None:
    assert list(Outcome) == [
        "caller-win", "defender-win", "caller-kot", "defender-kot", "three-tens", "two-tens", "four-tens",
        "whitewash", "claim-made", "redeal",
    ]  # fmt: skip


def test_every_alternative_says_what_it_means() -> None:
    for option in fields(RuleSet):
        assert option.metadata["doc"]
        assert option.metadata["cites"]
    for kind in (Trump, Kot, Counting, Extra, PileBlock):
        assert all(member.doc for member in kind)


def test_a_line_is_valid_toml_of_its_strings_when_quoted() -> None:
    rules = resolve("bavan")
    text = "\n".join(
        f"{name} = {json.dumps(value)}" for name, value in rules.to_dict().items() if name != "score"
    )
    assert resolve(tomllib.loads(text) | {"score": rules.to_dict()["score"]}) == rules
