"""`courtpiece solve`: exact answers, all four hands open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple

import typer

from courtpiece.cli.files import reading
from courtpiece.cli.options import AsJson
from courtpiece.cli.output import console, print_json
from courtpiece.errors import CourtpieceError, UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from courtpiece.cards import Card, Suit
    from courtpiece.deal import Deal
    from courtpiece.rules import Outcome, RuleSet
    from courtpiece.solve import Play, Position, Solution

_DEFAULT_RULES = "single-sir"
_PBN = re.compile(r'\s*(?:\[\s*deal\s+"\s*)?([NESW])\s*:(.*?)(?:"\s*\])?\s*', re.IGNORECASE | re.DOTALL)
_LONGEST_LINE = 1 << 12                 # bytes; four hands and a suit take about seventy
_LINES_AT_ONCE = 64                     # for each core
_LINES_OF_A_TASK = 8


class Asked(StrEnum):
    """The questions that a file of deals can be asked."""

    SEVEN = "seven"
    TRICKS = "tricks"
    KOT = "kot"
    OUTCOME = "outcome"


_QUESTION_HELP = (
    "Ask this of each line `HAND HAND HAND HAND TRUMP` of a file, for the leader's side: seven (1 or 0), "
    "tricks, kot (the first seven in a row; 1 or 0), or outcome."
)


def solve(
    deal: Annotated[
        list[str],
        typer.Argument(
            metavar="DEAL",
            help="Four hands in order of play from the leader, such as AK5.2.. by suit, S.H.D.C; or a PBN "
            "deal such as N:…; or a file, - for standard input.",
        ),
    ],
    trump: Annotated[str | None, typer.Option(help="The trump suit; without it, all four in turn.")] = None,
    hide: Annotated[
        str | None, typer.Option(help="The leader's card that lies face down, by rules with hidden trump.")
    ] = None,
    leader: Annotated[
        str | None, typer.Option(help="The seat that leads; the first hand is of S, or as PBN says.")
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help=f"The rules whose points count; {_DEFAULT_RULES}, or the record's own.")
    ] = None,
    direction: Annotated[
        str | None, typer.Option(help="anticlockwise or clockwise, instead of what the rules say.")
    ] = None,
    after: Annotated[
        int | None, typer.Option(help="The position of a record after so many cards were played.", min=0)
    ] = None,
    line: Annotated[int, typer.Option(help="Which record of the file, from 1.", min=1)] = 1,
    question: Annotated[Asked | None, typer.Option(help=_QUESTION_HELP)] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="How many cores answer a file.", min=1)] = 1,
    as_json: AsJson = False,
) -> None:
    """Say what a deal comes to when all four play perfectly with open cards.

    With --trump or --hide, one position: the value of each card and one line of best play. Without, the
    tricks of the leader's side for every trump, or hidden card, and leader, and what the deal is worth to it
    if it is the caller's side.
    """
    from courtpiece.rules import resolve

    hands = _hands_of(deal)
    options = {} if direction is None else {"direction": direction}
    if question is not None:
        _refuse(
            "--question", trump=trump, hide=hide, leader=leader, direction=direction, after=after,
            json=as_json or None,
        )
        if hands is not None:
            raise UsageError("--question takes a file with a deal a line")
        if rules is None and question is Asked.OUTCOME:
            rules = _DEFAULT_RULES
        _answer_file(deal[0], question, None if rules is None else resolve(rules), jobs)
        return
    if jobs > 1:
        raise UsageError("--jobs is for a file of deals with --question")
    if hands is not None:
        if after is not None:
            raise UsageError("--after takes a record: give the file with it")
        ruleset = resolve(rules or _DEFAULT_RULES, **options)
        table = _Hands.of_texts(*hands, ruleset)
    else:
        from courtpiece.cli.play import recorded_deal

        if rules is not None or direction is not None:
            raise UsageError("a record has rules of its own: leave out --rules and --direction")
        recorded = recorded_deal(deal[0], line)[1]
        if after is not None:
            _refuse("--after", trump=trump, hide=hide, leader=leader)
            _show_position(_position_after(recorded, after), as_json)
            return
        table = _Hands.of_deal(recorded)
    if hide is not None:
        _refuse("--hide", trump=trump)
        _show_position(table.hidden(hide, table.seat(leader)), as_json)
    elif trump is not None:
        _show_position(table.led(_suit(trump), table.seat(leader)), as_json)
    else:
        _show_table(table, leader, as_json)


def _refuse(option: str, **others: object) -> None:
    """Raises an error for another option that was given with one that leaves no place for it."""
    for name, value in others.items():
        if value is not None:
            raise UsageError(f"{option} leaves no place for --{name}: leave one of them out")


# The deal that the command line means


def _hands_of(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Returns the letter of the first seat, or "", and the four hands; None where a file is meant."""
    text = " ".join(words)
    if pbn := _PBN.fullmatch(text):
        hands = pbn[2].split()
        if len(hands) != 4:
            raise UsageError(f"a PBN deal has four hands with spaces between, not {len(hands)}")
        return pbn[1].upper(), hands
    if len(words) == 4:
        return "", list(words)
    if len(text.split()) == 4 and all("." in word for word in text.split()):
        return "", text.split()
    if len(words) == 1:
        return None
    raise UsageError(f"a deal has four hands, each one word or in quotes, not {len(words)}")


