"""Deals as `solve` takes them: four hands, PBN, and files with a deal a line."""

from __future__ import annotations

import io

from courtpiece.cards import dotted
from courtpiece.cli.solve import Asked, _Hands, _hands_of, _positions, _suit
from courtpiece.rules import RuleSet, resolve

RULES = (RuleSet(), resolve("single-sir,direction=clockwise"), resolve("hidden-trump"), resolve("double-sir"))


def parse(data: bytes) -> object:
    """Reads a deal from the command line, or, after an `f`, the lines of a file."""
    rules = RULES[len(data) % len(RULES)]
    if data[:1] == b"f":
        questions = list(Asked)
        asked = questions[len(data) % len(questions)]
        given = rules if asked is Asked.OUTCOME or data[1:2] == b"r" else None
        return list(_positions("deals.txt", io.BytesIO(data[1:]), asked, given))
    text, _, rest = data.decode(errors="surrogateescape").partition("\n")
    hands = _hands_of(text.split("|"))
    if hands is None:
        return None
    table = _Hands.of_texts(*hands, rules)
    leader, _, what = rest.partition("\n")
    seat = table.seat(leader or None)
    shown = table.hidden(what, seat) if rules is RULES[2] else table.led(_suit(what or "S"), seat)
    again = _hands_of(["N:" + " ".join(dotted(hand) or "-" for hand in table.hands)])
    assert again is not None
    clockwise = _Hands.of_texts(*again, RULES[1])
    assert [set(hand) for hand in clockwise.hands] == [set(hand) for hand in table.hands]
    return shown


if __name__ == "__main__":
    from campaign import as_script  # type: ignore[import-not-found]  # beside this file, a script here

    as_script(__file__)
