"""Deal records: what a person would write down at a table, read, judged and written.

A record is one JSON object a line.  `judge` gives the answer to one, `answers` to a stream of them; `read`
gives the deal itself, and `write` the record of a deal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, BinaryIO, NoReturn

from courtpiece.cards import Card
from courtpiece.deal import FULL_HAND, LETTERS, REVEAL, SIDES, Deal
from courtpiece.errors import CardError, RecordError, RulesError, one_line, suggest
from courtpiece.match import Match, next_dealer
from courtpiece.rules import Direction, Outcome, RuleSet, Trump, preset, resolve
from courtpiece.rules.loading import nearest_preset

Json = dict[str, Any]

SEAT_LETTERS = tuple(LETTERS[Direction.ANTICLOCKWISE])
LONGEST_LINE = 1 << 24  # bytes: a match of more than ten thousand deals

_DEAL_KEYS = ("id", "rules", "dealer", "hands", "call", "claim", "play")
_MATCH_KEYS = ("id", "rules", "match")


# Judging


def answers(stream: BinaryIO) -> Iterator[Json]:
    """Yields the answer to each record of a stream, in order; only one line is held at a time."""
    for _, line in lines(stream):
        yield judge_line(line)


def judge_line(line: bytes | str) -> Json:
    """Returns the answer to one line of text; see `judge`."""
    try:
        return judge(parse(line))
    except RecordError as error:
        return _refusal(error)


def judge(record: object) -> Json:
    """Returns the answer to one record of a deal or a match, in the form of the deal record.

    `"ok"` is false when the record breaks a rule; then `"error"` and `"message"` say which, and nothing is
    raised.
    """
    head: Json = {}
    try:
        whole = _object(record, "a record")
        head = _head(whole)
        return _judge_match(whole, head) if "match" in whole else answer(read(whole), **head)
    except RecordError as error:
        return _refusal(error, head)


def answer(deal: Deal, **head: Any) -> Json:
    """Returns what is to be said of a deal that is over; `head` goes before it."""
    outcome = _outcome(deal)
    result: Json = {"ok": True, **head, "outcome": str(outcome)}
    if deal.claim_failed:
        result["claim"] = "failed"
    dealer = next_dealer(deal.rules, deal.dealer, outcome, deal.winner)
    result["winner"] = None if deal.winner is None else deal.side_name(deal.winner)
    result["eldest"] = deal.name(0)
    result["caller"] = _caller(deal)
    result["trump"] = None if deal.trump is None else deal.trump.name
    result["trick_winners"] = [deal.name(trick.winner) for trick in deal.tricks]
    for name in ("taken", "tens", "points", "kots"):
        result[name] = _by_side(deal, getattr(deal, name))
    result["next_dealer"] = LETTERS[deal.rules.direction][dealer]
    return result


def _head(record: Json) -> Json:
    """Returns what an answer echoes."""
    if isinstance(record.get("id"), (list, dict)):
        raise RecordError("bad-record", "id must be a text or a number")
    return {"id": record["id"]} if "id" in record else {}


def _outcome(deal: Deal) -> Outcome:
    if deal.outcome is None:
        raise _incomplete(deal)
    return deal.outcome


def _caller(deal: Deal) -> str | None:
    if deal.rules.trump is Trump.FIRST_VOID:
        return None
    return deal.name(0 if deal.caller is None else deal.caller)  # a redeal: eldest, who called for it


def _by_side(deal: Deal, values: Sequence[int]) -> dict[str, int]:
    named = {deal.side_name(side): values[side] for side in (0, 1)}
    return {name: named[name] for name in SIDES}


def _refusal(error: RecordError, head: Json | None = None, **where: int) -> Json:
    result: Json = {"ok": False, **(head or {}), "error": error.code, **where}
    for name in ("seat", "trick", "card"):
        value = getattr(error, name)
        if value is not None:
            result[name] = str(value) if name == "card" else value
    result["message"] = one_line(error.message)
    return result


def _judge_match(record: Json, head: Json) -> Json:
    """Returns the answer to a match, or to its first bad deal."""
    sheets, rules = _sheets_and_rules(record)
    judged: list[Json] = []
    match: Match | None = None
    try:
        for sheet, deal, after, bonus in _deals_of_match(sheets, rules):
            judged.append({**answer(deal, **_head(sheet)), "bonus": bonus})
            match = after
    except RecordError as error:
        return _refusal(error, head, deal=len(judged) + 1)
    score, streaks = (match.score, match.streaks) if match else ([0, 0], [0, 0])
    winner = None if match is None or match.winner is None else SIDES[match.winner]
    return {
        "ok": True,
        **head,
        "deals": judged,
        "score": dict(zip(SIDES, score, strict=True)),
        "streak": dict(zip(SIDES, streaks, strict=True)),
        "winner": winner,
    }


def _sheets_and_rules(record: Json) -> tuple[list[object], RuleSet]:
    _check_keys(record, _MATCH_KEYS, needed=("rules", "match"))
    _check_rules_form(record["rules"])
    sheets = record["match"]
    if not isinstance(sheets, list):
        raise RecordError("bad-record", f"match must be a list of deals, not {_kind(sheets)}")
    return sheets, _rules(record["rules"])


def _deals_of_match(sheets: Iterable[object], rules: RuleSet) -> Iterator[tuple[Json, Deal, Match, int]]:
    """Yields each deal of a match with its record, the match after it, and the bonus that it earned."""
    match: Match | None = None
    for record in sheets:
        if match is not None and match.winner is not None:
            raise RecordError("match-over", f"the match was won after deal {match.deals}")
        sheet = _object(record, "a deal of a match")
        deal = _read_deal_of_match(sheet, rules, None if match is None else match.dealer)
        match = match or Match(rules, deal.dealer)
        yield sheet, deal, match, match.add(_outcome(deal), deal.winner)


# Reading


def read(record: Mapping[str, Any]) -> Deal:
    """Returns the deal of a record, played to its end; raises `RecordError` with the first thing wrong."""
    _check_form(record, _DEAL_KEYS, needed=("rules", "dealer", "hands"))
    rules = _rules(record["rules"])
    return _play_out(record, rules, LETTERS[rules.direction].index(record["dealer"]))


def read_deals(record: Mapping[str, Any]) -> list[Deal]:
    """Returns the deals of a record, one or those of a match; raises `RecordError` with the first fault."""
    whole = _object(record, "a record")
    if "match" not in whole:
        return [read(whole)]
    sheets, rules = _sheets_and_rules(whole)
    deals: list[Deal] = []
    try:
        for _, deal, _, _ in _deals_of_match(sheets, rules):
            deals.append(deal)
    except RecordError as error:
        where = f"deal {len(deals) + 1} of the match: {error.message}"
        raise RecordError(error.code, where, error.seat, error.trick, error.card) from None
    return deals


def _read_deal_of_match(record: Json, rules: RuleSet, dealer: int | None) -> Deal:
    """Returns the deal of a match that `dealer` has to deal, or anyone if it is the first."""
    keys = tuple(key for key in _DEAL_KEYS if key != "rules")
    _check_form(record, keys, needed=("dealer", "hands") if dealer is None else ("hands",))
    order = LETTERS[rules.direction]
    if dealer is None:
        dealer = order.index(record["dealer"])
    elif record.get("dealer", order[dealer]) != order[dealer]:
        raise RecordError("bad-dealer", f"{order[dealer]} deals after the last deal, not {record['dealer']}")
    return _play_out(record, rules, dealer)


def _play_out(record: Mapping[str, Any], rules: RuleSet, dealer: int) -> Deal:
    letters = LETTERS[rules.direction]
    order = [(dealer + 1 + seat) % 4 for seat in range(4)]
    hands = [
        [_card(text, f"the hand of {seat}", seat) for text in record["hands"][seat]]
        for seat in (letters[index] for index in order)
    ]
    for seat, hand in zip(order, hands, strict=True):
        if len(hand) != FULL_HAND:
            raise RecordError("bad-deal", f"{letters[seat]} holds {len(hand)} cards, not 13", letters[seat])
    deal = Deal(rules, hands, dealer=dealer)
    for word in record.get("call", ()):
        deal.say(word)
    if deal.phase == "call":
        name, words = deal.name(deal.turn), ", ".join(deal.legal_words())
        raise RecordError("bad-call", f"the call is not complete: next is one of {words}", name)
    if "claim" in record:
        deal.claim(order.index(letters.index(record["claim"]["seat"])))
    for item in record.get("play", ()):
        if item == REVEAL:
            deal.reveal()
        else:
            number = deal.trick_number
            deal.play(_card(item, f"trick {number}", deal.name(deal.turn), number))
    if deal.phase != "over":
        raise _incomplete(deal)
    return deal


def _incomplete(deal: Deal) -> RecordError:
    seat = deal.name(deal.turn)
    return RecordError(
        "incomplete", f"the play stops in trick {deal.trick_number}, before the card of {seat}"
    )


def _card(text: str, where: str, seat: str, trick: int | None = None) -> Card:
    try:
        return Card.parse(text)
    except CardError as error:
        raise RecordError("bad-card", f"{where}: {error}", seat, trick, text) from None


def _rules(spec: object) -> RuleSet:
    """Returns the rule set of a record: a preset by name, or a table of options on one; never a file."""
    try:
        if isinstance(spec, str):
            return preset(spec)
        return _rules_of_table(json.dumps(spec))
    except RulesError as error:
        raise RecordError("bad-rules", str(error)) from None


@lru_cache(maxsize=64)  # a file of records mostly names one rule set
def _rules_of_table(table: str) -> RuleSet:
    return resolve(json.loads(table))


# The form of a record


def lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yields each record of a stream with the number of its line, from 1; one line is held at a time.

    Blank lines, a byte order mark at the start and either line ending are no part of a record.  Of a line
    that is too long comes so much that `parse` refuses it.
    """
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        rest = line
        while len(rest) >= LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE)
        if len(line) > LONGEST_LINE or line.strip():
            yield number, line