class _Shown(NamedTuple):
    """A position to show: who sits where, and what counts."""

    position: Position | Deal
    seats: str                          # the letters in order of play; seat 0 is of the caller's side
    rules: RuleSet

    def side(self, side: int) -> str:
        """Returns the name of a side."""
        return _side(self.seats[side])


def _side(seat: str) -> str:
    from courtpiece.deal import SIDES

    return next(side for side in SIDES if seat in side)


class _Hands(NamedTuple):
    """Four hands before the first lead, in order of play."""

    hands: tuple[tuple[Card, ...], ...]
    seats: str
    rules: RuleSet
    five: tuple[Card, ...] | None = None        # of the first seat, where the order dealt is known

    @classmethod
    def of_texts(cls, first: str, texts: Sequence[str], rules: RuleSet) -> _Hands:
        """Returns the hands of four texts: clockwise from a seat (PBN), or without one in order of play."""
        from courtpiece.cards import parse_cards
        from courtpiece.deal import LETTERS
        from courtpiece.rules import Direction

        hands = []
        for number, text in enumerate(texts, 1):
            try:
                hands.append(parse_cards(text))
            except CourtpieceError as error:
                raise UsageError(f"hand {number}: {error}") from None
        if first and rules.direction is Direction.ANTICLOCKWISE:
            hands[1:] = hands[:0:-1]
        order = LETTERS[rules.direction]
        return cls(tuple(hands), _turned(order, order.index(first) if first else 0), rules)

    @classmethod
    def of_deal(cls, deal: Deal) -> _Hands:
        """Returns the hands of a deal as dealt, eldest's first."""
        return cls(deal.dealt, "".join(map(deal.name, range(4))), deal.rules, deal.first_five(0))

    def hideable(self, leader: int) -> list[Card]:
        """Returns the cards that a leader may have laid face down, from the highest of each suit."""
        hand = self.hands[leader]
        if self.five is not None and leader == 0:
            hand = self.five
        return sorted(hand, key=lambda card: (card.suit, -card.rank))

    def hidden(self, card: Card | str, leader: int) -> _Shown:
        """Returns the deal in which a seat leads, its card hidden, of the caller's side then."""
        from courtpiece.cards import Card
        from courtpiece.deal import Deal
        from courtpiece.rules import Trump

        if self.rules.trump is not Trump.HIDDEN:
            raise UsageError(f"trump={self.rules.trump} hides no card: leave --hide out, or change --rules")
        if not isinstance(card, Card):
            card = Card.parse(card)
        first, *others = (*self.hands[leader:], *self.hands[:leader])
        if card not in first:
            raise UsageError(f"{self.seats[leader]} leads and does not hold {card}")
        seats = _turned(self.seats, leader)
        # The hidden card is one of the first five (S0.52).
        deal = Deal(self.rules, [[card, *(held for held in first if held is not card)], *others])
        deal.say(f"hide {card}")
        return _Shown(deal, seats, self.rules)

    def seat(self, letter: str | None) -> int:
        """Returns the seat of a letter, the first for None."""
        if letter is None:
            return 0
        if len(letter) != 1 or letter.upper() not in self.seats:
            raise UsageError(f'the leader is one of {", ".join(self.seats)}, not "{letter}"')
        return self.seats.index(letter.upper())

    def led(self, trump: Suit | None, leader: int) -> _Shown:
        """Returns the position in which a seat leads, of the caller's side then."""
        from courtpiece.solve import Position

        hands = tuple(tuple(sorted(hand, reverse=True)) for hand in self.hands)
        position = Position(hands=(*hands[leader:], *hands[:leader]), trump=trump)
        return _Shown(position, _turned(self.seats, leader), self.rules)


