"""The study of rights: against deals played with the very policies, and against what chance alone does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from courtpiece._kernel import engine
from courtpiece.cards import Card
from courtpiece.errors import UsageError
from courtpiece.players import parse_lineup
from courtpiece.players.callers import ALWAYS, NEVER, STRONGEST, suit_values
from courtpiece.results import Run
from courtpiece.rules import Redeal, RuleSet, resolve
from courtpiece.run import run
from courtpiece.studies.options import Options, _surely_better
from courtpiece.studies.options_policies import (
    NO_VALUE,
    RIGHTS,
    ROUND_FIVE,
    Dealt,
    Seen,
    Subject,
    subjects,
)
from courtpiece.studies.options_tables import HALVES, _Hide, _Redeal, _Use
from courtpiece.studies.policies import holdings
from courtpiece.table import Table, seed_key
from courtpiece.verification import verify

DEALS = 3000
GREEDY = parse_lineup("greedy")
PASS, REVEAL, NONE = 4, 64, 255


def subject_of(right: str, rules: str | RuleSet) -> Subject:
    (found,) = subjects(resolve(rules), GREEDY, [right])
    return found


def seen_of(right: str, rules: str | RuleSet) -> list[Seen]:
    return list(subject_of(right, rules).seen(9, 0, DEALS))


def played(subject: Subject, setup: engine.Setup) -> tuple[Any, Any]:
    out = np.empty(DEALS, engine.RESULT)
    engine.play_deals(setup, seed_key(9), 0, out)
    return subject.points(out)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run("options", rules=["single-sir", "hidden-trump", "bavan"], deals=4000, seed=2, chunk=1500,
               jobs=2, out=tmp_path_factory.mktemp("options") / "run")


def test_values_of_hands_are_those_that_the_callers_call_and_pass_by() -> None:
    subject = subject_of("pass", "single-sir")
    deals = Dealt(subject, 9, 0, DEALS)
    words = deals.traced(subject.setup(cards=["random"] * 4))[1][:, 0]
    values = suit_values(STRONGEST, holdings(deals.five))
    passed = values.max(axis=1) < STRONGEST.pass_below
    assert 0 < passed.sum() < DEALS
    assert np.all((words == PASS) == passed)
    assert np.all(words[~passed] == values.argmax(axis=1)[~passed])


OFF: dict[str, tuple[str, dict[str, Any]]] = {
    "pass": ("single-sir", {"caller_may_pass": False}),
    "thirteenth": ("bavan", {"thirteenth": False}),
    "redeal": ("bavan", {"redeal": "off"}),
    "swap-cards": ("be-ranga,extras=[swap-cards]", {"extras": []}),
}


@pytest.mark.parametrize("right", OFF)
def test_a_right_never_used_leaves_the_deals_of_the_rules_without_it(right: str) -> None:
    rules, off = OFF[right]
    subject = subject_of(right, rules)
    never = played(subject, subject.setup(threshold=NEVER))
    without = played(subject, subject.setup(rules=subject.rules.replace(**off)))
    assert np.array_equal(never[0], without[0])
    assert np.array_equal(never[1], without[1])


@pytest.mark.parametrize(("right", "rules", "threshold"), [
    ("pass", "single-sir", 590), ("pass", "hidden-trump", 640), ("thirteenth", "bavan", 500),
    ("swap-cards", "mendikot", 580), ("swap-cards", "double-sir", 620),
])
def test_a_policy_comes_to_what_its_deals_come_to(right: str, rules: str, threshold: int) -> None:
    subject = subject_of(right, rules)
    (seen,) = seen_of(right, rules)
    policy, ended = played(subject, subject.setup(threshold=threshold))
    never, ended_too = played(subject, subject.setup(threshold=NEVER))
    used = seen.played & (seen.value < threshold)
    assert 0 < used.sum() < DEALS
    assert seen.more[used].sum() == (policy - never)[ended & ended_too].sum()


@pytest.mark.parametrize("limit", [Redeal.NO_CARD_ABOVE_TEN, Redeal.NO_CARD_ABOVE_NINE])
def test_deals_not_given_back_are_those_that_the_policy_plays(limit: Redeal) -> None:
    rules = resolve("bavan", redeal=limit)
    subject = subject_of("redeal", rules)
    (seen,) = seen_of("redeal", rules)
    for threshold in (560, ALWAYS):
        policy, ended = played(subject, subject.setup(threshold=threshold))
        kept = seen.value >= min(threshold, NO_VALUE)
        assert 0 < (~kept).sum() < DEALS / 5
        assert np.array_equal(kept, ended)
        assert np.array_equal(seen.more[kept], policy[kept])


def test_a_change_is_worth_what_the_deals_of_those_who_change_come_to() -> None:
    subject = subject_of("change-trump", "single-sir")
    (seen,) = seen_of("change-trump", "single-sir")
    may = seen.value < NO_VALUE
    changed, _ = played(subject, subject.setup())
    kept, _ = played(subject, subject.setup(rules=resolve("single-sir")))
    assert np.all(seen.value[may] <= 0)
    assert 0.3 < may.mean() < 0.6
    assert not (changed != kept)[~may].any()
    assert seen.more.sum() == (changed - kept).sum() > 0


@pytest.mark.parametrize("right", ["change-trump"])
def test_a_hidden_card_is_changed_for_one_of_the_five(right: str) -> None:
    subject = subject_of(right, "hidden-trump")
    (seen,) = seen_of(right, "hidden-trump")
    deals = Dealt(subject, 9, 0, DEALS)
    words = deals.traced(subject.setup(cards=["random"] * 4))[1]
    changed = (words >= 192) & (words != NONE)
    assert np.array_equal(changed.any(axis=1), seen.value < NO_VALUE)


def test_hidden_cards_are_compared_in_the_same_deals() -> None:
    lowest, second = seen_of("hide", "mendikot-band")
    subject = subject_of("hide", "mendikot-band")
    deals = Dealt(subject, 9, 0, DEALS)
    table = Table("mendikot-band", "greedy")
    suit = suit_values(STRONGEST, holdings(deals.five)).argmax(axis=1)
    rows = np.flatnonzero(lowest.more != 0)[:20].tolist()
    assert len(rows) == 20
    for row in rows:
        five = [Card(int(card)) for card in deals.five[row]]
        held = sorted(card for card in five if int(card.suit) == suit[row])
        assert lowest.value[row] == len(held)
        words = [f"hide {held[-1]}", f"hide {held[0]}", f"hide {held[-2]}"]
        (results,) = table.play_calls(five, words, 9, row, 1, stream=ROUND_FIVE)
        high, low, next_high = subject.points(results)[0]
        assert (lowest.more[row], second.more[row]) == (low - high, next_high - high)


def asked(cards: list[str], without: int) -> tuple[Any, Any, Any]:
    """Returns by play: whose it is, whether it is a reveal, whether it could have been one."""
    subject = subject_of("ask", "hidden-trump")
    setup = subject.setup(cards=cards, without=without)
    hands, _, plays, legal, _ = engine.trace_deals(setup, seed_key(9), 0, 500)
    owner = np.zeros((500, 65), np.int64)
    rows = np.arange(500)
    for seat in range(4):
        for at in range(13):
            owner[rows, hands[:, seat, at]] = seat
    told = plays.astype(np.int64)
    following = np.roll(told, -1, axis=1)
    card = np.where(told == REVEAL, following, told)
    seats = np.take_along_axis(owner, np.minimum(card, 64), axis=1)
    return np.where(told == NONE, -1, seats), told == REVEAL, (legal >> np.uint64(63)).astype(bool)


def test_who_never_asks_never_asks_and_who_asks_at_once_does() -> None:
    callers = ["ablated", "greedy"] * 2
    seats, reveals, could = asked(callers, 1 << 21)
    assert not (reveals & (seats % 2 == 0) & (seats >= 0)).any()
    assert (reveals & (seats % 2 == 1)).any()
    seats, reveals, could = asked(callers, 1 << 19)
    leads = np.zeros_like(reveals)
    number = np.cumsum(~reveals, axis=1) - ~reveals         # cards played before
    leads[:] = number % 4 == 0
    asking = could & (seats % 2 == 0) & (seats >= 0) & ~leads
    assert asking.any()
    assert reveals[asking].all()


def test_who_shows_on_a_lead_shows_as_soon_as_he_leads_with_a_trump() -> None:
    callers = ["ablated", "greedy"] * 2
    _, reveals, _ = asked(callers, 1 << 22)
    _, before, _ = asked(callers, 0)
    on_lead = [(told & ((np.cumsum(~told, axis=1) - ~told) % 4 == 0)).sum() for told in (reveals, before)]
    assert on_lead[0] > 100
    assert on_lead[1] == 0


def rows_of(seen: list[tuple[str, str, Any, Any]], deals: int) -> pl.DataFrame:
    """Returns a chunk's rows of (choice, against, value, more) by deal."""
    parts = []
    for choice, against, value, more in seen:
        table = pl.DataFrame({"value": value, "more": more, "half": np.array(HALVES)[np.arange(deals) % 2]})
        parts.append(table.group_by("half", "value").agg(
            deals=pl.len(), total=pl.col("more").sum(), squares=(pl.col("more") ** 2).sum(),
        ).with_columns(choice=pl.lit(choice), against=pl.lit(against),
                       value=pl.when(pl.col("value") < NO_VALUE).then("value")))
    return pl.concat(parts)


