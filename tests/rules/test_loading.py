"""Presets, users' own files, lines of text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtpiece.errors import RulesError
from courtpiece.rules import RuleSet, loading, name_of, preset, preset_names, presets, resolve
from courtpiece.rules.loading import load_preset
from tests.strategies import legal_rule_sets, refusal

# The table of presets, row by row, "=" and all: RULES section 2.  A dash is a default that does not apply.
COLUMNS = [
    "single-sir",
    "double-sir",
    "hidden-trump",
    "be-ranga",
    "mendikot",
    "mendikot-band",
    "classic",
    "hakim",
    "bavan",
]
TABLE = """
first_caller         highest-card = = = = = random first-ace highest-card-team
trump                called called hidden first-void first-void hidden called called called
caller_may_pass      true true true - - false false false false
uncalled             blind-stock blind-stock blind-stock - - random-own-five none none none
redeal               off off off - - - off off no-card-above-ten
thirteenth           false false false - - - false false true
reveal               - - on-request - - at-first-void - - -
revealer_must_trump  - - true - - true - - -
reveal_scope         - - from-reveal - - from-reveal - - -
reveal_on_lead       - - true - - true - - -
first_lead           eldest eldest eldest eldest eldest eldest caller caller caller
collection           each-trick pile each-trick each-trick each-trick each-trick each-trick each-trick each-trick
pile_blocks          - [] - - - - - - -
deal_ends            at-seven at-seven-unless-shutout at-seven at-seven after-thirteen after-thirteen at-seven at-seven at-seven-unless-shutout
objective            tricks tricks tricks tricks tens tens tricks tricks tricks
kot                  first-seven all-thirteen first-seven first-seven none none first-seven first-seven all-thirteen
score                1,2,3,4 1,2,3,4 1,2,3,4 1,2,3,4 1,1,2,3 1,1,2,3 1,1,2,2 1,1,2,3 7,7,13,52
streak               7 7 7 7 off off off off off
claim                off off off off off off off off 82
kot_moves_call       true true true true true true false false true
target               10 10 10 10 5 5 5 7 none
"""  # noqa: E501
UNLISTED = ["direction", "draw_tie", "blocked_run", "counting", "failed_claim", "extras"]
FURTHER = {
    "double-sir-aces": 'double-sir,pile_blocks=["ace-on-ace","trump-ace"]',
    "double-sir-house": 'double-sir,pile_blocks=["ace-on-ace","trump-ace",11,12]',
    "single-sir-kots": "single-sir,counting=kots,target=3",
    "single-sir-novice": "single-sir,target=3",
    "double-sir-novice": "double-sir,target=3",
    "hidden-trump-novice": "hidden-trump,target=3",
    "be-ranga-novice": "be-ranga,target=3",
    "mendikot-novice": "mendikot,target=3",
    "mendikot-band-novice": "mendikot-band,target=3",
    "classic-long": "classic,target=7",
    "classic-no-kot": "classic,score=[1,1,1,1]",
    "hokm": "hakim",
    "hidden-rung": "hidden-trump,collection=pile,kot=all-thirteen,deal_ends=at-seven-unless-shutout",
    "be-ranga-double-sar": "be-ranga,collection=pile,kot=all-thirteen,deal_ends=at-seven-unless-shutout",
    "dehla-pakad": "mendikot,collection=pile",
    "three-sar": "double-sir,pile_blocks=[2]",
    "five-sar": "double-sir,pile_blocks=[2,3,4]",
    "hidden-trump-auto": "hidden-trump,reveal=at-first-void",
}


@pytest.mark.parametrize("column", range(len(COLUMNS)), ids=COLUMNS)
def test_the_main_presets_are_the_table(column: int) -> None:
    rules = preset(COLUMNS[column])
    listed = set()
    for row in TABLE.strip().splitlines():
        option, *cells = row.split()
        cell = cells[0] if cells[column] == "=" else cells[column]
        wanted = getattr(RuleSet(), option)
        if cell not in {"-", "[]"}:
            wanted = getattr(
                RuleSet.from_string(f"{option}=[{cell}]" if option == "score" else _only(option, cell)),
                option,
            )
        assert getattr(rules, option) == wanted, option
        listed.add(option)
    for option in UNLISTED:
        assert getattr(rules, option) == getattr(RuleSet(), option), option
    assert listed | set(UNLISTED) | {"streak_bonus"} == set(vars(RuleSet()))


def _only(option: str, cell: str) -> str:
    """The option with what it needs, so that it can be read by itself."""
    needs = {
        "pile": "kot=none,deal_ends=after-thirteen",
        "all-thirteen": "deal_ends=after-thirteen",
        "tens": "deal_ends=after-thirteen",
        "at-first-void": "trump=hidden",
        "82": "kot=all-thirteen,deal_ends=after-thirteen",
    }
    return f"{option}={cell}" + ("," + needs[cell] if cell in needs else "")


@pytest.mark.parametrize("name", FURTHER)
def test_further_presets_change_what_they_are_said_to_change(name: str) -> None:
    assert preset(name) == resolve(FURTHER[name])


def test_there_are_no_other_presets() -> None:
    assert sorted(preset_names()) == sorted([*COLUMNS, *FURTHER])
    assert list(presets()) == list(preset_names())
    assert preset_names()[0] == "single-sir"


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_describes_itself_in_a_line_and_follows_its_base(name: str) -> None:
    loaded = load_preset(name)
    assert 4 <= len(loaded.about) <= 54  # one line of the table of presets
    if loaded.base:
        assert preset_names().index(loaded.base) < preset_names().index(name)
        assert preset(loaded.base).replace(**loaded.changes) == loaded.rules


@settings(max_examples=100)
@given(legal_rule_sets())
def test_the_name_of_a_rule_set_reads_back(rules: RuleSet) -> None:
    assert resolve(name_of(rules)) == rules


def test_the_name_of_a_preset_is_its_first_name() -> None:
    for name, rules in presets().items():
        assert name_of(rules) == ("hakim" if name == "hokm" else name)
    assert name_of(resolve("bavan", target=500)) == "bavan,target=500"
    assert name_of(RuleSet()) == "defaults"


# --- files ------------------------------------------------------------------------------------------


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "house.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_file_is_read_by_its_path_or_its_name(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'about = "ours"\npreset = "double-sir"\npile_blocks = ["trump-ace", 12]\nscore.caller_win = 2\n',
    )
    wanted = resolve("double-sir", pile_blocks=["trump-ace", 12], score=[2, 2, 3, 4])
    assert resolve(path) == resolve(str(path)) == wanted


def test_a_file_without_a_base_starts_from_the_defaults(tmp_path: Path) -> None:
    assert resolve(write(tmp_path, "")) == RuleSet()
    assert resolve(write(tmp_path, "target = 'none'")).target is None


def test_every_preset_file_is_also_a_users_file() -> None:
    folder = Path(loading.__file__).parent / "presets"
    for name in preset_names():
        assert resolve(folder / f"{name}.toml") == preset(name)


BAD_FILES = [
    (b"trump = ", "is not TOML: Invalid value (at end of document)"),
    (b"trump = 'called'\ntrump = 'called'", "is not TOML: Cannot overwrite a value (at end of document)"),
    (b"about = '\xff'", "is not text in UTF-8"),
    (b"target = " + b"9" * 5000, "is not TOML: Exceeds the limit"),
    (b"x = " + b"[" * 100_000, "is not TOML: maximum recursion depth exceeded"),
    (b"preset = 3", "preset must be the name of a preset, not 3"),
    (b"preset = 'singel-sir'", 'there is no preset "singel-sir" (did you mean "single-sir"?)'),
    (b"preset = 'house.toml'", 'preset must be the name of a preset, not the file "house.toml"'),
    (b"about = 3", "about must be a line of text, not 3"),
    (b"[single-sir]\ntarget = 3", 'there is no option "single-sir"'),
    (b"target = 2026-11-30", 'target must be a whole number from 1 up or "none", not 2026-11-30'),
    (b"target = nan", 'target must be a whole number from 1 up or "none", not nan'),
]


@pytest.mark.parametrize(("content", "reason"), BAD_FILES)
def test_a_bad_file_gets_one_line_that_names_it(tmp_path: Path, content: bytes, reason: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(RulesError) as caught:
        resolve(path)
    assert str(caught.value).startswith(f"{path}: {reason}")
    assert "\n" not in str(caught.value)
    assert len(caught.value.reasons) == 1


def test_a_byte_order_mark_and_carriage_returns_are_no_part_of_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xef\xbb\xbfpreset = 'hakim'\r\ntarget = 3\r\n")
    assert resolve(path) == resolve("hakim,target=3")


def test_a_missing_file_and_a_directory_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"none\.toml: there is no such file$"):
        resolve(tmp_path / "none.toml")
    with pytest.raises(RulesError, match=r"is a directory, not a file$"):
        resolve(tmp_path)
    with pytest.raises(RulesError, match=r"is a directory, not a file$"):
        resolve(f"{tmp_path}/")


def test_a_bad_base_does_not_hide_bad_options(tmp_path: Path) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(write(tmp_path, "preset = 'clasic'\ntarget = 0\nstreek = 7"))
    assert caught.value.reasons == (
        'there is no preset "clasic" (did you mean "classic"?)',
        'target must be a whole number from 1 up or "none", not 0',
        'there is no option "streek" (did you mean "streak"?)',
    )


# --- mappings and lines -----------------------------------------------------------------------------


def test_a_mapping_names_its_base() -> None:
    rules = resolve({"preset": "double-sir", "pile_blocks": ["trump-ace", 12]})
    assert rules == resolve('double-sir, pile_blocks = ["trump-ace", 12]')
    assert resolve({}) == RuleSet()
    assert resolve(rules) is rules


def test_a_mapping_has_no_about_and_no_other_keys() -> None:
    with pytest.raises(RulesError) as caught:
        resolve({"about": "mine", 3: 4})  # type: ignore[dict-item]
    assert caught.value.reasons == ('there is no option "about"', 'there is no option "3"')


BLOCKS = '"ace-on-ace", "trump-ace" or a trick number 1 to 12'
BAD_LINES = [
    ("", 'there is no preset ""; courtpiece rules lists them'),
    ("Single Sir", 'there is no preset "Single Sir" (did you mean "single-sir"?)'),
    ("single_sir", 'there is no preset "single_sir" (did you mean "single-sir"?)'),
    ("single-sir,target", '"target" is not of the form option=value'),
    ("single-sir,,target=3", '"" is not of the form option=value'),
    ("single-sir,target=3,target=4", "target is given twice"),
    ("mendikot,score=[1,1,2,3],score.two_tens=1", "score is given twice"),
    ("mendikot,score.two_tens=1,score.two_tens=1", "score is given twice"),
    ("target=3,single-sir", '"single-sir" is not of the form option=value'),
    ("double-sir,pile_blocks=[2", f'pile_blocks must be a list of {BLOCKS}, not "[2"'),
    ("single-sir,target=" + "9" * 19, f'target must be a whole number from 1 up or "none", not "{"9" * 19}"'),
    ("single-sir,target=1.5", 'target must be a whole number from 1 up or "none", not "1.5"'),
]


@pytest.mark.parametrize(("line", "reason"), BAD_LINES)
def test_a_bad_line_gets_one_reason(line: str, reason: str) -> None:
    with pytest.raises(RulesError) as caught:
        resolve(line)
    assert caught.value.reasons == (reason,)


@given(st.text())
def test_any_text_is_rules_or_is_refused_in_one_line(text: str) -> None:
    assert "\n" not in str(refusal(resolve, text))


def test_a_preset_name_is_never_looked_up_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "target = 3")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RulesError, match="there is no preset"):
        preset("house.toml")


def test_something_else_altogether_is_refused() -> None:
    with pytest.raises(RulesError, match="a rule set is a preset's name"):
        resolve(3)  # type: ignore[arg-type]
