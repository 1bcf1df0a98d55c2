"""The text that names players."""

from __future__ import annotations

import pickle

import pytest

from courtpiece.errors import UsageError
from courtpiece.players import (
    CALLERS,
    CARD_PLAYERS,
    Caller,
    OwnPlayer,
    available,
    own,
    parse_built_in,
    parse_lineup,
    parse_player,
)


@pytest.mark.parametrize(
    ("card", "caller"), [("random", "random"), ("simple", "longest"), ("greedy", "strongest")]
)
def test_each_card_player_comes_with_its_own_caller(card: str, caller: str) -> None:
    assert parse_built_in(card).caller == caller
    assert str(parse_player(f"{card}/{caller}")) == card


@pytest.mark.parametrize("card", [player.name for player in CARD_PLAYERS])
@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
def test_the_text_of_a_player_names_the_same_player_again(card: str, caller: Caller) -> None:
    plain = parse_player(f"{card}/{caller.name}")
    assert parse_player(str(plain)) == plain
    for option in caller.options:
        for word in option.words:
            spec = parse_built_in(f"{card}/{caller.name}:{option.name}={word}")
            assert parse_player(str(spec)) == spec
            assert spec.option(option.name) == word


def test_options_are_kept_in_one_order_and_defaults_are_dropped() -> None:
    spec = parse_built_in("greedy:thirteenth=never:redeal=auto:pass=always")
    assert spec.options == (("pass", "always"), ("thirteenth", "never"))
    assert str(spec) == "greedy:pass=always:thirteenth=never"
    assert parse_player("Greedy:pass=always/strongest:thirteenth=never ") == spec


def test_one_player_sits_on_all_four_seats_and_two_sit_side_by_side() -> None:
    assert parse_lineup("greedy").seats == ("greedy",) * 4
    assert str(parse_lineup("greedy greedy")) == "greedy"
    assert parse_lineup("greedy,random/longest").seats == ("greedy", "random/longest") * 2
    assert str(parse_lineup(" greedy ,  random/longest")) == "greedy,random/longest"


REFUSED = """
gredy                         | there is no card player "gredy"; there are random, simple, greedy, double-dummy, signals, forgetful, *own (did you mean "greedy"?)
                              | a card player is missing; there are random, simple, greedy, double-dummy, signals, forgetful, *own
greedy/                       | a caller is missing; there are random, longest, strongest, absent
greedy/longst                 | there is no caller "longst"; there are random, longest, strongest, absent (did you mean "longest"?)
greedy:pas=never              | player "greedy/strongest" has no option "pas"; there are pass, redeal, thirteenth (did you mean "pass"?)
greedy/absent:pass=never      | player "greedy/absent" has no option "pass"; it has none
greedy:pass                   | player option "pass" needs a value: pass=… (auto, never, always)
greedy:pass=nevr              | player option "pass" takes auto, never, always, not "nevr" (did you mean "never"?)
greedy:pass=never:pass=always | player option "pass" is given twice
"""  # noqa: E501


@pytest.mark.parametrize("row", REFUSED.strip("\n").split("\n"))
def test_a_wrong_text_is_refused_in_one_line_that_says_what_would_be_right(row: str) -> None:
    text, line = row.split(" | ", 1)
    with pytest.raises(UsageError) as caught:
        parse_player(text)
    assert str(caught.value) == line.replace("*own", ", ".join(own.names()))


def test_three_players_are_too_many() -> None:
    with pytest.raises(UsageError, match="names 3; name one for all four seats, or two"):
        parse_lineup("greedy simple random")


def test_every_player_is_described_in_one_line() -> None:
    for player in available():
        assert player.summary
        assert "\n" not in player.summary
        for option in player.options:
            assert option.doc


def test_who_sees_all_cards_is_solved_alone_and_plays_beside_others() -> None:
    alone, beside = parse_lineup("double-dummy"), parse_lineup("double-dummy/longest:pass=never,greedy")
    assert alone.double_dummy
    assert alone.in_kernel
    assert not beside.double_dummy
    assert str(beside) == "double-dummy/longest:pass=never,greedy"
    assert parse_lineup(str(beside)) == beside
    sees_all = [isinstance(player, OwnPlayer) and player.sees_all for player in beside.players]
    assert sees_all == [True, False] * 2
    caller = pickle.loads(pickle.dumps(beside.players[0])).make().caller
    assert str(caller.spec) == "greedy/longest:pass=never"