def parse(line: bytes | str) -> object:
    """Returns what a line of JSON says; raises `RecordError` when it is none, or tells a key twice."""
    if len(line) > LONGEST_LINE:
        raise RecordError("bad-json", f"the line is longer than {LONGEST_LINE} bytes")
    try:
        text = line if isinstance(line, str) else line.decode()
        return _DECODER.decode(text)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8: byte {error.start + 1} is 0x{line[error.start]:02x}"
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:
        reason = str(error)
    raise RecordError("bad-json", f"the line is not JSON: {reason}")


def _unique(pairs: Iterable[tuple[str, Any]]) -> Json:
    result: Json = {}
    for key, value in pairs:
        if key in result:
            raise RecordError("bad-record", f'the key "{key}" is there twice')
        result[key] = value
    return result


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text} is too large")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON value")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)

_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}


def _kind(value: object) -> str:
    return "null" if value is None else _KINDS.get(type(value), "an object")


def _object(value: object, what: str) -> Json:
    if not isinstance(value, dict):
        raise RecordError("bad-record", f"{what} must be an object, not {_kind(value)}")
    return value


def _check_keys(record: Mapping[str, Any], known: Sequence[str], needed: Iterable[str]) -> None:
    for key in record:
        if key not in known:
            hint = suggest(key, known) or f"; the keys are {', '.join(known)}"
            raise RecordError("bad-record", f'unknown key "{key}"{hint}')
    for key in needed:
        if key not in record:
            raise RecordError("bad-record", f'the key "{key}" is missing')


