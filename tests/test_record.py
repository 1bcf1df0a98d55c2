"""Deal records: what is judged, what is refused and why, and what is written."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtpiece.cards import PACK
from courtpiece.deal import Deal, deal_out
from courtpiece.errors import RecordError
from courtpiece.match import Match
from courtpiece.record import Json, answer, answers, judge, judge_line, read, write, write_match
from courtpiece.rules import Outcome, RuleSet, RulesSpec, presets, resolve
from tests.arranged import Arrangement
from tests.strategies import random_rule_set

KOT_WINNERS = [0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2]


def random_deal(rules: RuleSet, source: random.Random, dealer: int = 3) -> Deal:
    """Returns a deal played to its end with random legal words, claims, reveals and cards."""
    pack = list(PACK)
    source.shuffle(pack)
    deal = Deal(rules, deal_out(pack), dealer=dealer)
    while deal.phase == "call":
        deal.say(source.choice(deal.legal_words()))
    if deal.legal_words() and source.random() < 0.5:
        deal.say(source.choice(deal.legal_words()))
    if rules.claim and deal.phase == "play" and source.random() < 0.5:
        deal.claim(source.randrange(4))
    while deal.phase == "play":
        if deal.can_reveal and source.random() < 0.4:
            deal.reveal()
        deal.play(source.choice(deal.legal_cards()))
    return deal


def arranged_record(rules: RulesSpec = "single-sir", *words: str, **options: Any) -> Json:
    """Returns the record of a deal whose tricks the callers win, called with `words` (hearts)."""
    arrangement = Arrangement(options.pop("winners", KOT_WINNERS), **options)
    record = write(arrangement.play(arrangement.start(rules, *(words or ("H",)))))
    if isinstance(rules, str):
        assert record["rules"] == rules
    return record


def hidden_record() -> Json:
    """Returns a record of hidden-trump in which S hid the deuce of hearts and nobody can ever ask."""
    return arranged_record("hidden-trump", "hide 2H", rest_first=True)


def error_of(record: object) -> Json:
    result = judge(record)
    assert result["ok"] is False
    assert set(result) <= {"ok", "id", "error", "deal", "seat", "trick", "card", "message"}
    assert "\n" not in result["message"]
    json.dumps(result)
    return result


def code_of(record: object) -> str:
    code = error_of(record)["error"]
    assert isinstance(code, str)
    return code


class TestAnswer:
    def test_a_kot_is_answered_in_full_and_in_order(self) -> None:
        assert json.dumps(judge(arranged_record())) == (
            '{"ok": true, "outcome": "caller-kot", "winner": "SN", "eldest": "S", "caller": "S", '
            '"trump": "H", '
            '"trick_winners": ["S", "N", "S", "N", "S", "N", "S"], "taken": {"SN": 7, "EW": 0}, '
            '"tens": {"SN": 3, "EW": 0}, "points": {"SN": 3, "EW": 0}, "kots": {"SN": 1, "EW": 0}, '
            '"next_dealer": "E"}'
        )

    def test_the_id_is_echoed(self) -> None:
        for name in ("a1", 7, 1.5, None, True):
            assert judge({"id": name, **arranged_record()})["id"] == name
            assert error_of({"id": name})["id"] == name

    @pytest.mark.parametrize(("direction", "letters"), [("anticlockwise", "SENW"), ("clockwise", "SWNE")])
    @pytest.mark.parametrize("dealer", "SENW")
    def test_seats_and_sides_turn_with_the_dealer(self, direction: str, letters: str, dealer: str) -> None:
        arrangement = Arrangement(KOT_WINNERS)
        seat = letters.index(dealer)
        deal = Deal(resolve("single-sir", direction=direction), arrangement.hands, dealer=seat)
        deal.say("H")
        record = write(arrangement.play(deal))
        assert record["dealer"] == dealer
        result = judge(record)
        eldest, partner = letters[(seat + 1) % 4], letters[(seat + 3) % 4]
        side = "SN" if eldest in "SN" else "EW"
        assert result["eldest"] == eldest
        assert result["winner"] == side
        assert result["trick_winners"][:2] == [eldest, partner]
        assert result["points"][side] == 3
        assert result["next_dealer"] == letters[(seat + 2) % 4]

    def test_after_a_pass_the_partner_is_the_caller(self) -> None:
        result = judge(arranged_record("single-sir", "pass", "H"))
        assert (result["eldest"], result["caller"]) == ("S", "N")

    def test_where_nobody_called_eldest_is(self) -> None:
        result = judge(arranged_record("single-sir", "timeout", "timeout", "blind 2H"))
        assert result["caller"] == "S"

    def test_trump_is_null_where_none_ever_counted(self) -> None:
        assert judge(hidden_record())["trump"] is None

    def test_first_void_has_no_caller_and_needs_no_call(self) -> None:
        arrangement = Arrangement(KOT_WINNERS)
        record = write(arrangement.play(arrangement.start("be-ranga")))
        assert "call" not in record
        result = judge(record)
        assert result["caller"] is None
        assert result["trump"] is None
        assert judge({**record, "call": []}) == result
        assert code_of({**record, "call": ["S"]}) == "bad-call"

    def test_a_redeal_ends_the_record_and_keeps_the_dealer(self) -> None:
        first = [card for card in PACK if card.rank < 9][:5]
        rest = [card for card in PACK if card not in first]
        deal = Deal(resolve("bavan"), [[*first, *rest[:8]], rest[8:21], rest[21:34], rest[34:]])
        deal.say("redeal")
        record = write(deal)
        assert "play" not in record
        result = judge(record)
        assert (result["outcome"], result["winner"], result["next_dealer"]) == ("redeal", None, "W")
        assert (result["caller"], result["trump"], result["trick_winners"]) == ("S", None, [])
        assert judge({**record, "play": []}) == result
        refused = error_of({**record, "play": ["2S"]})
        assert (refused["error"], refused["trick"], refused["seat"]) == ("deal-over", 1, "S")
        assert code_of({**record, "call": ["redeal", "S"]}) == "bad-call"
        assert code_of({**record, "claim": {"seat": "S"}}) == "bad-claim"

    def test_claims_made_and_failed_are_told(self) -> None:
        made = arranged_record("bavan", last=2) | {"claim": {"seat": "N"}}
        result = judge(made)
        assert (result["outcome"], result["points"]) == ("claim-made", {"SN": 82, "EW": 0})
        assert "claim" not in result
        failed = judge(made | {"claim": {"seat": "E"}})
        assert (failed["outcome"], failed["claim"], failed["points"]["SN"]) == ("caller-kot", "failed", 13)

    def test_options_may_be_given_on_a_preset(self) -> None:
        rules = {"preset": "single-sir", "score": {"caller_kot": 9}, "kot_moves_call": False}
        result = judge(arranged_record() | {"rules": rules})
        assert result["points"] == {"SN": 9, "EW": 0}
        assert result["next_dealer"] == "W"

    def test_cards_may_be_spelt_in_any_notation(self) -> None:
        record = arranged_record()
        spelt = {
            **record,
            "hands": {
                seat: [card.lower().replace("t", "10") for card in hand]
                for seat, hand in record["hands"].items()
            },
            "play": [card[1] + card[0] for card in record["play"]],
            "call": ["♥"],
        }
        assert judge(spelt) == judge(record)


class TestRefusedRecords:
    @pytest.mark.parametrize("record", [None, True, 5, 1.5, "single-sir", [], [{}]])
    def test_a_record_is_an_object(self, record: object) -> None:
        assert code_of(record) == "bad-record"

    @pytest.mark.parametrize("key", ["rules", "dealer", "hands", "play"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        record = arranged_record()
        del record[key]
        refused = error_of(record)
        assert refused["error"] == "bad-record"
        assert key in refused["message"]

    def test_an_unknown_key_is_named_with_the_one_that_was_meant(self) -> None:
        refused = error_of(arranged_record() | {"dealr": "W"})
        assert refused["error"] == "bad-record"
        assert 'unknown key "dealr" (did you mean "dealer"?)' in refused["message"]

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("id", []),
            ("id", {}),
            ("rules", None),
            ("rules", 5),
            ("rules", ["single-sir"]),
            ("dealer", None),
            ("dealer", 3),
            ("dealer", "X"),
            ("dealer", "w"),
            ("dealer", "SE"),
            ("dealer", ""),
            ("hands", None),
            ("hands", []),
            ("hands", {}),
            ("hands", "AS KS"),
            ("hands", {"S": [], "E": [], "N": []}),
            ("hands", {"S": [], "E": [], "N": [], "X": []}),
            ("hands", {"S": [], "E": [], "N": [], "W": [], "SE": []}),
            ("hands", {"S": "AS KS", "E": [], "N": [], "W": []}),
            ("hands", {"S": [5], "E": [], "N": [], "W": []}),
            ("call", None),
            ("call", "H"),
            ("call", [5]),
            ("call", [["H"]]),
            ("claim", None),
            ("claim", "S"),
            ("claim", {}),
            ("claim", {"seat": "X"}),
            ("claim", {"seat": []}),
            ("claim", {"seat": "S", "card": "AS"}),
            ("play", None),
            ("play", "AS"),
            ("play", [None]),
            ("play", [{"card": "AS"}]),
        ],
    )
    def test_wrong_types_are_refused(self, key: str, value: object) -> None:
        refused = error_of(arranged_record() | {key: value})
        assert refused["error"] == "bad-record"

    @pytest.mark.parametrize(
        "rules",
        [
            "singel-sir",
            "",
            "pyproject.toml",
            "/etc/passwd",
            {"preset": "singel-sir"},
            {"preset": 5},
            {"preset": "single-sir", "colour": "red"},
            {"preset": "single-sir", "collection": "pile"},
            {"claim": {}},
            {"pile_blocks": [[]]},
            {"target": 1.5},
        ],
    )
    def test_rules_that_cannot_be_are_refused(self, rules: object) -> None:
        assert code_of(arranged_record() | {"rules": rules}) == "bad-rules"

    def test_an_unreadable_card_of_a_hand_is_named(self) -> None:
        record = arranged_record()
        record["hands"]["N"][4] = "1S"
        refused = error_of(record)
        assert refused["error"] == "bad-card"
        assert refused["seat"] == "N"
        assert refused["card"] == "1S"

    def test_an_unreadable_card_of_the_play_is_named(self) -> None:
        record = arranged_record()
        record["play"][6] = "AS KS"
        refused = error_of(record)
        assert [refused[key] for key in ("error", "seat", "trick", "card")] == ["bad-card", "N", 2, "AS KS"]

    def test_a_card_dealt_twice_is_named(self) -> None:
        record = arranged_record()
        twice = record["hands"]["E"][0]
        record["hands"]["W"][12] = twice
        refused = error_of(record)
        assert refused["error"] == "bad-deal"
        assert refused["card"] == twice
        assert refused["message"] == f"{twice} is dealt to E and to W"

    def test_thirteen_cards_a_seat_are_needed(self) -> None:
        record = arranged_record()
        record["hands"]["E"].pop()
        refused = error_of(record)
        assert refused["error"] == "bad-deal"
        assert refused["message"] == "E holds 12 cards, not 13"
        record["hands"]["N"].append("2S")
        assert code_of(record) == "bad-deal"

    @pytest.mark.parametrize(
        "call",
        [
            [],
            ["X"],
            [""],
            ["pass"],
            ["timeout"],
            ["timeout", "timeout"],
            ["timeout", "timeout", "H"],
            ["pass", "pass"],
            ["H", "H"],
            ["hide 2H"],
            ["redeal"],
            ["thirteenth"],
            ["H", "change S"],
            ["blind 2H"],
            ["reveal"],
        ],
    )
    def test_calls_that_the_rules_do_not_know_are_refused(self, call: list[str]) -> None:
        assert code_of(arranged_record() | {"call": call}) == "bad-call"

    def test_a_missing_call_is_refused_where_one_is_needed(self) -> None:
        record = arranged_record()
        del record["call"]
        refused = error_of(record)
        assert refused["error"] == "bad-call"
        assert refused["seat"] == "S"

    def test_a_claim_is_refused_where_the_rules_have_none(self) -> None:
        assert code_of(arranged_record() | {"claim": {"seat": "S"}}) == "bad-claim"

    def test_the_play_has_to_go_to_the_end(self) -> None:
        record = arranged_record()
        for length in (0, 5, 27):
            assert code_of(record | {"play": record["play"][:length]}) == "incomplete"
        assert "trick 2, before the card of E" in error_of(record | {"play": record["play"][:5]})["message"]

    def test_and_not_beyond_it(self) -> None:
        record = arranged_record()
        record["play"] += ["AC"]
        refused = error_of(record)
        assert [refused[key] for key in ("error", "seat", "trick", "card")] == ["deal-over", "S", 8, "AC"]

    def test_a_card_not_held_is_named(self) -> None:
        record = arranged_record()
        record["play"][5] = record["play"][0]
        refused = error_of(record)
        assert [refused[key] for key in ("error", "seat", "trick", "card")] == ["not-in-hand", "E", 2, "AS"]

    def test_a_renege_is_named(self) -> None:
        record = arranged_record()
        record["play"][1] = record["hands"]["E"][3]
        refused = error_of(record)
        assert [refused[key] for key in ("error", "seat", "trick")] == ["must-follow", "E", 1]
        assert refused["message"].startswith("trick 1: E holds ")
        assert refused["message"].endswith(f"and must follow spades, played {refused['card']}")

    def test_the_face_down_card_is_not_played(self) -> None:
        record = hidden_record()
        record["play"][0] = "2H"
        refused = error_of(record)
        assert [refused[key] for key in ("error", "seat", "trick", "card")] == ["hidden-card", "S", 1, "2H"]

    def test_a_reveal_is_refused_where_it_may_not_be_asked(self) -> None:
        record = hidden_record()
        record["play"].insert(1, "reveal")
        refused = error_of(record)
        assert [refused[key] for key in ("error", "seat", "trick", "card")] == [
            "bad-reveal",
            "E",
            1,
            "reveal",
        ]

    def test_who_shows_the_card_on_a_lead_must_lead_a_trump(self) -> None:
        record = hidden_record()
        record["play"].insert(0, "reveal")
        refused = error_of(record)
        assert [refused[key] for key in ("error", "seat", "trick", "card")] == ["must-trump", "S", 1, "AS"]

    def test_a_reveal_needs_its_card(self) -> None:
        record = hidden_record()
        record["play"] = ["reveal"]
        assert code_of(record) == "incomplete"

    def test_one_fault_is_named_at_a_time_in_a_fixed_order(self) -> None:
        faults: list[tuple[str, Callable[[Json], object]]] = [
            ("bad-record", lambda record: record.update(dealer="X")),
            ("bad-rules", lambda record: record.update(rules="none")),
            ("bad-card", lambda record: record["hands"]["S"].__setitem__(0, "1S")),
            ("bad-deal", lambda record: record["hands"]["E"].pop()),
            ("bad-call", lambda record: record.update(call=["X"])),
            ("bad-claim", lambda record: record.update(claim={"seat": "S"})),
            ("not-in-hand", lambda record: record["play"].__setitem__(0, "2C")),
        ]
        for first in range(len(faults)):
            record = arranged_record()
            for _, spoil in faults[first:]:
                spoil(record)
            assert code_of(record) == faults[first][0]


class TestLines:
    @pytest.mark.parametrize(
        "line",
        [
            b"{",
            b"deal",
            b'{"id": NaN}',
            b'{"id": Infinity}',
            b'{"id": 1e999}',
            b'{"id": ' + b"9" * 5000 + b"}",
            b'{"id": "\xff"}',
            b"[" * 100_000,
            b'{"id": 1} {"id": 2}',
            b'{"id": "a\tb"}',
            b"\x00",
        ],
    )
    def test_what_is_not_json_is_refused(self, line: bytes) -> None:
        assert judge_line(line)["error"] == "bad-json"

    def test_a_key_given_twice_is_refused(self) -> None:
        refused = judge_line(b'{"dealer": "W", "dealer": "S"}')
        assert refused["error"] == "bad-record"
        assert "twice" in refused["message"]

    def test_text_and_bytes_are_judged_alike(self) -> None:
        line = json.dumps(arranged_record())
        assert judge_line(line) == judge_line(line.encode()) == judge(arranged_record())

    def test_one_answer_a_record_in_order_whatever_is_wrong(self) -> None:
        good = json.dumps({"id": 1, **arranged_record()}).encode()
        text = b"\xef\xbb\xbf" + good + b"\r\n\r\n  \nnonsense\n" + good + b"\n\xff\n[]\n" + good
        results = list(answers(io.BytesIO(text)))
        assert [result.get("error", "") for result in results] == [
            "",
            "bad-json",
            "",
            "bad-json",
            "bad-record",
            "",
        ]

    def test_an_endless_line_is_refused_without_being_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("courtpiece.record.LONGEST_LINE", 3000)
        good = json.dumps(arranged_record()).encode()
        results = list(
            answers(io.BytesIO(good + b"\n" + b"x" * 50_000 + b"\n" + good + b"\n" + b"y" * 9_000))
        )
        assert [result.get("error", "") for result in results] == ["", "bad-json", "", "bad-json"]

    def test_a_line_is_answered_before_the_next_is_read(self) -> None:
        line = json.dumps(arranged_record()).encode() + b"\n"

        class Stream(io.BytesIO):
            reads = 0

            def readline(self, size: int | None = -1, /) -> bytes:
                self.reads += 1
                return line

        stream = Stream()
        results = answers(stream)
        for count in (1, 2, 3):
            next(results)
            assert stream.reads == count

    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.text()
            | st.sampled_from(
                ["AS", "S", "single-sir", "hidden-trump", "reveal", "hide 7H", "redeal", "timeout"]
            ),
            lambda inner: (
                st.lists(inner, max_size=5)
                | st.dictionaries(
                    st.text(max_size=3)
                    | st.sampled_from(
                        [
                            "id",
                            "rules",
                            "dealer",
                            "hands",
                            "call",
                            "claim",
                            "play",
                            "match",
                            "S",
                            "E",
                            "N",
                            "W",
                            "seat",
                            "preset",
                        ]
                    ),
                    inner,
                    max_size=8,
                )
            ),
        )
    )
    @settings(max_examples=200, deadline=None)
    def test_any_json_gets_one_answer(self, value: object) -> None:
        result = judge_line(json.dumps(value))
        assert result["ok"] in (True, False)
        json.dumps(result, allow_nan=False)

    @given(st.data())
    @settings(max_examples=200, deadline=None)
    def test_a_record_with_one_value_replaced_gets_one_answer(self, data: st.DataObject) -> None:
        record = arranged_record()
        key = data.draw(st.sampled_from(sorted(record)))
        odd = (
            st.none()
            | st.integers()
            | st.text(max_size=4)
            | st.sampled_from([*record["play"], "reveal", [], {}])
        )
        if isinstance(record[key], list) and record[key] and data.draw(st.booleans()):
            record[key][data.draw(st.integers(0, len(record[key]) - 1))] = data.draw(odd)
        else:
            record[key] = data.draw(odd)
        result = judge(record)
        assert result["ok"] is True or result["message"]


class TestMatches:
    def played_match(self, spec: RulesSpec, seed: int, limit: int = 400) -> tuple[list[Deal], Match]:
        """Returns the deals of a random match, and the match told their results."""
        rules, source = resolve(spec), random.Random(seed)
        match = Match(rules, source.randrange(4))
        deals: list[Deal] = []
        while match.winner is None and len(deals) < limit:
            deal = random_deal(rules, source, match.dealer)
            assert deal.outcome is not None
            match.add(deal.outcome, deal.winner)
            deals.append(deal)
        return deals, match

    @pytest.mark.parametrize("spec", ["single-sir", "bavan", "mendikot", "double-sir", "single-sir-kots"])
    def test_a_played_match_is_judged_as_it_was_played(self, spec: str) -> None:
        deals, match = self.played_match(spec, seed=4, limit=60)
        result = judge(write_match(deals, id="m"))
        assert list(result) == ["ok", "id", "deals", "score", "streak", "winner"]
        assert result["score"] == {"SN": match.score[0], "EW": match.score[1]}
        assert result["streak"] == {"SN": match.streaks[0], "EW": match.streaks[1]}
        assert result["winner"] == (None if match.winner is None else ("SN", "EW")[match.winner])
        for deal, judged in zip(deals, result["deals"], strict=True):
            assert {**answer(deal), "bonus": judged["bonus"]} == judged
        counting = "kots" if spec == "single-sir-kots" else "points"
        for side in ("SN", "EW"):
            bonus = sum(deal["bonus"] for deal in result["deals"] if deal["winner"] == side)
            assert result["score"][side] == bonus + sum(deal[counting][side] for deal in result["deals"])

    def test_later_deals_may_leave_out_the_dealer(self) -> None:
        deals, _ = self.played_match("single-sir", seed=4)
        record = write_match(deals)
        named = judge(record)
        for sheet in record["match"][1:]:
            del sheet["dealer"]
        assert judge(record) == named
        del record["match"][0]["dealer"]
        refused = error_of(record)
        assert (refused["error"], refused["deal"]) == ("bad-record", 1)

    def test_a_deal_may_have_an_id_of_its_own(self) -> None:
        deals, _ = self.played_match("single-sir", seed=4)
        record = write_match(deals, id="m")
        record["match"][1]["id"] = "second"
        result = judge(record)
        assert result["id"] == "m"
        assert result["deals"][1]["id"] == "second"
        record["match"][1]["id"] = []
        assert (error_of(record)["error"], error_of(record)["deal"]) == ("bad-record", 2)

    def test_a_dealer_out_of_turn_is_refused(self) -> None:
        deals, _ = self.played_match("single-sir", seed=4)
        record = write_match(deals, id=9)
        right = record["match"][2]["dealer"]
        record["match"][2]["dealer"] = next(seat for seat in "SENW" if seat != right)
        refused = error_of(record)
        assert list(refused)[:4] == ["ok", "id", "error", "deal"]
        assert (refused["error"], refused["deal"], refused["id"]) == ("bad-dealer", 3, 9)
        assert right in refused["message"]

    def test_deals_after_the_match_is_won_are_refused(self) -> None:
        deals, _ = self.played_match("single-sir", seed=4)
        refused = error_of(write_match([*deals, deals[0]]))
        assert (refused["error"], refused["deal"]) == ("match-over", len(deals) + 1)

    def test_the_first_bad_deal_is_named(self) -> None:
        deals, _ = self.played_match("single-sir", seed=4)
        record = write_match(deals)
        record["match"][1]["play"].pop()
        record["match"][2]["play"].pop()
        refused = error_of(record)
        assert (refused["error"], refused["deal"]) == ("incomplete", 2)
        record["match"][1] = 5
        assert (error_of(record)["error"], error_of(record)["deal"]) == ("bad-record", 2)
        record["match"][0]["rules"] = "single-sir"  # the rules are the match's
        assert (error_of(record)["error"], error_of(record)["deal"]) == ("bad-record", 1)

    def test_an_open_match_has_no_winner(self) -> None:
        deals, _ = self.played_match("single-sir", seed=4)
        assert judge(write_match(deals[:1]))["winner"] is None
        assert judge({"rules": "single-sir", "match": []}) == {
            "ok": True,
            "deals": [],
            "score": {"SN": 0, "EW": 0},
            "streak": {"SN": 0, "EW": 0},
            "winner": None,
        }

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"match": None}, "bad-record"),
            ({"match": {}}, "bad-record"),
            ({"rules": 5}, "bad-record"),
            ({"rules": "nothing"}, "bad-rules"),
            ({"dealer": "W"}, "bad-record"),
        ],
    )
    def test_a_match_of_the_wrong_form_is_refused(self, change: Json, code: str) -> None:
        deals, _ = self.played_match("single-sir", seed=4)
        refused = error_of(write_match(deals) | change)
        assert refused["error"] == code
        assert "deal" not in refused

    def test_the_seventh_win_in_a_row_carries_the_bonus(self) -> None:
        arrangement = Arrangement([1, *[0] * 11])
        deal = arrangement.play(arrangement.start("single-sir", "H"))
        result = judge(write_match([deal] * 7))
        assert [judged["bonus"] for judged in result["deals"]] == [0, 0, 0, 0, 0, 0, 2]
        assert result["score"] == {"SN": 9, "EW": 0}
        assert result["streak"] == {"SN": 0, "EW": 0}
        assert judge(write_match([deal] * 6))["streak"] == {"SN": 6, "EW": 0}

    def test_a_redeal_in_a_match_counts_as_a_deal(self) -> None:
        first = [card for card in PACK if card.rank < 9][:5]
        rest = [card for card in PACK if card not in first]
        redealt = Deal(resolve("bavan"), [[*first, *rest[:8]], rest[8:21], rest[21:34], rest[34:]])
        redealt.say("redeal")
        arrangement = Arrangement(KOT_WINNERS)
        played = arrangement.play(arrangement.start("bavan", "H"))
        result = judge(write_match([redealt, redealt, played]))
        assert result["ok"]
        assert [judged["outcome"] for judged in result["deals"]] == ["redeal", "redeal", "caller-kot"]
        assert [judged["bonus"] for judged in result["deals"]] == [0, 0, 0]


class TestWriting:
    @pytest.mark.parametrize("name", presets())
    def test_deals_of_every_preset_are_judged_back(self, name: str) -> None:
        source = random.Random(name)
        for _ in range(20):
            deal = random_deal(presets()[name], source, source.randrange(4))
            record = write(deal, id=name)
            assert next(iter(record)) == "id"
            assert record["rules"] == name or presets()[record["rules"]] == deal.rules
            back = read(json.loads(json.dumps(record)))
            assert judge(record) == answer(deal, id=name)
            assert write(back, id=name) == record

    def test_deals_of_any_legal_rules_are_judged_back(self) -> None:
        source = random.Random(8)
        outcomes = set()
        for _ in range(800):
            deal = random_deal(random_rule_set(source), source, source.randrange(4))
            line = json.dumps(write(deal))
            assert read(json.loads(line)).rules == deal.rules
            assert judge_line(line) == answer(deal)
            outcomes.add(deal.outcome)
        assert outcomes >= set(Outcome) - {Outcome.CLAIM_MADE}

    def test_other_rules_are_written_as_changes_of_the_nearest_preset(self) -> None:
        rules = resolve("double-sir", pile_blocks=["trump-ace", 12], target="none")
        arrangement = Arrangement(KOT_WINNERS)
        record = write(arrangement.play(arrangement.start(rules, "H")))
        assert record["rules"] == {"preset": "double-sir", "pile_blocks": ["trump-ace", 12], "target": "none"}

    def test_an_unfinished_deal_has_no_answer(self) -> None:
        deal = Arrangement(KOT_WINNERS).start("single-sir", "H")
        with pytest.raises(RecordError, match="trick 1, before the card of S"):
            answer(deal)


@pytest.mark.parametrize("text", ["x" * 100_000, "A\nS", "\ud800", "\x1b[2J"])
def test_a_message_is_one_printable_line_of_moderate_length(text: str) -> None:
    record = {"rules": text, "dealer": "S", "hands": {"S": [text], "E": [], "N": [], "W": []}, "play": []}
    for rules in (text, "hakim"):
        message = judge(record | {"rules": rules})["message"]
        assert message.isprintable()
        assert len(message) < 500
