"""Parameters of studies, from Python, TOML and text; and the registry."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import polars as pl
import pytest

from courtpiece.errors import RulesError, UsageError
from courtpiece.players import parse_lineup
from courtpiece.rules import preset, resolve
from courtpiece.studies import find, names
from courtpiece.studies.study import Parameters, Study, parameter_fields, readable, schema
from tests.dice import Dice, DiceParameters


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({"rules": "hakim"}, "rules", (preset("hakim"),)),
        ({"rules": ["hakim", {"preset": "bavan", "target": 3}]}, "rules",
         (preset("hakim"), resolve("bavan", target=3))),
        ({"rules": preset("hakim")}, "rules", (preset("hakim"),)),
        ({"players": "greedy,simple"}, "players", (parse_lineup("greedy simple"),)),
        ({"players": ("random", "simple")}, "players", (parse_lineup("random"), parse_lineup("simple"))),
        ({"seed": "7"}, "seed", 7),
        ({"deals": "20_000_000"}, "deals", 20_000_000),
        ({"deals": "2e7"}, "deals", 20_000_000),
        ({"deals": "1,000"}, "deals", 1000),
        ({"seed": "9007199254740993"}, "seed", 2**53 + 1),      # no float holds it
        ({"seed": str(10**40 + 1)}, "seed", 10**40 + 1),
        ({"precision": "0.002"}, "precision", 0.002),
        ({"precision": None}, "precision", None),
    ],
)
def test_parameters_are_read_from_python_toml_and_text(given: dict[str, Any], name: str, value: Any) -> None:
    assert getattr(Parameters.of(given), name) == value


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"deels": 3}, 'there is no parameter "deels" (did you mean "deals"?)'),
        ({"xyzzy": 3}, ('there is no parameter "xyzzy"; there are rules, players, seed, deals, precision, '
                        'sides')),
        ({"deals": 0}, "deals: must be at least 1, not 0"),
        ({"deals": "many"}, 'deals: must be a whole number, not "many"'),
        ({"deals": "1e-3"}, 'deals: must be a whole number, not "1e-3"'),
        ({"deals": 1.5}, "deals: must be a whole number, not 1.5"),
        ({"deals": True}, "deals: must be a whole number, not true"),
        ({"seed": -1}, "seed: must be at least 0, not -1"),
        ({"sides": 1}, "sides: must be at least 2, not 1"),
        ({"precision": 0}, "precision: must be above 0, not 0"),
        ({"precision": "nan"}, "precision: must be above 0, not nan"),
        ({"precision": "fine"}, 'precision: must be a number, not "fine"'),
        ({"precision": True}, "precision: must be a number, not true"),
        ({"seed": "9" * 5000}, f'seed: must be a whole number, not "{"9" * 59}…'),
        ({"rules": []}, "rules: give one at least"),
        ({"rules": ["hakim", "hakim"]}, "rules: hakim is given twice"),
        ({"players": ["simple", "simple,simple"]}, "players: simple is given twice"),
        ({"players": 3}, "players: must be text, not 3"),
        ({"players": "simple/absent", "rules": ["single-sir", "hakim"]},
         ('the caller "absent" needs rules whose uncalled is blind-stock or random-own-five, and in hakim it '
          'is none')),
        ({"players": "gready"}, ('players: there is no card player "gready"; there are random, simple, '
                                 'greedy, double-dummy, signals, forgetful, pimc, alphamu, ismcts, mc '
                                 '(did you mean "greedy"?)')),
    ],
)
def test_parameters_that_cannot_be_are_refused_in_one_line(given: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as caught:
        DiceParameters.of(given)
    assert str(caught.value) == line


def test_a_rule_set_that_cannot_be_is_refused_with_its_own_words() -> None:
    with pytest.raises(RulesError, match='no preset "hakin"'):
        Parameters.of({"rules": "hakin"})


def test_what_study_json_tells_gives_the_same_parameters_again() -> None:
    p = DiceParameters.of({"rules": ["bavan", "single-sir,target=4"], "players": "greedy:pass=never,simple",
                           "seed": 9, "sides": 8, "precision": 0.01})
    again = DiceParameters.of(p.design())
    assert again == dataclasses.replace(p, precision=None)
    assert p.design()["sides"] == 8
    assert "precision" not in p.design()
    assert p.shown()["rules"] == "bavan, single-sir,target=4"


def test_how_far_a_run_goes_is_no_part_of_its_design() -> None:
    short, long = (DiceParameters.of(asked) for asked in ({"deals": 5}, {"deals": 500, "precision": 0.1}))
    assert short.design() == long.design()


def test_without_a_number_the_study_decides_how_many_units() -> None:
    study = Dice()
    assert study.units(study.parameters({})) == 1000
    assert study.units(study.parameters({"deals": 7})) == 7
    assert study.units(study.parameters({"precision": 0.1})) is None
    assert study.units(study.parameters({"precision": 0.1, "deals": 7})) == 7


@pytest.mark.parametrize("name", names())
def test_every_built_in_study_is_whole(name: str) -> None:
    study: Study[Any] = find(name)
    assert study.name == name
    assert study.question.endswith("?")
    p = study.parameters({})
    assert pickle.loads(pickle.dumps((study, p)))[1] == p       # worker processes get them this way
    assert study.chunk_units(p) >= 1
    tables = study.table_columns(p)
    assert "summary" in tables
    for columns in (study.columns(p), *tables.values()):
        assert all(column.meaning for column in columns)
        assert len({column.name for column in columns}) == len(columns)
        assert schema(columns)
    for about in parameter_fields(study.Parameters):
        assert about.metadata["doc"]


def test_an_unknown_study_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r'no study "kot-frequenzy".*did you mean "kot-frequency"\?'):
        find("kot-frequenzy")


def test_a_value_and_its_half_width_share_a_cell() -> None:
    table = pl.DataFrame({"rules": ["a", "b"], "deals": [1000, 2], "win": [0.60612, None],
                          "win_half_width": [0.00123, None], "share": [0.25, None]})
    assert readable(table) == (
        ["rules", "deals", "win", "share"],
        [["a", "1,000", "0.6061 ± 0.0012", "0.25"], ["b", "2", "–", "–"]],
    )