def _turned(seats: str, first: int) -> str:
    return seats[first:] + seats[:first]


def _suit(text: str) -> Suit | None:
    """Returns a trump suit, None for "-"."""
    from courtpiece.cards import Suit

    return None if text.strip() == "-" else Suit.parse(text)


def _position_after(deal: Deal, cards: int) -> _Shown:
    """Returns a recorded deal after so many cards."""
    from courtpiece.cards import Card
    from courtpiece.deal import Deal

    there = sum(isinstance(play, Card) for play in deal.plays)
    if cards > there:
        raise UsageError(f"the record has {there} cards played, not {cards}")
    again = Deal(deal.rules, deal.dealt, dealer=deal.dealer)
    for word in deal.words:
        again.say(word)
    if deal.claimer is not None:
        again.claim(deal.claimer)
    for play in deal.plays:
        if not cards:
            break
        if isinstance(play, Card):
            again.play(play)
            cards -= 1
        else:
            again.reveal()
    return _Shown(again, "".join(map(deal.name, range(4))), deal.rules)


# One position


def _show_position(shown: _Shown, as_json: bool) -> None:
    from courtpiece.deal import Deal
    from courtpiece.solve import solve as answer

    position, seats = shown.position, shown.seats
    solution = answer(position, rules=None if isinstance(position, Deal) else shown.rules)
    if as_json:
        print_json(_position_json(shown, solution))
        return

    from rich.table import Table
    from rich.text import Text

    from courtpiece.cli.table import cards_text

    turn = position.turn
    screen = console()
    _print_hands(seats, position.hands, position.trump)
    if isinstance(position, Deal) and position.hidden_card is not None and position.hider is not None:
        hider, down = seats[position.hider], cards_text([position.hidden_card])
        screen.print(Text.assemble(f"{hider} has ", down, " face down"), soft_wrap=True)
    if position.trick:
        led = Text.assemble(f"{seats[position.leader]} led: ", cards_text(position.trick))
        screen.print(led, soft_wrap=True)
    screen.print()
    grid = Table(box=None, pad_edge=False, header_style="dim")
    grid.add_column(f"{seats[turn]} plays")
    grid.add_column(f"tricks of {shown.side(turn % 2)} from here", justify="right")
    first = solution.cards[0]
    if first.tens is not None:
        grid.add_column("tens", justify="right")
    if first.points is not None:
        grid.add_column("points", justify="right")
    for value in solution.cards:
        if value.card is value.equals[0]:
            plays = Text(" = ").join(map(_play_text, value.equals))
            numbers = [str(value.tricks), *([] if value.tens is None else [str(value.tens)])]
            if value.points is not None:
                numbers.append(_ahead(value.points))
            best = (value.tricks, value.points, value.tens) == (first.tricks, first.points, first.tens)
            grid.add_row(plays, *numbers, style="bold" if best else "")
    screen.print(grid)
    screen.print()
    screen.print(Text.assemble("Best play: ", _line_text(shown, solution)), soft_wrap=True)
    if solution.outcome is not None:
        screen.print(Text(_ending(shown, solution), style="bold"), soft_wrap=True)
    if (side := _certain_claim(shown, solution.tricks)) is not None:
        points, unit = _claim_worth(shown, side)
        told = f"A claim of all thirteen by {shown.side(side)} is certain: {points} {unit}s."
        screen.print(Text(told, style="bold"), soft_wrap=True)
    _print_terms(shown)


