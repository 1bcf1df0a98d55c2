"""Cards, their notation, and the classes of five-card hands."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from courtpiece.cards import (
    PACK,
    RANKS,
    SUITS,
    SYMBOLS,
    TENS,
    Card,
    HandClass,
    Suit,
    all_classes,
    class_from_index,
    class_indices,
    class_of,
    dotted,
    equal_suits,
    format_cards,
    parse_cards,
)
from courtpiece.errors import CardError

CLASSES = 134_459
hands = st.lists(st.sampled_from(PACK), unique=True, max_size=13)
fives = st.lists(st.sampled_from(PACK), unique=True, min_size=5, max_size=5)


def test_a_card_is_its_suit_and_rank_as_a_number() -> None:
    assert len(PACK) == 52
    assert list(PACK) == list(range(52))
    for card in PACK:
        assert card == 13 * card.suit + card.rank
        assert isinstance(card.suit, Suit)
        assert str(card) == RANKS[card.rank] + SUITS[card.suit]
        assert card is getattr(Card, str(card)[::-1]) is Card(int(card)) is PACK[card]


def test_cards_and_suits_show_themselves() -> None:
    assert str(Card.SA) == f"{Card.SA}" == "AS"
    assert f"{Card.HT:>4}|{Suit.H:<2}|" == "  TH|H |"
    assert repr(Card.HT) == "Card.HT"
    assert [suit.symbol for suit in Suit] == list("♠♥♦♣")
    assert [suit.word for suit in Suit] == ["spades", "hearts", "diamonds", "clubs"]
    assert format_cards(TENS) == "TS TH TD TC"


@given(st.sampled_from(PACK))
def test_a_card_stays_itself_through_pickle_and_copy(card: Card) -> None:
    assert pickle.loads(pickle.dumps(card)) is copy.deepcopy(card) is card


@given(
    st.sampled_from(PACK),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "\ufe0f"]),
)
def test_every_spelling_of_a_card_is_read(
    card: Card, ten: bool, pip: bool, suit_first: bool, lower: bool, variation: str
) -> None:
    rank = RANKS[card.rank].replace("T", "10" if ten else "T")
    suit = SYMBOLS[card.suit] + variation if pip else SUITS[card.suit]
    text = suit + rank if suit_first else rank + suit
    assert Card.parse(text.lower() if lower else text) is card
    assert parse_cards(f" {text} ") == (card,)


@pytest.mark.parametrize(
    "text", ["", "A", "S", "1S", "AX", "ASS", "11S", "AS KS", "S10H", "٣S", "A♠♠", "0S", "100S"]
)
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(CardError, match="there is no card"):
        Card.parse(text)


@pytest.mark.parametrize(
    ("text", "suit"),
    [("s", Suit.S), ("♥", Suit.H), ("♥\ufe0f", Suit.H), (" Diamonds ", Suit.D), ("club", Suit.C)],
)
def test_suits_are_read(text: str, suit: Suit) -> None:
    assert Suit.parse(text) is suit


@pytest.mark.parametrize("text", ["", "x", "sp", "SH", "1"])
def test_what_is_no_suit_is_refused(text: str) -> None:
    with pytest.raises(CardError, match="there is no suit"):
        Suit.parse(text)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("AS KS 5S 2H 9D", "AS KS 5S 2H 9D"),
        ("as,ks, 5s;2h\t9d\n", "AS KS 5S 2H 9D"),
        ("A♠ K♠ 5♠ 2♥ 9♦", "AS KS 5S 2H 9D"),
        ("♠A SK S5 h2 ♢9", "AS KS 5S 2H 9D"),
        ("ASKS5S 10HTD", "AS KS 5S TH TD"),
        ("SASK S10", "AS KS TS"),
        ("AK5.2..9", "AS KS 5S 2H 9C"),
        ("ak10.2..9", "AS KS TS 2H 9C"),
        ("A K 5 . 2 . . 9", "AS KS 5S 2H 9C"),
        ("AK5.2.-.9", "AS KS 5S 2H 9C"),
        ("AK5.2", "AS KS 5S 2H"),
        ("...A", "AC"),
        ("...", ""),
        ("", ""),
    ],
)
def test_every_notation_of_a_hand_is_read(text: str, cards: str) -> None:
    assert format_cards(parse_cards(text)) == cards


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AS KS AS", "AS is there twice"),
        ("TS 10S", "TS is there twice"),
        ("AA...", "AS is there twice"),
        ("AS K", 'there is no card "K": a card is a rank 2 to 9, T, J, Q, K, A and a suit S, H, D, C'),
        ("AS KSX", 'there is no card "KSX": a card is a rank 2 to 9, T, J, Q, K, A and a suit S, H, D, C'),
        ("ASHK", 'there is no card "ASHK": a card is a rank 2 to 9, T, J, Q, K, A and a suit S, H, D, C'),
        ("AK.Q.J.T.9", '"AK.Q.J.T.9" has 5 groups: spades.hearts.diamonds.clubs are four'),
        ("AK1.2..", '"AK1.2.." has no rank "1": ranks are 2 to 9, T, J, Q, K, A'),
        ("AS.KS", '"AS.KS" has no rank "S": ranks are 2 to 9, T, J, Q, K, A'),
    ],
)
def test_a_bad_hand_gets_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_cards(text)
    assert str(caught.value) == message


@given(hands)
def test_what_is_printed_is_read_back(hand: list[Card]) -> None:
    assert parse_cards(format_cards(hand)) == tuple(hand)
    assert sorted(parse_cards(dotted(hand))) == sorted(hand)
    assert dotted(hand).count(".") == 3


@example("0.\n")
@given(st.text())
def test_any_text_is_cards_or_is_refused_in_one_line(text: str) -> None:
    message = ""
    try:
        parse_cards(text)
    except CardError as error:
        message = str(error)
    assert "\n" not in message


# --- classes ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def classes() -> list[HandClass]:
    return list(all_classes())


def test_the_classes_are_as_many_as_are_known_and_weigh_all_hands(classes: list[HandClass]) -> None:
    assert len(classes) == len(set(classes)) == CLASSES
    assert sum(each.weight for each in classes) == comb(52, 5) == 2_598_960
    assert {each.weight for each in classes} == {4, 12, 24}


def test_the_hands_without_a_card_above_ten_are_as_many_as_are_known(classes: list[HandClass]) -> None:
    low = [each for each in classes if all(card.rank <= RANKS.index("T") for card in each.cards)]
    assert sum(each.weight for each in low) == comb(36, 5) == 376_992


def test_the_classes_are_in_order_of_their_holdings_longer_then_higher_first(
    classes: list[HandClass],
) -> None:
    assert [each.index for each in classes] == list(range(CLASSES))
    shapes = [tuple(map(len, str(each).split("."))) for each in classes]
    holdings = [
        [(len(group), [RANKS.index(rank) for rank in group]) for group in str(each).split(".")]
        for each in classes
    ]
    assert holdings == sorted(holdings, reverse=True)
    assert all(each == sorted(each, reverse=True) for each in holdings)
    assert Counter(shapes) == {
        (5, 0, 0, 0): 1287,
        (4, 1, 0, 0): 9295,
        (3, 2, 0, 0): 22308,
        (3, 1, 1, 0): 26026,
        (2, 2, 1, 0): 40053,
        (2, 1, 1, 1): 35490,
    }
    assert [str(classes[place]) for place in (0, 1, 1286, 1287, -1)] == [
        "AKQJT...",
        "AKQJ9...",
        "65432...",
        "AKQJ.A..",
        "32.2.2.2",
    ]


def test_the_weights_are_the_numbers_of_hands(classes: list[HandClass]) -> None:
    four_ranks = [card for card in PACK if RANKS[card.rank] in "AK2"]
    counted = Counter(class_of(hand)[0].index for hand in combinations(four_ranks, 5))
    assert len(counted) > 50
    for index, number in counted.items():
        assert number == classes[index].weight


@given(fives)
def test_renaming_the_canonical_hand_gives_the_hand(hand: list[Card]) -> None:
    found, renaming = class_of(hand)
    assert sorted(renaming) == list(Suit)
    assert {PACK[13 * renaming[card.suit] + card.rank] for card in found.cards} == set(hand)


@given(fives, st.permutations(list(Suit)), st.randoms())
def test_renaming_suits_and_reordering_cards_keeps_the_class(
    hand: list[Card], names: list[Suit], source: random.Random
) -> None:
    renamed = [PACK[13 * names[card.suit] + card.rank] for card in hand]
    source.shuffle(renamed)
    assert class_of(renamed)[0] == class_of(hand)[0]


@given(fives)
def test_a_class_is_the_class_of_its_own_cards_unrenamed(hand: list[Card]) -> None:
    found, _ = class_of(hand)
    again, renaming = class_of(found.cards)
    assert again == found == class_from_index(found.index)
    assert renaming == tuple(Suit)
    assert str(found) == dotted(found.cards)


@given(fives)
def test_the_weight_is_the_number_of_different_renamings(hand: list[Card]) -> None:
    renamed = {
        frozenset(13 * names[card.suit] + card.rank for card in hand) for names in permutations(range(4))
    }
    assert class_of(hand)[0].weight == len(renamed)


def test_arrays_of_hands_get_the_same_classes() -> None:
    source = np.random.default_rng(5)
    dealt = source.permuted(np.tile(np.arange(52, dtype=np.uint8), (3000, 1)), axis=1)[:, :5]
    wanted = [class_of([PACK[card] for card in hand])[0].index for hand in dealt.tolist()]
    found = class_indices(dealt)
    assert found.dtype == np.int64
    assert found.tolist() == wanted
    assert class_indices(np.empty((0, 5), np.uint8)).tolist() == []


@pytest.mark.parametrize(
    "bad",
    [
        [[0, 1, 2, 3]],
        [0, 1, 2, 3, 4],
        [[0, 1, 2, 3, 52]],
        [[-1, 1, 2, 3, 4]],
        [[0, 0, 1, 2, 3]],
        [[12, 12, 25, 25, 38]],
        [[0.0, 1.0, 2.0, 3.0, 4.0]],
    ],
)
def test_arrays_that_are_no_hands_are_refused(bad: ArrayLike) -> None:
    with pytest.raises(CardError):
        class_indices(bad)


@pytest.mark.parametrize("text", ["", "AS KS QS JS", "AS KS QS JS TS 9S"])
def test_a_class_needs_five_cards(text: str) -> None:
    with pytest.raises(CardError, match="a class is of five different cards"):
        class_of(parse_cards(text))


def test_a_class_needs_different_cards() -> None:
    with pytest.raises(CardError, match="not of AS AS KS QS JS"):
        class_of([Card.SA, Card.SA, Card.SK, Card.SQ, Card.SJ])


@pytest.mark.parametrize("index", [-1, CLASSES])
def test_there_is_no_class_beyond_the_last(index: int) -> None:
    with pytest.raises(CardError, match="classes go from 0 to 134458"):
        class_from_index(index)


@pytest.mark.parametrize(
    ("hand", "groups"),
    [
        ("AS KS 5S 2H 9D", [[Suit.S], [Suit.H], [Suit.D], [Suit.C]]),
        ("AS KS 5S 2H 3H", [[Suit.S], [Suit.H], [Suit.D, Suit.C]]),
        ("AS KS 2H 2D 2C", [[Suit.S], [Suit.H, Suit.D, Suit.C]]),
        ("AH KH 5S AC KC", [[Suit.S], [Suit.H, Suit.C], [Suit.D]]),
        ("", [[Suit.S, Suit.H, Suit.D, Suit.C]]),
    ],
)
def test_suits_with_equal_holdings_are_grouped(hand: str, groups: list[list[Suit]]) -> None:
    assert [list(group) for group in equal_suits(parse_cards(hand))] == groups
