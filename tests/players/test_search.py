"""Players that think: their beliefs against an oracle that replays deals, their walks against enumeration."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from scipy.stats import chisquare

from courtpiece import Card, Deal, Table, View, built_in
from courtpiece.cards import PACK, parse_cards
from courtpiece.deal import FIRST_CARDS
from courtpiece.errors import RecordError, UsageError
from courtpiece.match import Match
from courtpiece.players import parse_player
from courtpiece.players.search import (
    MATE_SLIP,
    RIVAL_SLIP,
    Moment,
    Pimc,
    Sampled,
    Weighed,
    _free,
    _weighed,
    best_word,
)
from courtpiece.players.stakes import OUTCOMES, fresh_deal, match_worths, point_worths
from courtpiece.rules import Outcome, RuleSet, Trump, preset_names, resolve
from courtpiece.table import RESULT
from courtpiece.words import REVEAL
from tests.strategies import random_rule_set

KEY = np.array([1, 2], np.uint64)


def dealt(rules: RuleSet, source: random.Random) -> Deal:
    pack = list(PACK)
    source.shuffle(pack)
    return Deal(rules, [pack[13 * seat : 13 * seat + 13] for seat in range(4)])


def played_on(deal: Deal, source: random.Random, cards: int, *, astray: float = 0.1) -> Deal:
    """Says and plays on as `greedy`, but for a step now and then, until so many cards lie on the table."""
    greedy = built_in("greedy")
    while deal.phase == "call":
        words = deal.legal_words()
        deal.say(source.choice(words) if deal.awaits_blind else greedy.call(deal.view(deal.turn)))
    while deal.phase == "play" and sum(isinstance(play, Card) for play in deal.plays) < cards:
        view = deal.view(deal.turn)
        answer = greedy.play(view)
        if source.random() < astray:
            answer = source.choice(view.legal_cards)
        deal.reveal() if answer == "reveal" else deal.play(answer)
    return deal


def decisions(seed: int, count: int) -> Iterator[tuple[Deal, View]]:
    """Yields views of seats in turn that have a choice, in random rule sets, and the deals they are of."""
    source = random.Random(seed)
    while count:
        deal = played_on(dealt(random_rule_set(source), source), source, source.randrange(48))
        if deal.phase == "play" and len(deal.legal_cards()) > 1:
            count -= 1
            yield deal, deal.view(deal.turn)


# Beliefs


def cards_of(cards: int) -> list[Card]:
    return [card for card in PACK if cards >> card & 1]


def replayed(deal: Deal, world: Sampled, place: int) -> Deal:
    """The deal of a world before anything was said."""
    assert world.fives is not None
    hands = []
    for seat in range(4):
        held = {card for play in deal.view(seat).plays if play.seat == seat for card in [play.card]}
        held.update(cards_of(int(world.hands[place, seat])))
        hidden = int(world.face_down[place])
        if seat == deal.hider and hidden < 52:
            held.add(Card(hidden))
        five = cards_of(int(world.fives[place, seat]))
        rest = sorted(held - set(five))
        if "thirteenth" in deal.words and seat == 0:
            rest.sort(key=lambda card: card is deal.dealt[0][-1])
        hands.append([*five, *rest])
    return Deal(deal.rules, hands)


def likelihood(deal: Deal, view: View, world: Sampled, place: int) -> float | None:
    """How likely a world makes what the others did, by replaying it; None where greedy's card is not told."""
    greedy, likely = built_in("greedy"), 1.0
    twin = replayed(deal, world, place)
    hidden = int(world.face_down[place])
    card = Card(hidden) if hidden < 52 else view.shown.card if view.shown is not None else None
    words = list(deal.words)
    for number, word in enumerate(words):
        verb, _, what = word.partition(" ")
        if what and deal.rules.trump is Trump.HIDDEN and number == len(words) - 1:
            word = f"{verb} {card}"
        blind = any(said.startswith("blind") for said in words[:number])
        first = verb not in ("timeout", "blind", "change") and not blind
        guessed = verb == "hide" and number < len(words) - 1
        if first and twin.turn != view.seat and not guessed:
            likely *= 1 - RIVAL_SLIP if greedy.call(twin.view(twin.turn)) == word else RIVAL_SLIP / 4
        if guessed and twin.turn != view.seat:
            five = twin.first_five(twin.turn)
            word = f"hide {next(card for card in five if f'change {card}' != words[-1])}"
        try:
            twin.say(word)
        except RecordError:
            return None             # the hidden card that was changed is not told
    plays = iter(deal.plays)
    for play in plays:
        seat = twin.turn
        slip = MATE_SLIP if (seat - view.seat) % 4 == 2 else RIVAL_SLIP
        if seat != view.seat:
            may, choice = twin.can_reveal, greedy.play(twin.view(seat))
            if may:
                likely *= 1 - slip if (choice == "reveal") == (play == "reveal") else slip
                if choice == "reveal" and play != "reveal":
                    return None
            legal = twin.legal_cards()
            if play != "reveal" and len(legal) > 1:
                likely *= 1 - slip if choice is play else slip / (len(legal) - 1)
        twin.play(play) if isinstance(play, Card) else twin.reveal()
    return likely