def _play_text(play: Play) -> Text:
    from rich.text import Text

    from courtpiece.cards import Card
    from courtpiece.cli.table import card_text

    return card_text(play) if isinstance(play, Card) else Text(play)


def _ahead(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}" if points < 0 else "0"


def _line_text(shown: _Shown, solution: Solution) -> Text:
    """Returns one line of best play, each trick after the letter of who leads it."""
    from rich.text import Text

    position, tricks = shown.position, []
    plays: list[Play] = []
    for play in solution.line:
        if not plays:
            who = shown.seats[position.turn]
        plays.append(play)
        position = _played_on(position, play)
        if not position.trick and play != "reveal":
            tricks.append(Text.assemble(who, " ", Text(" ").join(map(_play_text, plays))))
            plays = []
    return Text(" · ").join(tricks)


def _played_on(position: Position | Deal, play: Play) -> Position | Deal:
    """Returns what comes of a position by one play."""
    from courtpiece.cards import Card
    from courtpiece.deal import Deal

    if not isinstance(position, Deal):
        assert isinstance(play, Card)
        return position.after(play)
    deal = position.copy()
    if isinstance(play, Card):
        deal.play(play)
    else:
        deal.reveal()
    return deal


_ENDINGS = {
    "caller-win": "wins",
    "defender-win": "wins",
    "caller-kot": "makes a kot",
    "defender-kot": "makes a kot",
    "three-tens": "wins with three tens",
    "two-tens": "wins with two tens and seven tricks",
    "four-tens": "wins with all four tens",
    "whitewash": "takes all thirteen tricks",
    "claim-made": "makes good its claim",
}


def _ending(shown: _Shown, solution: Solution) -> str:
    """Returns in words how a deal ends when both sides play for points."""
    assert solution.outcome is not None
    assert solution.winner is not None
    points, unit = _worth(shown, solution.outcome, solution.winner)
    unit += "" if points == 1 else "s"
    return f"For points: {shown.side(solution.winner)} {_ENDINGS[solution.outcome]}, {points} {unit}."


def _certain_claim(shown: _Shown, tricks: int) -> int | None:
    """Returns the side whose claim of all thirteen is certain before the first card (S4.32), if either's is.

    `tricks` are the most that the side to play can take.
    """
    from courtpiece.deal import FULL_HAND, Deal

    position = shown.position
    claimed = isinstance(position, Deal) and position.claimer is not None
    begun = position.trick or sum(position.taken) or len(position.hands[(position.turn + 1) % 4]) < FULL_HAND
    if not shown.rules.claim or begun or claimed:
        return None
    side = position.turn % 2
    return {FULL_HAND: side, 0: 1 - side}.get(tricks)


def _claim_worth(shown: _Shown, side: int) -> tuple[int, str]:
    """Returns what a claim made by a side scores, and in which unit."""
    from courtpiece.rules import Outcome

    return _worth(shown, Outcome.CLAIM_MADE, side)