def measures(found: Any) -> dict[str, dict[str, Any]]:
    return {row["measure"]: row for row in found.summary()}


def test_what_is_only_chance_is_worth_nothing() -> None:
    subject, source = subject_of("pass", "single-sir"), np.random.default_rng(3)
    gains, held = [], 0
    for _ in range(200):
        value, more = source.integers(500, 540, 400), source.integers(-2, 3, 400)
        row = measures(_Use(subject, rows_of([("use", "unused", value, more)], 400)))["gain"]
        gains.append(row["value"])
        held += row["low"] <= 0 <= row["high"]
    # The best threshold on the deals that chose it would have gained about 0.07 a deal by chance.
    assert abs(np.mean(gains)) < 4 * np.std(gains) / 200**0.5
    assert np.std(gains) > 0.02
    assert held >= 180                  # of 200 at 95 %: below that once in 700 times


def test_the_threshold_that_gains_most_is_found_and_valued_on_the_other_half() -> None:
    subject, value = subject_of("pass", "single-sir"), np.tile(np.arange(500, 520), 200).repeat(2)
    more = np.where(value < 507, 1, -1)
    found = _Use(subject, rows_of([("use", "unused", value, more)], len(value)))
    assert found.policies()["policy"] == found.policies()["on_odd"] == "< 507"
    row = measures(found)
    assert row["gain"]["value"] == pytest.approx(7 / 20)
    assert row["used"]["value"] == pytest.approx(7 / 20)
    assert row["built-in"]["value"] == pytest.approx((7 - 13) / 20)     # passes below 605: always here
    assert row["over-built-in"]["value"] == pytest.approx(13 / 20)


