"""What Jupyter shows: pictures of hands, tricks, deals and advice, as SVG that needs nothing but itself.

Every picture has a ground of its own, so that it reads on light and dark pages, tells a screen reader what it
shows, and draws its pips as shapes: some fonts have coloured pictures in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from courtpiece.cards import RANKS, Card, Suit
from courtpiece.rules import name_of

if TYPE_CHECKING:
    from courtpiece.advice import Advice
    from courtpiece.deal import Deal, Trick

_GROUND, _INK, _SOFT, _LINE, _BLUE = "#f2f5f1", "#1c1f23", "#5c636b", "#b9c2ba", "#0072b2"
_COLOURS = {Suit.S: "#111111", Suit.H: "#c1121f", Suit.D: "#c1121f", Suit.C: "#111111"}
_PIPS = {                               # in a square of 10 by 10
    Suit.S: "M5 0C6 2 10 4 10 6.4A2.2 2.2 0 0 1 5.7 7.3Q5.8 9 7 10H3Q4.2 9 4.3 7.3A2.2 2.2 0 0 1 0 6.4"
            "C0 4 4 2 5 0Z",
    Suit.H: "M5 10C4 8 0 6 0 3A2.6 2.6 0 0 1 5 2A2.6 2.6 0 0 1 10 3C10 6 6 8 5 10Z",
    Suit.D: "M5 0L9 5L5 10L1 5Z",
    Suit.C: "M5 0A2.3 2.3 0 0 1 7 3.6A2.4 2.4 0 1 1 5.7 7.2Q5.8 9 7 10H3Q4.2 9 4.3 7.2A2.4 2.4 0 1 1 3 3.6"
            "A2.3 2.3 0 0 1 5 0Z",
}
_RANK_WORDS = dict(zip(RANKS, (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
), strict=True))
_FONTS = "system-ui, Helvetica, Arial, 'DejaVu Sans', sans-serif"
_WIDTH, _HEIGHT = 34, 48                # of a card
_MOST_APART = 6                         # cards that lie side by side; more of them overlap
_SEATS = ("eldest", "second", "partner", "dealer")


def told(cards: Iterable[Card]) -> str:
    """Returns cards in words, for those who hear a picture.

    >>> from courtpiece.cards import parse_cards
    >>> told(parse_cards("AS TH"))
    'ace of spades, ten of hearts'
    """
    return ", ".join(f"{_RANK_WORDS[RANKS[card.rank]]} of {card.suit.word}" for card in cards)


def hand_picture(cards: Sequence[Card]) -> str:
    """Returns a picture of some cards in a row, in the order given."""
    step = _step(cards)
    width = max(1, len(cards) - 1) * step * (len(cards) > 1) + _WIDTH + 16
    return _picture(width, _HEIGHT + 16, told(cards) or "no cards", [_row(cards, 8, 8, step)])


def trick_picture(trick: Trick) -> str:
    """Returns a picture of a trick: its cards in the order played, the winning one framed."""
    seats = [(trick.leader + place) % 4 for place in range(len(trick.cards))]
    parts = []
    for place, (seat, card) in enumerate(zip(seats, trick.cards, strict=True)):
        x = 20 + 66 * place
        parts.append(_card(card, x, 8, framed=seat == trick.winner))
        parts.append(_text(x + _WIDTH / 2, 72, _SEATS[seat], size=11, anchor="middle",
                           colour=_INK if seat == trick.winner else _SOFT))
    heard = ", ".join(f"{_SEATS[seat]} {told([card])}" for seat, card in zip(seats, trick.cards, strict=True))
    return _picture(272, 82, f"Trick: {heard}; {_SEATS[trick.winner]} wins", parts)


def deal_picture(deal: Deal) -> str:
    """Returns a picture of a deal: four hands round the table, those cards pale that have been played.

    The trick on the table lies in the middle, with trump and the tricks taken; the last line says who is to
    act, or what came of the deal.
    """
    parts, heard = [], []
    places = {"N": (320, 34), "W": (122, 132), "E": (518, 132), "S": (320, 230)}      # middle, top
    on_table = {"N": (303, 92), "W": (262, 132), "E": (344, 132), "S": (303, 172)}
    for seat in range(4):
        name = deal.name(seat)
        middle, top = places[name]
        cards = sorted(deal.dealt[seat], key=lambda card: (card.suit, -card.rank))
        left = middle - ((len(cards) - 1) * 15 + _WIDTH) / 2
        parts.append(_row(cards, left, top, 15, pale=set(cards) - set(deal.hands[seat])))
        role = " · calls" if seat == deal.caller else " · deals" if seat == 3 else ""
        acts = deal.phase != "over" and seat == deal.turn
        parts.append(_text(middle, top - 6, name + role, size=12, anchor="middle",
                           colour=_BLUE if acts else _INK, bold=acts))
        heard.append(f"{name} holds {told(deal.hands[seat]) or 'no cards'}")
    for place, card in enumerate(deal.trick):
        parts.append(_card(card, *on_table[deal.name((deal.leader + place) % 4)]))
    lines = _standing(deal)
    for place, line in enumerate(lines):
        parts.append(_text(14, 24 + 16 * place, line, size=12))
    last = _moment(deal)
    parts.append(_text(320, 306, last, size=12, anchor="middle", colour=_SOFT))
    return _picture(640, 318, "; ".join([*lines, *heard, last]), parts)


def _standing(deal: Deal) -> list[str]:
    """Returns trump and the tricks taken, in lines."""
    if deal.trump is not None:
        trump = f"trump {deal.trump.word}"
    else:
        trump = "trump lies face down" if deal.hidden_card is not None else "no trump yet"
    tricks = " · ".join(f"{deal.side_name(side)} {deal.taken[side]}" for side in (0, 1))
    return [trump, f"tricks {tricks}", *([f"pile {deal.pile}"] if deal.pile else [])]


def _moment(deal: Deal) -> str:
    from courtpiece.sentences import result

    if deal.phase == "over":
        return result(deal) if deal.outcome is not None else "The ending is over."
    to_do = "to call" if deal.phase == "call" else f"to play to trick {deal.trick_number}"
    return f"{deal.name(deal.turn)} {to_do} · {name_of(deal.rules)}"


def advice_page(advice: Advice) -> str:
    """Returns what Jupyter shows of advice: the hand, the verdict, every call with its error, the numbers."""

    def cells(row: Sequence[str], tag: str) -> str:
        first, *others = (escape(cell) for cell in row)
        right = "".join(f'<{tag} style="text-align:right">{cell}</{tag}>' for cell in others)
        return f'<tr><{tag} style="text-align:left">{first}</{tag}>{right}</tr>'

    body = "".join(
        cells(row, "th" if call is advice.best else "td")
        for call, row in zip(advice.calls, advice.rows(), strict=True)
    )
    return (
        f"{hand_picture(advice.hand)}"
        f'<p style="margin:0.3em 0">{escape(advice.verdict)}</p>'
        f"{calls_picture(advice)}"
        f"<table><thead>{cells(advice.head, 'th')}</thead><tbody>{body}</tbody></table>"
        f'<p style="font-size:0.85em;opacity:0.75">{escape(advice.method)}</p>'
    )


def calls_picture(advice: Advice) -> str:
    """Returns a picture of what each call is worth: points ahead, with 95 % intervals."""
    from courtpiece.advice import label

    ends = [end for call in advice.calls for end in (call.points.low, call.points.high)]
    low, high = min(ends), max(ends)
    room = max(high - low, 1e-9)
    left, right, top = 150, 530, 12

    def x(value: float) -> float:
        return left + (value - low) / room * (right - left)

    height = top + 26 * len(advice.calls) + 30
    parts = []
    if low < 0 < high:
        zero = f'x1="{x(0):.1f}" x2="{x(0):.1f}"'
        parts.append(f'<line {zero} y1="{top}" y2="{height - 30}" stroke="{_LINE}"/>')
    for place, call in enumerate(advice.calls):
        y = top + 13 + 26 * place
        best = call is advice.best
        colour = _BLUE if best else _SOFT
        ends_at = f'{x(call.points.low):.1f}" x2="{x(call.points.high):.1f}"'
        parts += [
            _text(left - 14, y + 4, label(call.words), size=13, anchor="end", bold=best),
            f'<line x1="{ends_at} y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>',
            f'<circle cx="{x(call.points.value):.1f}" cy="{y}" r="4.5" fill="{colour}"/>',
            _text(right + 14, y + 4, f"{call.points.value:+z.2f}".replace("-", "−"), size=13, bold=best),
        ]
    parts.append(_text((left + right) / 2, height - 10, f"{advice.unit} ahead, a deal", size=11,
                       anchor="middle", colour=_SOFT))
    heard = "; ".join(f"{call}: {call.points} {advice.unit} ahead" for call in advice.calls)
    return _picture(600, height, heard, parts)


# Parts of pictures


def _picture(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    heard = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{heard}" '
        f'style="max-width:100%;height:auto" font-family="{_FONTS}"><title>{heard}</title>'
        f'<rect width="100%" height="100%" rx="8" fill="{_GROUND}"/>{"".join(parts)}</svg>'
    )


def _step(cards: Sequence[Card]) -> int:
    return _WIDTH + 4 if len(cards) <= _MOST_APART else 22


def _row(
    cards: Sequence[Card], left: float, top: float, step: float, pale: Iterable[Card] = ()
) -> str:
    faded, last = frozenset(pale), len(cards) - 1
    return "".join(
        _card(card, left + step * place, top, pale=card in faded, whole=step > _WIDTH or place == last)
        for place, card in enumerate(cards)
    )


def _card(
    card: Card, x: float, y: float, *, pale: bool = False, framed: bool = False, whole: bool = True
) -> str:
    """Returns one card; of one that is not seen whole, the left edge tells all."""
    rank = RANKS[card.rank].replace("T", "10")
    colour = _COLOURS[card.suit]
    frame = f'stroke="{_BLUE}" stroke-width="2.5"' if framed else f'stroke="{_LINE}"'
    large = f'<path transform="translate(15 26) scale(1.6)" d="{_PIPS[card.suit]}"/>' if whole else ""
    squeezed = ' textLength="12" lengthAdjust="spacingAndGlyphs"' if rank == "10" else ""
    return (
        f'<g transform="translate({x:g} {y:g})">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="4" fill="#ffffff" {frame}/>'
        f'<g fill="{colour}" opacity="{0.25 if pale else 1}">'
        f'<text x="2" y="14" font-size="13" font-weight="600"{squeezed}>{rank}</text>'
        f'<path transform="translate(2.5 17.5)" d="{_PIPS[card.suit]}"/>{large}</g></g>'
    )


def _text(
    x: float, y: float, text: str, *, size: int, anchor: str = "start", colour: str = _INK, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}>'
            f"{escape(text)}</text>")
