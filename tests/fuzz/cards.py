"""Cards, suits, hands, and the words of a call."""

from __future__ import annotations

from courtpiece.advice import read_five
from courtpiece.cards import PACK, Card, Hand, Suit, class_of, dotted, format_cards, parse_cards
from courtpiece.deal import Deal, deal_out
from courtpiece.rules import resolve

RULES = (
    "single-sir",
    "hidden-trump",
    "single-sir,thirteenth=true,redeal=no-card-above-ten,extras=[change-trump]",
    "single-sir,uncalled=random-own-five",
)


def parse(data: bytes) -> object:
    """Reads a text as what its first byte says."""
    kind, text = data[:1], data[1:].decode(errors="surrogateescape")
    if kind == b"c":
        card = Card.parse(text)
        assert Card.parse(str(card)) is card
        return card
    if kind == b"s":
        suit = Suit.parse(text)
        assert Suit.parse(str(suit)) is suit
        return suit
    if kind == b"5":
        five = read_five(text)
        return class_of(five)
    if kind == b"w":
        return _say(text.split("\n"))
    hand = Hand(text)
    assert parse_cards(format_cards(hand)) == hand
    assert set(parse_cards(dotted(hand))) == set(hand)
    return hand._repr_svg_()


def _say(lines: list[str]) -> object:
    """Says words in a deal, and plays cards once all is said."""
    deal = Deal(resolve(RULES[len(lines) % len(RULES)]), deal_out(PACK[::-1]))
    for line in lines:
        if deal.phase == "play" and "-" in line:
            deal.claim(0)
        elif deal.phase == "play" and " " not in line:
            deal.play(Card.parse(line))
        else:
            deal.say(line)
    return deal


if __name__ == "__main__":
    from campaign import as_script  # type: ignore[import-not-found]  # beside this file, a script here

    as_script(__file__)
