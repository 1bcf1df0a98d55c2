"""What Jupyter shows: valid pictures that tell all they hold, and nothing that could run or be fetched."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import courtpiece as cp
from courtpiece.cards import PACK, RANKS, Card, parse_cards
from courtpiece.deal import Deal
from courtpiece.notebook import told
from courtpiece.played import played
from courtpiece.players import parse_lineup
from courtpiece.rules import resolve
from courtpiece.table import Table

SVG = "{http://www.w3.org/2000/svg}"


def picture(svg: str) -> ElementTree.Element:
    """Returns a picture read as XML, which says what it shows and needs nothing else."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == root.get("aria-label")
    assert not re.search(r"<script|<image|<a |href|\bon\w+=|url\(|\bid=", svg)
    ground = root.find(f"{SVG}rect")
    assert ground is not None
    assert ground.get("fill")                       # legible on dark pages
    return root


def ranks(root: ElementTree.Element) -> list[str]:
    """Returns the ranks that stand on the cards of a picture."""
    groups = root.iter(f"{SVG}g")
    return [text.text or "" for group in groups for text in group.findall(f"{SVG}text")]


@pytest.fixture(scope="module")
def deal() -> Deal:
    table = Table(resolve("single-sir"), parse_lineup("greedy"))
    return next(played(table, 1, 3, 1))


def test_a_hand_shows_its_cards_in_the_order_given() -> None:
    hand = cp.Hand("AS TS 5S 2H 9D")
    root = picture(hand._repr_svg_())
    assert ranks(root) == ["A", "10", "5", "2", "9"]
    assert root.get("aria-label") == (
        "ace of spades, ten of spades, five of spades, two of hearts, nine of diamonds"
    )


def test_a_hand_is_a_tuple_of_cards_that_reads_like_its_text() -> None:
    hand = cp.Hand("AS KS")
    assert hand == parse_cards("AS KS")
    assert str(hand) == "AS KS"
    assert eval(repr(hand), {"Hand": cp.Hand}) == hand
    assert cp.Hand([Card.SA, Card.SK]) == hand
    with pytest.raises(cp.CourtpieceError, match="no card"):
        cp.Hand("AS XX")


@pytest.mark.parametrize("size", [0, 1, 5, 6, 7, 13, 52])
def test_every_card_of_a_hand_of_any_size_lies_inside_the_picture(size: int) -> None:
    root = picture(cp.Hand(PACK[:size])._repr_svg_())
    assert ranks(root) == [RANKS[card.rank].replace("T", "10") for card in PACK[:size]]
    for group in root.findall(f"{SVG}g"):
        x, y = map(float, re.findall(r"[\d.]+", group.get("transform", "")))
        assert 0 < x < x + 34 < float(root.get("width", "0"))
        assert 0 < y < y + 48 < float(root.get("height", "0"))


def test_a_deal_shows_all_cards_and_pales_those_that_were_played(deal: Deal) -> None:
    root = picture(deal._repr_svg_())
    cards = [group for group in root.findall(f"{SVG}g") if group.find(f"{SVG}g") is not None]
    pale = [group for group in cards if group.findall(f"{SVG}g")[0].get("opacity") != "1"]
    assert len(cards) == 52
    assert len(pale) == sum(isinstance(play, Card) for play in deal.plays)
    heard = root.get("aria-label", "")
    assert all(told([card]) in heard for hand in deal.hands for card in hand)
    assert "SN wins: tricks 7–2 against EW; 1 point." in heard


def test_a_deal_under_way_shows_the_trick_on_the_table_and_who_is_to_act(deal: Deal) -> None:
    fresh = Deal(resolve("double-sir"), deal.dealt)
    assert "S to call" in picture(fresh._repr_svg_()).get("aria-label", "")
    fresh.say("S")
    for _ in range(6):
        fresh.play(fresh.legal_cards()[0])
    root = picture(fresh._repr_svg_())
    assert len(root.findall(f"{SVG}g")) == 52 + 2
    heard = root.get("aria-label", "")
    assert "trump spades" in heard
    assert "pile 1" in heard
    assert f"{fresh.name(fresh.turn)} to play to trick 2 · double-sir" in heard


def test_a_hidden_card_is_told_of_and_not_shown(deal: Deal) -> None:
    hidden = Deal(resolve("hidden-rung"), deal.dealt)
    card = hidden.first_five(0)[0]
    hidden.say(f"hide {card}")
    heard = picture(hidden._repr_svg_()).get("aria-label", "")
    assert "trump lies face down" in heard
    assert f"S holds {told(hidden.hands[0])}" in heard


def test_a_trick_shows_its_cards_in_order_and_frames_the_winner(deal: Deal) -> None:
    trick = deal.tricks[0]
    root = picture(trick._repr_svg_())
    assert len(ranks(root)) == 4
    framed = [rect for rect in root.iter(f"{SVG}rect") if rect.get("stroke-width")]
    assert len(framed) == 1
    assert root.get("aria-label", "").startswith(f"Trick: eldest {told(trick.cards[:1])}")
    assert root.get("aria-label", "").endswith("wins")


def test_advice_shows_each_call_with_its_error_and_escapes_all_names() -> None:
    advice = cp.call("AS KS 5S 2H 9D", deals=200)
    page = advice._repr_html_()
    hand, calls = re.findall("<svg.*?</svg>", page, flags=re.DOTALL)
    assert ranks(picture(hand)) == ["A", "K", "5", "2", "9"]
    root = picture(calls)
    heard = root.get("aria-label", "")
    assert len(root.findall(f"{SVG}circle")) == len(advice.calls)
    for call in advice.calls:
        assert f"{call}: {call.points} points ahead" in heard
    strange = cp.call("AS KS 5S 2H 9D", deals=200, rules=cp.rules("single-sir", target=5))
    assert "<script" not in strange._repr_html_()


def test_the_bars_of_calls_are_their_intervals() -> None:
    advice = cp.call("AS KS 5S 2H 9D", deals=200)
    root = picture(re.findall("<svg.*?</svg>", advice._repr_html_(), flags=re.DOTALL)[1])
    bars = [line for line in root.findall(f"{SVG}line") if line.get("stroke-width")]
    spots = [float(circle.get("cx", "")) for circle in root.findall(f"{SVG}circle")]
    first, last = advice.calls[0].points, advice.calls[-1].points
    scale = (spots[0] - spots[-1]) / (first.value - last.value)
    for bar, call in zip(bars, advice.calls, strict=True):
        length = float(bar.get("x2", "")) - float(bar.get("x1", ""))
        assert length == pytest.approx(scale * (call.points.high - call.points.low), abs=0.2)
