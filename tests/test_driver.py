"""Deals with players in Python: as in the kernel, judged by the rules, the same however they are split."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from courtpiece import Card, Player, Table, View, built_in
from courtpiece.driver import Decision, Driver
from courtpiece.errors import PlayerError, UsageError
from courtpiece.players import Lineup, parse_built_in, parse_lineup, parse_player
from courtpiece.players.own import given
from courtpiece.rules import Trump, Uncalled, preset_names, resolve
from courtpiece.run import run
from courtpiece.table import RESULT, seed_key
from tests.kernel.test_differential import state_in, state_of
from tests.strategies import random_rule_set

SWAPPING = {
    name: resolve(name, extras=["swap-cards", "change-trump"]) for name in ("single-sir", "hidden-trump")
}
RULES = {name: resolve(name) for name in preset_names()} | {
    f"{name} with extras": rules for name, rules in SWAPPING.items()
}

MINE = '''
import courtpiece as cp


class Mine(cp.Player):
    """Plays what `greedy` plays, unless told to play the lowest card."""

    def __init__(self, low: bool = False, depth=2):
        self.low, self.greedy = low, cp.built_in("greedy")

    def play(self, view):
        return min(view.legal_cards) if self.low else self.greedy.play(view)


class Chancy(cp.Player):
    def call(self, view):
        return str(self.rng.choice(view.legal_words))

    def play(self, view):
        if view.may_reveal and self.rng.random() < 0.5:
            return "reveal"
        return view.legal_cards[self.rng.integers(len(view.legal_cards))]


class Revoker(cp.Player):
    def play(self, view):
        return next((card for card in view.hand if card not in view.legal_cards), view.legal_cards[0])


class Clumsy(cp.Player):
    def play(self, view):
        return view.legal_cards[0] if len(view.tricks) < 2 else 1 / 0


class NoPlayer:
    pass


class Unmade(cp.Player):
    def __init__(self):
        raise RuntimeError("no licence")


class Quitter(cp.Player):
    def play(self, view):
        raise SystemExit(3)


class Copycat(cp.Player):
    """Knows what to do only where its side has played as it did."""

    def play(self, view):
        mine = [play.card for play in view.plays if play.seat == view.seat]
        if mine and mine != self.played:
            raise KeyError("never was here")
        self.played = [*mine, view.legal_cards[0]]
        return view.legal_cards[0]
'''


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return str(path)


def same(ours: Table, kernel: Table, seed: int, deals: int) -> None:
    traces = ours.trace(seed, 0, deals), kernel.trace(seed, 0, deals)
    for name, one, other in zip(traces[0]._fields, *traces, strict=True):
        differing = np.flatnonzero(np.asarray(one != other).reshape(deals, -1).any(axis=1))
        assert not differing.size, f"{name}, {kernel.rules}, seed {seed}, deals {differing}"


@pytest.mark.parametrize("name", RULES)
def test_greedy_asked_from_python_decides_as_in_the_kernel(name: str) -> None:
    player = given(built_in("greedy"))
    for lineup in (Lineup.of(player, player), Lineup.of(player, parse_built_in("greedy"))):
        same(Table(RULES[name], lineup), Table(RULES[name], "greedy"), 3, 20)


def test_greedy_asked_from_python_decides_as_in_the_kernel_under_any_rules() -> None:
    source = random.Random(8)
    for _ in range(100):
        rules = random_rule_set(source)
        name = source.choice(["greedy", "simple", "greedy/longest", "simple/strongest:pass=always"])
        player = given(built_in(name))
        same(Table(rules, Lineup.of(player, player)), Table(rules, name), source.randrange(100), 4)


@pytest.mark.parametrize(
    "players", ["random", "greedy,random", "simple/random", "simple,greedy,random,greedy/absent"]
)
def test_built_in_players_toss_the_same_one_by_one_as_in_a_batch(players: str) -> None:
    source = random.Random(players)
    for name in RULES:
        rules, lineup = RULES[name], parse_lineup(players)
        if "absent" in players and rules.trump is not Trump.FIRST_VOID and rules.uncalled is Uncalled.NONE:
            continue
        seed = source.randrange(1000)
        sitting = Driver(rules, lineup).start(seed, seed_key(seed), 7)
        batch = Table(rules, lineup).play(seed, 0, 12, stream=7)
        row = np.empty(1, RESULT)
        for index in range(12):
            deal = sitting.play(index)
            sitting.walk.report(row, 0)
            assert state_in(row[0]) == state_of(deal) == state_in(batch[index]), (name, seed, index)


def test_calls_are_valued_as_in_the_kernel() -> None:
    five, words = [12, 11, 3, 13, 33], ["S", "pass", "D"]
    player = given(built_in("greedy"))
    ours = Table("single-sir", Lineup.of(player, player)).play_calls(five, words, 4, 10, 20, stream=9)
    assert (ours == Table("single-sir", "greedy").play_calls(five, words, 4, 10, 20, stream=9)).all()


@pytest.mark.parametrize("rules", ["hidden-trump", "bavan", "mendikot-band"])
def test_chance_depends_on_the_deal_alone_not_on_what_was_played_before(mine: str, rules: str) -> None:
    table = Table(rules, f"{mine}:Chancy")
    whole = table.trace(5, 0, 30)
    for start in (29, 7, 0):
        part = Table(rules, f"{mine}:Chancy").trace(5, start, 1)
        assert (whole.plays[start] == part.plays[0]).all()
        assert (whole.words[start] == part.words[0]).all()
    assert (table.trace(6, 0, 30).plays != whole.plays).any()


def test_four_players_sit_in_order_of_play(mine: str) -> None:
    table = Table("single-sir", f"greedy,{mine}:Mine:low=yes,simple,random")
    assert table.lineup.seats == ("greedy", f"{mine}:Mine:low=yes", "simple", "random")
    assert str(parse_lineup(str(table.lineup))) == str(table.lineup)
    seen: set[int] = set()

    class Spy(Player):
        def play(self, view: View) -> Card:
            seen.add(view.seat)
            return view.legal_cards[0]

    greedy = parse_built_in("greedy")
    Table("single-sir", Lineup((greedy, greedy, greedy, given(Spy())))).play(1, 0, 3)
    assert seen == {3}


def test_a_card_against_the_rules_is_refused_with_the_rule_and_what_the_player_saw(mine: str) -> None:
    with pytest.raises(PlayerError) as caught:
        Table("single-sir", f"{mine}:Revoker,greedy").play(1, 0, 50)
    line = str(caught.value)
    assert "Revoker as " in line
    assert " and must follow " in line
    assert "It sees: single-sir, trick" in line
    assert "courtpiece play --seed 1 --index 0" in line
    assert "\n" not in line


def test_an_error_in_a_player_names_the_deal_that_makes_it_again(mine: str, tmp_path: Path) -> None:
    with pytest.raises(PlayerError) as caught:
        run("kot-frequency", players=f"{mine}:Clumsy,greedy", deals=40, chunk=9, jobs=2, out=tmp_path / "run")
    assert "raised ZeroDivisionError: division by zero (" in str(caught.value)
    assert "to see it again: courtpiece play --seed 1 --index " in str(caught.value)


@pytest.mark.parametrize(("answer", "why"), [
    ("ZZ", "ZZ"), (None, 'an answer is a Card or "reveal"'), (3.5, 'an answer is a Card or "reveal"'),
    (np.array([1, 2]), 'an answer is a Card or "reveal"'), (True, 'an answer is a Card or "reveal"'),
    ("reveal", "there is no hidden trump in these rules"),
])
def test_what_is_no_card_is_refused(answer: object, why: str) -> None:
    class Odd(Player):
        def play(self, view: View) -> Card:
            return answer               # type: ignore[return-value]

    with pytest.raises(PlayerError, match=why):
        Table("single-sir", Lineup.of(given(Odd()), parse_built_in("greedy"))).play(1, 0, 1)


def test_a_word_that_may_not_be_said_is_refused() -> None:
    class Loud(Player):
        def call(self, view: View) -> str:
            return "redeal"

        def play(self, view: View) -> Card:
            return view.legal_cards[0]

    with pytest.raises(PlayerError, match='which the rules forbid: "redeal" may not be said here'):
        Table("single-sir", Lineup.of(given(Loud()), parse_built_in("greedy"))).play(1, 0, 1)


@pytest.mark.parametrize("word", [None, 7, ["S"], np.array([1, 2])])
def test_a_word_that_is_no_text_is_refused(word: object) -> None:
    class Mute(Player):
        def call(self, view: View) -> str:
            return word                 # type: ignore[return-value]

        def play(self, view: View) -> Card:
            return view.legal_cards[0]

    with pytest.raises(PlayerError, match="which the rules forbid: a word of the call is a text"):
        Table("single-sir", Lineup.of(given(Mute()), parse_built_in("greedy"))).play(1, 0, 1)


def test_an_answer_that_is_neither_yes_nor_no_is_refused() -> None:
    class Vague(Player):
        def play(self, view: View) -> Card:
            return view.legal_cards[0]

        def claim(self, view: View) -> bool:
            return np.array([True, False])      # type: ignore[return-value]

    with pytest.raises(PlayerError, match="as S in deal 0 of seed 1 raised ValueError: "):
        Table("bavan", Lineup.of(given(Vague()), parse_built_in("greedy"))).play(1, 0, 1)


def test_a_player_that_ends_the_program_or_cannot_be_made_is_told_with_the_place(mine: str) -> None:
    place = r"\(.*mine\.py, line \d+\)"
    with pytest.raises(PlayerError, match=f"Quitter as S in deal 0 of seed 1 raised SystemExit: 3 {place}"):
        Table("single-sir", f"{mine}:Quitter,greedy").play(1, 0, 1)
    unmade = f"Unmade cannot be made: it raised RuntimeError: no licence {place}"
    with pytest.raises(PlayerError, match=unmade):
        Table("single-sir", f"{mine}:Unmade,greedy").play(1, 0, 1)


def test_an_error_in_the_other_ones_place_is_told_too(mine: str, tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"would do as \w in deal 0 of seed 1, raised KeyError"):
        run("duel", us=f"{mine}:Copycat", them="greedy", deals=2, jobs=1, out=tmp_path / "run")


@pytest.mark.parametrize("body", ["import sys; sys.exit(4)", "1 / 0", "def play(:"])
def test_a_file_that_fails_is_refused_in_one_line(tmp_path: Path, body: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(body)
    with pytest.raises(UsageError, match=r"broken\.py fails when it is loaded: (SystemExit|Zero|Syntax)"):
        parse_player(f"{path}:Mine")


def test_claims_are_made_by_players_that_want_to() -> None:
    class Bold(Player):
        def play(self, view: View) -> Card:
            return view.legal_cards[0]

        def claim(self, view: View) -> bool:
            assert len(view.hand) == 13
            return view.seat == 2

    rules = resolve("bavan", failed_claim="deal-lost")
    table = Table(rules, Lineup.of(given(Bold()), parse_built_in("greedy")))
    results = table.play(1, 0, 20)
    played = results[results["outcome"] != 9]
    assert (played["winner"] == 1).all()        # the claim fails with the first trick of the others


REFUSED = {
    "{mine}:Mina": 'has no player "Mina"; there are Mine, Chancy, Revoker, Clumsy, Unmade, Quitter, ',
    "{mine}": "name the player in it too, as {mine}:NAME; there are Mine, Chancy, Revoker, Clumsy",
    "{mine}:": "name the player in it too, as {mine}:NAME; there are Mine, Chancy, Revoker, Clumsy",
    "pmic:worlds=3": 'there is no card player "pmic"; there are random, simple, greedy, double-dummy, ',
    "pimcc": '(did you mean "pimc"?)',
    "pimc/longest": '"pimc" says its own calls and takes no caller: write "pimc", not "pimc/longest"',
    "greedy,simple": '"greedy,simple" names 2 players where one is to be named',
    "{mine}:NoPlayer": 'NoPlayer" is no class that derives from courtpiece.Player',
    "{mine}:Mine:dept=3": 'has no option "dept"; there are low, depth (did you mean "depth"?)',
    "{mine}:Mine:depth=deep": 'player option "depth" takes a whole number, not "deep"',
    "{mine}:Mine:low=maybe": 'player option "low" is on or off, not "maybe"',
    "{mine}:Mine:low": 'player option "low" needs a value: low=…',
    "{mine}:Mine:low=on:low=off": 'player option "low" is given twice',
    "nowhere.py:Mine": "nowhere.py cannot be read: no such file or directory",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_player_that_is_not_there_is_refused_in_one_line(mine: str, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_player(text.format(mine=mine))
    assert REFUSED[text].format(mine=mine) in str(caught.value)


def test_options_are_read_as_the_class_has_them_and_written_in_its_order(mine: str) -> None:
    player = parse_player(f"{mine}:Mine:depth=4:low=yes")
    assert str(player) == f"{mine}:Mine:low=yes:depth=4"
    assert str(parse_player(f"{mine}:Mine:depth=2")) == f"{mine}:Mine"
    assert pickle.loads(pickle.dumps(player)) == player


@pytest.mark.parametrize(
    ("study", "size"), [("kot-frequency", {"deals": 60}), ("trump-call", {"hands": 3, "deals": 8})]
)
def test_every_study_takes_a_player_of_ones_own_and_is_the_same_for_any_jobs(
    mine: str, tmp_path: Path, study: str, size: dict[str, Any]
) -> None:
    players = f"{mine}:Mine,{mine}:Chancy"
    one = run(study, players=players, jobs=1, out=tmp_path / "one", **size)
    two = run(study, players=players, jobs=2, chunk=2, out=tmp_path / "two", **size)
    for table in one.tables:
        assert one.tables[table].equals(two.tables[table])


def test_a_player_of_an_installed_package_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from courtpiece.players import own

    class Packaged(Player):
        def __init__(self, depth: int = 1) -> None:
            self.depth = depth

        def play(self, view: View) -> Card:
            return view.legal_cards[0]

    entry = SimpleNamespace(load=lambda: Packaged, dist=SimpleNamespace(name="club", version="1.2"))
    monkeypatch.setattr(own, "_packaged", lambda: {"club": entry})
    player = parse_player("club:depth=3")
    assert (str(player), getattr(player, "version", "")) == ("club:depth=3", "club 1.2")
    assert len(Table("single-sir", "club,greedy").play(1, 0, 3)) == 3


def test_a_changed_file_is_another_player(mine: str, tmp_path: Path) -> None:
    from courtpiece.errors import RunError

    run("kot-frequency", players=f"{mine}:Mine", deals=5, jobs=1, out=tmp_path / "run")
    with Path(mine).open("a") as file:
        file.write("\nVERSION = 2\n")
    with pytest.raises(RunError, match=r"its players' code: .*:Mine \w{8} there, .*:Mine \w{8} here"):
        run("kot-frequency", players=f"{mine}:Mine", deals=10, jobs=1, out=tmp_path / "run")


def test_one_who_sees_all_four_hands_is_given_the_deal_and_beats_one_who_does_not() -> None:
    from courtpiece.solve import solve

    sitting = Driver(resolve("classic"), parse_lineup("double-dummy,greedy")).start(3, seed_key(3), 0)
    wins = usual = 0
    for index in range(12):
        def check(decision: Decision) -> None:
            deal = decision.deal
            if deal.phase == "play" and decision.seat % 2 == 0 and len(deal.tricks) > 8:
                values = {value.card: value.points or 0 for value in solve(deal).cards}
                assert values[Card.parse(str(decision.answer))] == max(values.values())

        wins += sitting.play(index, watch=check).winner == 0
        usual += int(Table("classic", "greedy").play(3, index, 1)["winner"][0]) == 0
    assert wins > usual