def _check_form(record: Mapping[str, Any], known: Sequence[str], needed: Iterable[str]) -> None:
    """Raises `bad-record` unless the keys of a deal are there and hold values of the right type."""
    _check_keys(record, known, needed)
    if "rules" in record:
        _check_rules_form(record["rules"])
    if "dealer" in record:
        _check_seat(record["dealer"], "dealer")
    hands = _object(record["hands"], "hands")
    _check_keys(hands, SEAT_LETTERS, needed=SEAT_LETTERS)
    for seat, hand in hands.items():
        _check_texts(hand, f"the hand of {seat}")
    call = record.get("call", [])
    _check_texts(call, "call")
    if "claim" in record:
        claim = _object(record["claim"], "claim")
        _check_keys(claim, ("seat",), needed=("seat",))
        _check_seat(claim["seat"], "claim.seat")
    if "play" not in record and "redeal" not in call:
        raise RecordError("bad-record", 'the key "play" is missing')
    _check_texts(record.get("play", []), "play")


def _check_rules_form(value: object) -> None:
    if not isinstance(value, (str, dict)):
        raise RecordError("bad-record", f"rules must be a preset's name or an object, not {_kind(value)}")


def _check_seat(value: object, what: str) -> None:
    if value not in SEAT_LETTERS:
        shown = f'"{value}"' if isinstance(value, str) else _kind(value)
        raise RecordError("bad-record", f"{what} must be one of S, E, N, W, not {shown}")


def _check_texts(value: object, what: str) -> None:
    if not isinstance(value, list):
        raise RecordError("bad-record", f"{what} must be a list of texts, not {_kind(value)}")
    for item in value:
        if not isinstance(item, str):
            raise RecordError("bad-record", f"{what} must hold texts only, not {_kind(item)}")


# Writing


def write(deal: Deal, **head: Any) -> Json:
    """Returns the record of a deal that is over, which `judge` accepts; `head` (an `id`) goes before it."""
    return {**head, "rules": _rules_form(deal.rules), **_sheet(deal)}


def write_match(deals: Sequence[Deal], **head: Any) -> Json:
    """Returns the record of a match; `deals` are all of it so far, at least one, under one rule set."""
    return {**head, "rules": _rules_form(deals[0].rules), "match": [_sheet(deal) for deal in deals]}


def _sheet(deal: Deal) -> Json:
    hands = {deal.name(seat): [str(card) for card in hand] for seat, hand in enumerate(deal.dealt)}
    result: Json = {"dealer": deal.name(3), "hands": {seat: hands[seat] for seat in SEAT_LETTERS}}
    if deal.rules.trump is not Trump.FIRST_VOID:
        result["call"] = list(deal.words)
    if deal.claimer is not None:
        result["claim"] = {"seat": deal.name(deal.claimer)}
    if deal.outcome is not Outcome.REDEAL:
        result["play"] = [str(item) for item in deal.plays]
    return result


def _rules_form(rules: RuleSet) -> str | Json:
    """Returns a preset's name, or the options to change on the preset that needs the fewest."""
    name, changes = nearest_preset(rules)
    if not changes:
        return name
    options = rules.to_dict()
    return {"preset": name, **{option: options[option] for option in changes}}