def test_a_world_is_as_likely_as_greedy_players_who_slip_would_make_it() -> None:
    compared = 0
    for deal, view in decisions(1, 120):
        moment = Moment(view, "points", KEY, beliefs=True)
        sample = moment._uniform(4)
        likely = moment._likelihoods(sample)
        for place in range(4):
            expected = likelihood(deal, view, sample, place)
            if expected is not None:
                compared += 1
                told = view, deal.words, deal.plays, place
                assert likely[place] == pytest.approx(expected, rel=1e-9), told
    assert compared > 200


def test_a_walk_comes_to_each_world_as_often_as_it_is_likely() -> None:
    """The walk's frequencies against all worlds and all first fives of them, weighed by likelihood."""
    source, tried = random.Random(5), 0
    while tried < 3:
        rules = resolve(source.choice(["classic", "single-sir", "hidden-trump"]))
        deal = played_on(dealt(rules, source), source, 44)
        if deal.phase != "play" or len(deal.trick) or deal.hidden_card is not None:
            continue
        view = deal.view(deal.turn)
        if view.caller == view.seat:
            continue
        tried += 1
        moment = Moment(view, "points", KEY, beliefs=True)
        every, _ = moment.worlds.every()
        expected: dict[tuple[int, ...], float] = {}
        for place in range(len(every.hands)):
            hands = every.hands[place]
            fives = all_fives(moment, view, hands)
            down = np.full(len(fives), every.face_down[place])
            sample = Sampled(np.tile(hands, (len(fives), 1)), down, fives)
            expected[tuple(map(int, hands))] = float(moment._likelihoods(sample).sum())
        walks = 4000
        start = moment._uniform(walks)
        assert start.fives is not None
        hands_out, down_out = np.empty((walks, 1, 4), np.uint64), np.empty((walks, 1), np.uint8)
        moment.scene.walk(
            start.hands, start.face_down, start.fives, _free(moment.worlds.knowledge), KEY,
            burn=400, every=1, rival_slip=RIVAL_SLIP, mate_slip=MATE_SLIP,
            out_hands=hands_out, out_face_down=down_out,
        )
        found = Counter(tuple(map(int, row)) for row in hands_out[:, 0])
        assert set(found) <= set(expected)
        total = sum(expected.values())
        weights = sorted(((weight / total * walks, found[world]) for world, weight in expected.items()))
        # Worlds too rare for the test are put together (at least 5 expected, as its approximation asks).
        bins: list[list[float]] = [[0.0, 0.0]]
        for mean, count in weights:
            if bins[-1][0] >= 5:
                bins.append([0.0, 0.0])
            bins[-1][0] += mean
            bins[-1][1] += count
        means, counts = np.array(bins).T
        if len(means) > 1:
            # Seeded; by chance alone one seed in a million fails.
            means *= counts.sum() / means.sum()
            assert chisquare(counts, means).pvalue > 1e-6, (view, found, expected)