def test_errors_of_a_redeal_are_those_of_the_bootstrap() -> None:
    subject = subject_of("redeal", "bavan")
    (seen,) = seen_of("redeal", "bavan")
    found = _Redeal(subject, rows_of([("keep", "unused", seen.value, seen.more)], DEALS))
    row = measures(found)["gain"]
    source, drawn = np.random.default_rng(1), []
    for _ in range(400):
        at = source.choice(np.arange(1, DEALS, 2), DEALS // 2)
        kept = seen.value[at] >= found.best
        drawn.append(seen.more[at][kept].mean() - seen.more[at].mean())
    assert row["value"] == pytest.approx(np.mean(drawn), abs=4 * float(np.std(drawn)) / 20)
    assert row["standard_error"] == pytest.approx(np.std(drawn), rel=0.15)


def test_what_is_said_of_a_policy_comes_from_deals_that_had_no_part_in_choosing_it() -> None:
    subject, value = subject_of("pass", "single-sir"), np.tile(np.arange(500, 520), 200).repeat(2)
    more = np.where(value < 507, 1, -1)
    more[1::2] = -1                     # so say the odd deals
    found = _Use(subject, rows_of([("use", "unused", value, more)], len(value)))
    assert (found.policies()["policy"], found.policies()["on_odd"]) == ("< 507", "never")
    row = measures(found)
    assert row["gain"]["value"] == pytest.approx(-7 / 20)
    assert row["used"]["value"] == pytest.approx(7 / 20)
    assert row["gain"]["n"] == len(value) // 2


def test_a_policy_that_is_hardly_ever_used_is_not_said_to_be_worth_nothing() -> None:
    subject, value = subject_of("pass", "single-sir"), np.full(2000, 700)
    value[:16], more = 400, np.zeros(2000, int)
    more[:16] = 3
    found = _Use(subject, rows_of([("use", "unused", value, more)], len(value)))
    row = measures(found)
    assert row["gain"]["value"] == pytest.approx(3 * 8 / 1000)
    assert row["gain"]["high"] == row["over-built-in"]["high"] == np.inf
    same = found.compare(401, 401, found.halves)
    assert same["low"] == same["high"] == 0


def test_the_best_card_to_hide_may_depend_on_how_many_there_are() -> None:
    subject, value = subject_of("hide", "hidden-trump"), np.tile([2, 3, 4, NO_VALUE], 100).repeat(2)
    lowest, second = np.where(value == 2, 1, -1), np.where(value == 3, 2, -1)
    lowest[value == NO_VALUE] = second[value == NO_VALUE] = 0
    found = _Hide(subject, rows_of([("lowest", "built-in", value, lowest),
                                    ("second", "built-in", value, second)], len(value)))
    assert found.policies()["policy"] == "2:2 3:2 4:1 5:1"
    assert found.policies()["own_policy"] == "2:1 3:1 4:1 5:1"
    assert measures(found)["over-built-in"]["value"] == pytest.approx((1 + 2) / 4)


def test_every_right_is_looked_at_where_it_is(done: Run) -> None:
    there = {name: set(rows["right"].cast(str)) for (name,), rows in
             done.tables["policies"].partition_by("rules", as_dict=True).items()}
    assert there["single-sir"] == {"pass"}
    assert there["hidden-trump"] == {"pass", "hide", "ask", "ask-defending"}
    assert there["bavan"] == {"redeal", "thirteenth"}
    for name in ("single-sir", "hidden-trump", "bavan"):
        assert there[f"{name},extras=[swap-cards]"] == {"swap-cards"}
        assert there[f"{name},extras=[change-trump]"] == {"change-trump"}
    assert set().union(*there.values()) == set(RIGHTS)


def test_gains_add_up(done: Run) -> None:
    for row in done.tables["policies"].filter(pl.col("right") != "redeal").drop_nulls("gain").to_dicts():
        assert row["gain"] == pytest.approx(row["built_in"] + row["over_built_in"], abs=1e-9)


def test_one_lucky_policy_of_many_is_not_called_better() -> None:
    rights = ["pass"] * 20
    policies = pl.DataFrame({
        "right": rights, "over_built_in": [0.011, 0.02, *[0.0] * 18], "over_built_in_half_width": [0.01] * 20,
    })
    assert _surely_better(policies)["over_built_in"].to_list() == [0.02]


def test_the_answer_looks_at_all_rights_of_the_first_rule_set(done: Run) -> None:
    gains = done.tables["policies"].filter(pl.col("rules").cast(str).str.starts_with("single-sir"))
    assert gains.sort("gain", descending=True)["right"][0] == "change-trump"
    assert "Of the rights under single-sir, that of the change of trump is worth most" in done.answer()[0]


def test_asking_is_worth_most_of_a_hidden_trump_and_the_players_know_how(done: Run) -> None:
    row = done.tables["policies"].filter(right="ask").row(0, named=True)
    assert row["gain"] - row["gain_half_width"] > 0.3
    assert row["built_in"] > 0.3


def test_a_curve_ends_where_the_right_is_always_used(done: Run) -> None:
    curve = done.tables["curves"].filter(rules="single-sir", right="pass").sort("threshold")
    (seen,) = subject_of("pass", "single-sir").seen(2, 0, 4000)
    assert curve["value"][0] == 0
    assert curve["value"][-1] == pytest.approx(seen.more[seen.played].mean())


def test_chunks_and_jobs_change_no_table(done: Run, tmp_path: Path) -> None:
    other = run("options", rules=["single-sir", "hidden-trump", "bavan"], deals=4000, seed=2, chunk=10**6,
                jobs=1, out=tmp_path / "other")
    for name, table in done.tables.items():
        assert table.equals(other.tables[name], null_equal=True), name
    assert verify(done.path).problems == ()


def test_batches_inside_a_chunk_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    study = Options()
    p = study.parameters({"rules": "hidden-trump"})
    whole = study.chunk(p, 100, 700)
    monkeypatch.setattr("courtpiece.studies.options._BATCH", 137)
    assert study.chunk(p, 100, 700).equals(whole)


def test_the_page_names_the_rights_in_words(done: Run) -> None:
    page = done.report().read_text(encoding="utf-8")
    for text in ("swap of cards", "asking (defenders)", "Of the rights under single-sir"):
        assert text in page


@pytest.mark.parametrize(("given", "line"), [
    ({"right": "pas"}, 'right: must be one of .*, not "pas".*did you mean "pass"'),
    ({"right": "redeal", "rules": "single-sir"}, "right: none of redeal is one under these rules"),
    ({"players": "greedy/absent", "rules": "single-sir"}, "players: greedy/absent cannot be given policies"),
    ({"players": "double-dummy", "rules": "single-sir"}, "players: double-dummy cannot be given policies"),
])
def test_what_cannot_be_asked_is_refused_in_one_line(given: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError, match=line):
        Options().parameters(given)