def _worth(shown: _Shown, outcome: Outcome, winner: int) -> tuple[int, str]:
    """Returns what the winner scores in which unit."""
    from courtpiece.rules import Counting

    kots = shown.rules.counting is Counting.KOTS
    score = (shown.rules.kots_of if kots else shown.rules.score_of)(outcome, winner == 0)
    return score, "kot" if kots else "point"


def _position_json(shown: _Shown, solution: Solution) -> dict[str, Any]:
    from courtpiece.deal import Deal

    position, seats = shown.position, shown.seats
    claim = _certain_claim(shown, solution.tricks)
    told: dict[str, Any] = {
        "rules": str(shown.rules),
        "trump": None if position.trump is None else position.trump.name,
        "leader": seats[position.leader],
        "turn": seats[position.turn],
        "hands": _hands_json(seats, position.hands),
        "trick": [str(card) for card in position.trick],
        "taken": {shown.side(side): position.taken[side] for side in (0, 1)},
    }
    if isinstance(position, Deal):
        down = position.hidden_card
        told |= {
            "hidden": None if down is None else str(down),
            "hider": None if position.hider is None else seats[position.hider],
            "pile": position.pile,
            "tens": {shown.side(side): position.tens[side] for side in (0, 1)},
        }
    return told | {
        "side": shown.side(position.turn % 2),
        "tricks": solution.tricks,
        **_outcome_json(shown, solution.outcome, solution.winner),
        "certain_claim": None if claim is None else shown.side(claim),
        "cards": [
            {
                "card": str(value.card),
                "tricks": value.tricks,
                **({} if value.tens is None else {"tens": value.tens}),
                **({} if value.points is None else {"points": value.points}),
                "equals": [str(card) for card in value.equals if card is not value.card],
            }
            for value in solution.cards
        ],
        "line": [str(card) for card in solution.line],
    }


def _hands_json(seats: str, hands: Sequence[Sequence[Card]]) -> dict[str, str]:
    from courtpiece.cards import dotted

    return {seat: dotted(hand) for seat, hand in zip(seats, hands, strict=True)}


def _outcome_json(shown: _Shown, outcome: Outcome | None, winner: int | None) -> dict[str, Any]:
    if outcome is None or winner is None:
        return {"outcome": None, "winner": None, "score": None}
    score, _ = _worth(shown, outcome, winner)
    return {"outcome": str(outcome), "winner": shown.side(winner), "score": score}


def _print_hands(seats: str, hands: Sequence[Sequence[Card]], trump: Suit | None) -> None:
    """Prints the hands, a seat a line in order of play, and the trump suit."""
    from rich.text import Text

    from courtpiece.cli.table import cards_text, suit_text

    screen = console()
    for seat, hand in zip(seats, hands, strict=True):
        cards = cards_text(sorted(hand, key=lambda card: (card.suit, -card.rank)))
        screen.print(Text.assemble((seat, "bold"), "  ", cards), soft_wrap=True)
    if trump is not None:
        screen.print(Text.assemble("Trump ", suit_text(trump), f" {trump.word}"), soft_wrap=True)


def _print_terms(shown: _Shown) -> None:
    from rich.text import Text

    from courtpiece.deal import Deal
    from courtpiece.rules import name_of

    position = shown.position
    if isinstance(position, Deal) and position.hidden_card is not None:
        terms = "All hands open, the card that lies face down too"
    elif position.trump is None:
        terms = "All hands open, trump set in the play"
    else:
        terms = "All hands open, trump fixed and known from the first lead"
    text = f"{terms}; rules {name_of(shown.rules)}."
    console().print(Text(text, style="dim"), soft_wrap=True)


# Every trump and leader


class _Cell(NamedTuple):
    """What one trump, or hidden card, and leader come to, for the leader's side."""

    shown: _Shown
    tricks: int
    kot: bool | None                    # None, as the rest, of the end of a deal; and where there is a pile
    outcome: Outcome | None
    winner: int | None


