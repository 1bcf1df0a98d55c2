"""A deal on a terminal: cards in colour, hands round the table, the call, the tricks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from courtpiece.cards import RANKS, Card, Suit
from courtpiece.deal import CALLERS, DEFENDERS, FULL_HAND, Deal, Trick
from courtpiece.rules import Collection, Trump
from courtpiece.sentences import result

# Four colours, so that the suits are told apart where pips are small; legible on dark and on light.
_COLOURS = {Suit.S: "bold", Suit.H: "bold red", Suit.D: "bold dark_orange3", Suit.C: "bold green4"}


def suit_text(suit: Suit) -> Text:
    """Returns the pip of a suit."""
    return Text(suit.symbol, style=_COLOURS[suit])


def card_text(card: Card) -> Text:
    """Returns a card as `A♠`."""
    return Text(RANKS[card.rank] + card.suit.symbol, style=_COLOURS[card.suit])


def coloured(line: str) -> Text:
    """Returns a line with the cards and pips in it in their colours."""
    text = Text(line)
    for suit in Suit:
        text.highlight_regex(rf"[{RANKS}]*{suit.symbol}", _COLOURS[suit])
    return text


def cards_text(cards: Sequence[Card]) -> Text:
    """Returns cards in the order given."""
    return Text(" ").join(map(card_text, cards))


def hand_text(cards: Sequence[Card]) -> Text:
    """Returns a hand, a suit a line, high cards first."""
    lines = []
    for suit in Suit:
        ranks = [RANKS[card.rank] for card in sorted(cards, reverse=True) if card.suit is suit]
        lines.append(Text.assemble(suit_text(suit), " ", " ".join(ranks) or "–"))
    return Text("\n").join(lines)


def compass(deal: Deal) -> Grid:
    """Returns the four hands as dealt, each at its side of the table: N above, E to the right."""
    roles = {0: "eldest", 3: "dealer"}
    at = {}
    for seat in range(4):
        head = Text(" · ".join(filter(None, [deal.name(seat), roles.get(seat)])), style="bold underline")
        at[deal.name(seat)] = Text("\n").join([head, hand_text(deal.dealt[seat])])
    grid = Grid.grid(padding=(0, 4))
    grid.add_row("", at["N"], "")
    grid.add_row(at["W"], "", at["E"])
    grid.add_row("", at["S"], "")
    return grid


def print_opening(console: Console, title: str, deal: Deal) -> None:
    """Prints a title, the four hands as dealt, and what was said before the first lead."""
    console.print(Text(title, style="bold"), soft_wrap=True)
    console.print()
    console.print(compass(deal))
    console.print()
    for line in call_lines(deal):
        console.print(line, soft_wrap=True)


def call_lines(deal: Deal) -> Iterator[Text]:
    """Yields what was said before the first lead, a line for each word."""
    if deal.rules.trump is Trump.FIRST_VOID:
        yield Text("Nothing is called: the first card thrown by a void player makes its suit trump.")
        return
    told = Deal(deal.rules, deal.dealt, dealer=deal.dealer)
    for word in deal.words:
        who, five = told.name(told.turn), told.first_five(told.turn)
        kind, _, what = word.partition(" ")
        if kind == "blind":
            yield Text.assemble(f"{who} turns up a card unseen: ", card_text(Card.parse(what)))
        elif kind == "change":
            changed = card_text(Card.parse(what)) if len(what) > 1 else suit_text(Suit[what])
            yield Text.assemble(f"{told.name(told.caller or 0)} changes trump: ", changed)
        else:
            yield Text.assemble(f"{who} holds ", cards_text(five), ": ", _said(kind, what))
        told.say(word)


def _said(kind: str, what: str) -> Text:
    if kind in Suit.__members__:
        return Text.assemble("calls ", suit_text(Suit[kind]), f" {Suit[kind].word}")
    if kind == "hide":
        return Text.assemble("lays ", card_text(Card.parse(what)), " face down")
    return Text({
        "pass": "passes",
        "timeout": "runs out of time",
        "thirteenth": "lets the thirteenth card decide",
        "redeal": "asks for a new deal",
    }[kind])


class _Played(NamedTuple):
    """One finished trick, and what else happened in it."""

    trick: Trick
    notes: list[Text]
    taken: tuple[int, int]              # tricks collected by the sides, afterwards
    pile: int


def _tricks(deal: Deal) -> Iterator[_Played]:
    """Plays a deal once more and yields its tricks."""
    again = Deal(deal.rules, deal.dealt, dealer=deal.dealer)
    for word in deal.words:
        again.say(word)
    if deal.claimer is not None:
        again.claim(deal.claimer)
    notes: list[Text] = []
    hidden, trump = again.hidden_card, again.trump
    for play in deal.plays:
        seat = again.turn
        if isinstance(play, Card):
            taken, done = sum(again.taken), len(again.tricks)
            again.play(play)
            if again.trump is not trump and deal.rules.trump is Trump.FIRST_VOID:
                notes.append(Text.assemble(f"{again.name(seat)} makes trump: ", suit_text(play.suit)))
            if len(again.tricks) > done:
                picked = sum(again.taken) - taken
                if deal.rules.collection is Collection.PILE and picked:
                    notes.append(Text(f"{again.name(again.tricks[-1].winner)} picks up {picked}"))
                yield _Played(again.tricks[-1], notes, (again.taken[0], again.taken[1]), again.pile)
                notes = []
            if hidden is not None and again.hidden_card is None:    # as the turn came to the next player
                notes.append(Text.assemble("turned up: ", card_text(hidden)))
        else:
            again.reveal()
            verb = "shows" if seat == again.hider and not again.trick else "asks"
            shown = Text("") if hidden is None else card_text(hidden)
            notes.append(Text.assemble(f"{again.name(seat)} {verb}: ", shown))
        hidden, trump = again.hidden_card, again.trump


def trick_table(deal: Deal) -> Grid:
    """Returns the tricks of a deal, one a line: `›` led, the winner's card stands in brackets."""
    pile = deal.rules.collection is Collection.PILE
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    grid.add_column("", justify="right", style="dim")
    for seat in range(4):
        grid.add_column(f" {deal.name(seat)}")
    grid.add_column("won by")
    for side in (CALLERS, DEFENDERS):
        grid.add_column(deal.side_name(side), justify="right")
    if pile:
        grid.add_column("pile", justify="right")
    grid.add_column("")
    first = FULL_HAND - len(deal.dealt[0]) + 1
    for number, played in enumerate(_tricks(deal), first):
        winner = played.trick.winner
        cells = [_trick_card(played.trick, seat) for seat in range(4)]
        counts = [str(count) for count in (*played.taken, *([played.pile] if pile else []))]
        grid.add_row(str(number), *cells, deal.name(winner), *counts, Text(", ").join(played.notes))
    return grid


def _trick_card(trick: Trick, seat: int) -> Text:
    """Returns the card a seat played to a trick, marked where it led and where it won."""
    card = card_text(trick.cards[(seat - trick.leader) % 4])
    lead = Text("›" if seat == trick.leader else " ", style="dim")
    if seat == trick.winner:
        return Text.assemble(lead, ("[", "bold"), card, ("]", "bold"))
    return Text.assemble(lead, " ", card)


def result_text(deal: Deal) -> Text:
    """Returns how a finished deal ended, in one line."""
    return Text(result(deal))