def all_fives(moment: Moment, view: View, hands: np.ndarray) -> np.ndarray:
    """All first fives of the caller in a world; nobody else's matter."""
    known, caller = moment.worlds.knowledge, view.caller
    assert caller is not None
    own = set(cards_of(int(hands[caller]))) | set(known.played[caller])
    rows = []
    for five in combinations(sorted(own), FIRST_CARDS):
        if known.early[caller] <= set(five) and not known.late[caller] & set(five):
            row = [0] * 4
            row[caller] = sum(1 << card for card in five)
            other = (caller + 2) % 4
            row[other] = sum(1 << card for card in view.dealt[:FIRST_CARDS]) if other == view.seat else 31
            rows.append(row)
    return np.array(rows, np.uint64)


# Play-outs


def test_playing_out_the_true_deal_is_what_greedy_players_make_of_it() -> None:
    for deal, view in decisions(2, 40):
        moment = Moment(view, "points", KEY, beliefs=False)
        hands = np.array([[sum(1 << card for card in hand) for hand in deal.hands]], np.uint64)
        face_down = np.array([255 if deal.hidden_card is None else deal.hidden_card], np.uint8)
        choices = moment.choices()
        values = moment.playouts(Sampled(hands, face_down), choices)
        for place, choice in enumerate(choices):
            twin = deal.copy()
            twin.reveal() if choice == REVEAL else twin.play(Card(choice))
            played_on(twin, random.Random(0), 52, astray=0)
            ahead = twin.points[view.side] - twin.points[1 - view.side]
            tricks = twin.taken[view.side] - twin.taken[1 - view.side]
            assert values[0, place] == pytest.approx(ahead + moment.trick * tricks), (view, choice)


def test_equal_cards_are_one_choice_and_what_greedy_does_comes_first() -> None:
    for deal, view in decisions(3, 60):
        choices = Moment(view, "points", KEY, beliefs=False).choices()
        assert len(set(choices)) == len(choices)
        usual = built_in("greedy").play(view)
        if usual == "reveal":
            assert choices[0] == REVEAL
        else:
            assert choices[0] // 13 == int(usual) // 13
            assert choices[0] <= int(usual)
        others = {*deal.trick, *(card for seat in range(4) if seat != view.seat for card in deal.hands[seat])}
        if deal.hidden_card is not None:
            others.add(deal.hidden_card)
        for card in view.legal_cards:
            if int(card) in choices:
                continue
            stands = max(choice for choice in choices if choice < card)
            assert stands // 13 == int(card) // 13
            assert not any(stands < other < card for other in others), (view, card)


# Decisions


PLAYERS = ["pimc", "pimc:beliefs=off", "ismcts", "ismcts:others=greedy", "pimc:objective=match"]


@pytest.mark.parametrize("text", PLAYERS)
def test_searchers_play_by_the_rules_in_any_variant(text: str) -> None:
    source = random.Random(7)
    for _ in range(3):
        rules = random_rule_set(source)
        if "match" in text:
            rules = resolve("single-sir")
        player = f"{text}:worlds=10:deals=5"
        results = Table(rules, f"{player},greedy").play(source.randrange(1000), 0, 1)
        assert results["outcome"][0] < len(OUTCOMES), rules


def test_every_preset_is_played_the_same_however_the_deals_are_split() -> None:
    for name in preset_names():
        table = Table(name, "pimc:worlds=10:deals=5,ismcts:worlds=20:deals=5")
        whole = table.play(3, 0, 2)
        parts = [table.play(3, 1, 1), table.play(3, 0, 1)]
        assert np.array_equal(whole, np.array([parts[1][0], parts[0][0]], RESULT)), name


def test_what_is_preferred_to_greedy_is_worth_more_in_the_worlds_weighed() -> None:
    player = Pimc(worlds=20, deals=10)
    changed = 0
    for _, view in decisions(11, 60):
        player.begin(view.rules, view.seat, np.random.default_rng(1))
        weighed = player.weighed(view)
        best = weighed.best(player.evidence)
        assert weighed.means[best] >= weighed.means[0]
        changed += best != 0
    assert changed > 5


def test_without_evidence_greedy_is_followed() -> None:
    weighed = Weighed(bytes([3, 7, 9]), np.array([0.1, 0.5, 0.3]), np.array([0.0, 0.5, 0.1]), 10, 10.0)
    assert weighed.best(3.0) == 0
    assert weighed.best(1.5) == 2
    assert weighed.best(0.5) == 1