def _cell(shown: _Shown) -> _Cell:
    from courtpiece.deal import FULL_HAND, Deal
    from courtpiece.rules import Collection
    from courtpiece.solve import ask, ending

    position = shown.position
    rules = None if isinstance(position, Deal) else shown.rules
    tricks = ask(position, "tricks", rules=rules)
    assert isinstance(tricks, int)
    if len(position.hands[3]) < FULL_HAND:
        return _Cell(shown, tricks, None, None, None)
    kot = None
    if shown.rules.collection is not Collection.PILE:
        kot = bool(ask(position, "kot", rules=rules))
    return _Cell(shown, tricks, kot, *ending(position, rules=rules))


def _show_table(hands: _Hands, leader: str | None, as_json: bool) -> None:
    from courtpiece.cards import Suit
    from courtpiece.rules import Trump

    leaders = range(4) if leader is None else [hands.seat(leader)]
    if hands.rules.trump is Trump.HIDDEN:
        seat = hands.seat(leader)
        rows = [[_cell(hands.hidden(card, seat))] for card in hands.hideable(seat)]
    elif hands.rules.trump is Trump.FIRST_VOID:
        rows = [[_cell(hands.led(None, seat))] for seat in leaders]
    else:
        rows = [[_cell(hands.led(suit, seat)) for suit in Suit] for seat in leaders]
    if as_json:
        print_json({
            "rules": str(hands.rules),
            "hands": _hands_json(hands.seats, hands.hands),
            "table": [_cell_json(cell) for row in rows for cell in row],
        })
        return

    from rich.table import Table
    from rich.text import Text

    from courtpiece.cli.table import cards_text, suit_text
    from courtpiece.deal import Deal
    from courtpiece.rules import Counting

    screen = console()
    _print_hands(hands.seats, hands.hands, None)
    screen.print()
    grid = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 3, 0, 0))
    shown = rows[0][0].shown
    if isinstance(shown.position, Deal):
        grid.add_column(f"{shown.seats[0]} leads and hides")
        grid.add_column("", no_wrap=True)
    else:
        grid.add_column("leads")
        for cell in rows[0]:
            suit = cell.shown.position.trump
            grid.add_column("" if suit is None else suit_text(suit), no_wrap=True)
    for row in rows:
        position = row[0].shown.position
        named = Text(row[0].shown.seats[0])
        if isinstance(position, Deal) and position.hidden_card is not None:
            named = cards_text([position.hidden_card])
        grid.add_row(named, *map(_cell_text, row))
    screen.print(grid)
    screen.print()
    told = "Tricks of the leader's side"
    if rows[0][0].outcome is not None:
        unit = "kots" if hands.rules.counting is Counting.KOTS else "points"
        called = "if it called the suit" if len(rows[0]) > 1 else "as the caller's side"
        told += f"; what the deal is to it, and its {unit}, {called}"
        if hands.rules.claim:
            told += "; claim: one of all thirteen is certain before the first card"
    screen.print(Text(f"{told}.", style="dim"), soft_wrap=True)
    _print_terms(shown)


_CELLS = {"three-tens": "3 tens", "two-tens": "2 tens", "four-tens": "4 tens", "whitewash": "whitewash"}


def _cell_text(cell: _Cell) -> str:
    if cell.outcome is None or cell.winner is None:
        return str(cell.tricks)
    if (side := _certain_claim(cell.shown, cell.tricks)) is not None:
        points, _ = _claim_worth(cell.shown, side)
        return f"{cell.tricks:2} claim {'−' if side else '+'}{points}"
    score, _ = _worth(cell.shown, cell.outcome, cell.winner)
    won = "win" if cell.winner == 0 else "loss"
    word = "kot" if cell.outcome.endswith("kot") else _CELLS.get(cell.outcome, won)
    return f"{cell.tricks:2} {word} {_ahead(score if cell.winner == 0 else -score)}"


def _cell_json(cell: _Cell) -> dict[str, Any]:
    from courtpiece.deal import Deal

    position = cell.shown.position
    hidden = position.hidden_card if isinstance(position, Deal) else None
    claim = _certain_claim(cell.shown, cell.tricks)
    return {
        "leader": cell.shown.seats[0],
        "trump": None if position.trump is None else position.trump.name,
        **({} if hidden is None else {"hidden": str(hidden)}),
        "tricks": cell.tricks,
        "kot": cell.kot,
        **_outcome_json(cell.shown, cell.outcome, cell.winner),
        "certain_claim": None if claim is None else cell.shown.side(claim),
    }


# A file of deals


def _answer_file(file: str, question: Asked, rules: RuleSet | None, jobs: int) -> None:
    """Prints one answer a line, in order; the first bad line ends it, after the answers before it."""
    from courtpiece.rules import Objective
    from courtpiece.solve import ask, ending

    def answers(positions: Sequence[Position]) -> list[int | str]:
        if question is Asked.OUTCOME and rules is not None and rules.objective is Objective.TENS:
            ends = (ending(position, rules=rules) for position in positions)
            return [f"{outcome} {('caller', 'defender')[winner]}" for outcome, winner in ends]
        return [ask(position, question.value, rules=rules) for position in positions]

    with reading(file) as stream:
        lines = _positions(file, stream, question, rules)
        if jobs == 1:
            for position in lines:
                print(*answers([position]), flush=True)
            return

        from joblib import Parallel, delayed

        # Rounds, so that only so many lines are held; threads, as the search lets the others run.
        with Parallel(n_jobs=jobs, prefer="threads") as parallel:
            ended = False
            while not ended:
                held, wrong = _taken(lines, _LINES_AT_ONCE * jobs)
                ended = not held or wrong is not None
                starts = range(0, len(held), _LINES_OF_A_TASK)
                tasks = (held[start:start + _LINES_OF_A_TASK] for start in starts)
                for some in parallel(delayed(answers)(task) for task in tasks):
                    print(*some, sep="\n")
                if wrong is not None:
                    raise wrong


def _taken(lines: Iterator[Position], count: int) -> tuple[list[Position], CourtpieceError | None]:
    """Returns the next positions, and the error that came instead of a further one."""
    held: list[Position] = []
    try:
        held.extend(islice(lines, count))
    except CourtpieceError as error:
        return held, error
    return held, None


def _positions(file: str, stream: BinaryIO, question: Asked, rules: RuleSet | None) -> Iterator[Position]:
    """Yields the position of each line that is not blank; raises an error that names the line.

    Without rules, any trump may be given and none (-).
    """
    from courtpiece.rules import RuleSet
    from courtpiece.solve import check_question

    default, number = RuleSet(), 0
    while line := stream.readline(_LONGEST_LINE + 1):
        number += 1
        try:
            if len(line) > _LONGEST_LINE:
                raise UsageError(f"the line is longer than {_LONGEST_LINE} bytes")
            if words := line.decode("utf-8-sig" if number == 1 else "utf-8").split():
                position = _position(words, rules or default)
                check_question(position, question.value, rules)
                yield position
        except UnicodeDecodeError:
            raise UsageError(f"{file}, line {number} is not UTF-8") from None
        except CourtpieceError as error:
            raise UsageError(f"{file}, line {number}: {error}") from None


def _position(words: Sequence[str], rules: RuleSet) -> Position:
    """Returns the position of a line."""
    from courtpiece.deal import Deal

    if len(words) != 5:
        raise UsageError(f"a line is HAND HAND HAND HAND TRUMP, five words, not {len(words)}")
    shown = _Hands.of_texts("", words[:4], rules).led(_suit(words[4]), 0)
    assert not isinstance(shown.position, Deal)
    return shown.position


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(solve)