def test_worlds_of_one_walk_count_as_one() -> None:
    source = np.random.default_rng(1)
    values = np.repeat(source.normal(size=(8, 2)), 10, axis=0)
    sample = Sampled(np.zeros((80, 4), np.uint64), np.zeros(80, np.uint8), None, 10)
    walked = _weighed(bytes([1, 2]), values, sample)
    gains = values[::10, 1] - values[::10, 0]
    assert walked.errors[1] == pytest.approx(gains.std(ddof=1) / sqrt(8), rel=0.1)
    assert walked.effective == pytest.approx(8, rel=0.3)


# The call


def test_a_caller_by_simulation_calls_its_long_suit_and_hides_what_it_may() -> None:
    five = parse_cards("AS KS QS JS 2H")
    rest = [card for card in PACK if card not in five]
    for name, words in (("classic", {"S"}), ("hidden-trump", {f"hide {card}" for card in five[:4]})):
        deal = Deal(resolve(name), [[*five, *rest[:8]], rest[8:21], rest[21:34], rest[34:]])
        rng = np.random.default_rng(3)
        assert best_word(deal.view(0), 300, "points", rng, beliefs=True, evidence=1.0) in words


def test_a_redeal_is_worth_what_a_new_deal_is() -> None:
    five = parse_cards("2S 3H 4D 5C 6S")
    rest = [card for card in PACK if card not in five]
    deal = Deal(resolve("bavan"), [[*five, *rest[:8]], rest[8:21], rest[21:34], rest[34:]])
    view = deal.view(0)
    assert "redeal" in view.legal_words
    moment = Moment(view, "points", KEY, beliefs=True)
    values = moment.calls(moment.draw(50), ["redeal", "S"])
    assert np.all(values[:, 0] == fresh_deal(deal.rules, moment.worths, 0))
    results = Table("bavan", "greedy").play(9, 0, 20_000)
    worths = point_worths(deal.rules, 0)
    over = results[results["winner"] < 2]
    mean = worths[over["outcome"], over["winner"]].mean()
    # Two samples of 20,000 deals, of which each has a spread of about 15 points.
    assert fresh_deal(deal.rules, worths, 0) == pytest.approx(mean, abs=5 * 15 * sqrt(2 / 20_000))


# What is at stake


def test_match_chances_are_what_comes_of_matches_played_by_the_same_odds() -> None:
    rules = resolve("single-sir", target=5)
    results = Table(rules, "greedy").play(0, 0, 20_000)
    worths = match_worths(rules, 0, (2, 3), (1, 0))
    source = np.random.default_rng(4)
    outcome, winner = OUTCOMES.index(Outcome.CALLER_WIN), 0
    games, won = 4000, 0
    for _ in range(games):
        match = Match(rules, dealer=3)
        match.score, match.streaks = [2, 3], [1, 0]
        match.add(OUTCOMES[outcome], winner)
        while match.winner is None:
            result = results[source.integers(len(results))]
            match.add(OUTCOMES[result["outcome"]], int(result["winner"]))
        won += match.winner == 0
    share = won / games
    # Five standard errors of the share of matches.
    assert worths[outcome, 0] == pytest.approx(share, abs=5 * sqrt(0.25 / games))


def test_with_one_point_to_go_a_win_is_all() -> None:
    rules = resolve("classic-no-kot", target=7)
    worths = match_worths(rules, 1, (6, 6), (0, 0))
    assert worths[OUTCOMES.index(Outcome.DEFENDER_WIN), 0] == 1
    assert worths[OUTCOMES.index(Outcome.CALLER_WIN), 1] == 0


# Bad input


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pimc:worlds=0", "worlds"),
        ("pimc:leaf=gredy", 'takes greedy, solver, mixed, not "gredy" .did you mean "greedy"'),
        ("pimc:wrlds=4", "worlds"),
        ("ismcts:others=all", "search, greedy"),
        ("mc:deals=0", "deals"),
    ],
)
def test_options_that_cannot_be_are_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_player(text).make()  # type: ignore[union-attr]


def test_a_match_without_end_has_no_chances() -> None:
    with pytest.raises(UsageError, match="target"):
        match_worths(resolve("bavan"), 0, (0, 0), (0, 0))
