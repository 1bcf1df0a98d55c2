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
from courtpiece.errors import CourtpieceError, UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from courtpiece.cards import Card, Suit
    from courtpiece.deal import Deal
    from courtpiece.rules import Outcome, RuleSet
    from courtpiece.solve import CardValue, Position, Solution

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
    """Say what a deal comes to when all four play perfectly with open cards and trump is fixed.

    With --trump, one position: the value of each card and one line of best play. Without, the tricks of the
    leader's side for every trump and leader, and what the deal is worth to it if it is the caller's side.
    """
    from courtpiece.rules import resolve

    hands = _hands_of(deal)
    options = {} if direction is None else {"direction": direction}
    if question is not None:
        _refuse(
            "--question", trump=trump, leader=leader, direction=direction, after=after, json=as_json or None
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
            _refuse("--after", trump=trump, leader=leader)
            _show_position(_position_after(recorded, after), as_json)
            return
        table = _Hands.of_deal(recorded)
    if trump is None:
        _show_table(table, leader, as_json)
    else:
        _show_position(table.led(_suit(trump), table.seat(leader)), as_json)


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

    position: Position
    seats: str                          # the letters in order of play; seat 0 is of the caller's side
    rules: RuleSet | None               # None where no outcome is to be told

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
        return cls(deal.dealt, "".join(map(deal.name, range(4))), deal.rules)

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
    """Returns the position of a recorded deal after so many cards."""
    from courtpiece.cards import Card
    from courtpiece.deal import Deal
    from courtpiece.solve import Position

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
    # A claim of all thirteen tricks is won or lost by other rules than the score of the tricks.
    rules = deal.rules if deal.claimer is None else None
    return _Shown(Position.of(again), "".join(map(deal.name, range(4))), rules)


# One position


def _show_position(shown: _Shown, as_json: bool) -> None:
    from courtpiece.solve import solve as answer

    solution = answer(shown.position, rules=shown.rules)
    if as_json:
        _print_json(_position_json(shown, solution))
        return

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from courtpiece.cli.table import cards_text

    position, seats = shown.position, shown.seats
    turn = position.turn
    console = Console(highlight=False)
    _print_hands(seats, position.hands, position.trump)
    if position.trick:
        led = Text.assemble(f"{seats[position.leader]} led: ", cards_text(position.trick))
        console.print(led, soft_wrap=True)
    console.print()
    grid = Table(box=None, pad_edge=False, header_style="dim")
    grid.add_column(f"{seats[turn]} plays")
    grid.add_column(f"tricks of {shown.side(turn % 2)} from here", justify="right")
    for value in _one_of_equals(solution):
        best = value.tricks == solution.tricks
        cards = Text(" = ").join(cards_text([card]) for card in value.equals)
        grid.add_row(cards, str(value.tricks), style="bold" if best else "")
    console.print(grid)
    console.print()
    console.print(Text.assemble("Best play: ", _line_text(shown, solution)), soft_wrap=True)
    if solution.outcome is not None and shown.rules is not None:
        console.print(Text(_ending(shown, solution.outcome), style="bold"), soft_wrap=True)
    if (side := _certain_claim(shown, solution.tricks)) is not None:
        points, unit = _claim_worth(shown, side)
        told = f"A claim of all thirteen by {shown.side(side)} is certain: {points} {unit}s."
        console.print(Text(told, style="bold"), soft_wrap=True)
    _print_terms(shown.rules)


def _one_of_equals(solution: Solution) -> list[CardValue]:
    """Returns the cards, one of each group of equal ones: the best first, then by suit from the highest."""
    some = (value for value in solution.cards if value.card is value.equals[0])
    return sorted(some, key=lambda value: (-value.tricks, value.card.suit, -value.card.rank))


def _line_text(shown: _Shown, solution: Solution) -> Text:
    """Returns one line of best play, each trick after the letter of who leads it."""
    from rich.text import Text

    from courtpiece.cli.table import cards_text

    position, tricks = shown.position, []
    cards: list[Card] = []
    for card in solution.line:
        if not cards:
            who = shown.seats[position.turn]
        cards.append(card)
        position = position.after(card)
        if not position.trick:
            tricks.append(Text.assemble(who, " ", cards_text(cards)))
            cards = []
    return Text(" · ").join(tricks)


_ENDINGS = {"win": "wins", "kot": "makes a kot"}


def _ending(shown: _Shown, outcome: Outcome) -> str:
    """Returns in words how a deal ends when both sides play for points."""
    winner, points, unit = _worth(shown, outcome)
    unit += "" if points == 1 else "s"
    return f"For points: {shown.side(winner)} {_ENDINGS[outcome.rpartition('-')[2]]}, {points} {unit}."


def _certain_claim(shown: _Shown, tricks: int) -> int | None:
    """Returns the side whose claim of all thirteen is certain before the first card (S4.32), if either's is.

    `tricks` are the most that the side to play can take.
    """
    from courtpiece.deal import FULL_HAND

    position = shown.position
    begun = position.trick or position.tricks_left < FULL_HAND
    if shown.rules is None or not shown.rules.claim or begun:
        return None
    side = position.turn % 2
    return {FULL_HAND: side, 0: 1 - side}.get(tricks)


def _claim_worth(shown: _Shown, side: int) -> tuple[int, str]:
    """Returns what a claim made by a side scores, and in which unit."""
    from courtpiece.rules import Counting, Outcome

    assert shown.rules is not None
    kots = shown.rules.counting is Counting.KOTS
    score = shown.rules.kots_of if kots else shown.rules.score_of
    return score(Outcome.CLAIM_MADE, side == 0), "kot" if kots else "point"


def _worth(shown: _Shown, outcome: Outcome) -> tuple[int, int, str]:
    """Returns the side that wins, and what it scores in which unit."""
    from courtpiece.rules import Counting

    assert shown.rules is not None
    winner = int(outcome.startswith("defender"))
    kots = shown.rules.counting is Counting.KOTS
    score = (shown.rules.kots_of if kots else shown.rules.score_of)(outcome, winner == 0)
    return winner, score, "kot" if kots else "point"


def _position_json(shown: _Shown, solution: Solution) -> dict[str, Any]:
    position, seats = shown.position, shown.seats
    claim = _certain_claim(shown, solution.tricks)
    return {
        "rules": None if shown.rules is None else str(shown.rules),
        "trump": None if position.trump is None else position.trump.name,
        "leader": seats[position.leader],
        "turn": seats[position.turn],
        "hands": _hands_json(seats, position.hands),
        "trick": [str(card) for card in position.trick],
        "taken": {shown.side(side): position.taken[side] for side in (0, 1)},
        "side": shown.side(position.turn % 2),
        "tricks": solution.tricks,
        **_outcome_json(shown, solution.outcome),
        "certain_claim": None if claim is None else shown.side(claim),
        "cards": [
            {
                "card": str(value.card),
                "tricks": value.tricks,
                "equals": [str(card) for card in value.equals if card is not value.card],
            }
            for value in solution.cards
        ],
        "line": [str(card) for card in solution.line],
    }


def _hands_json(seats: str, hands: Sequence[Sequence[Card]]) -> dict[str, str]:
    from courtpiece.cards import dotted

    return {seat: dotted(hand) for seat, hand in zip(seats, hands, strict=True)}


def _outcome_json(shown: _Shown, outcome: Outcome | None) -> dict[str, Any]:
    if outcome is None:
        return {"outcome": None, "winner": None, "score": None}
    winner, score, _ = _worth(shown, outcome)
    return {"outcome": str(outcome), "winner": shown.side(winner), "score": score}


def _print_json(value: object) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False))


def _print_hands(seats: str, hands: Sequence[Sequence[Card]], trump: Suit | None) -> None:
    """Prints the hands, a seat a line in order of play, and the trump suit."""
    from rich.console import Console
    from rich.text import Text

    from courtpiece.cli.table import cards_text, suit_text

    console = Console(highlight=False)
    for seat, hand in zip(seats, hands, strict=True):
        cards = cards_text(sorted(hand, key=lambda card: (card.suit, -card.rank)))
        console.print(Text.assemble((seat, "bold"), "  ", cards), soft_wrap=True)
    if trump is not None:
        console.print(Text.assemble("Trump ", suit_text(trump), f" {trump.word}"), soft_wrap=True)


def _print_terms(rules: RuleSet | None) -> None:
    from rich.console import Console
    from rich.text import Text

    from courtpiece.rules import name_of

    told = "" if rules is None else f"; rules {name_of(rules)}"
    text = f"All hands open, trump fixed and known from the first lead{told}."
    Console(highlight=False).print(Text(text, style="dim"), soft_wrap=True)


# Every trump and leader


class _Cell(NamedTuple):
    """What one trump and leader come to, for the leader's side."""

    shown: _Shown
    tricks: int
    kot: bool | None                    # None, as the outcome, of the end of a deal
    outcome: Outcome | None


def _cell(shown: _Shown) -> _Cell:
    from courtpiece.deal import FULL_HAND
    from courtpiece.rules import Outcome
    from courtpiece.solve import ask

    tricks = ask(shown.position, "tricks", rules=shown.rules)
    assert not isinstance(tricks, Outcome)
    if shown.position.tricks_left < FULL_HAND:
        return _Cell(shown, tricks, None, None)
    outcome = ask(shown.position, "outcome", rules=shown.rules)
    assert isinstance(outcome, Outcome)
    return _Cell(shown, tricks, bool(ask(shown.position, "kot", rules=shown.rules)), outcome)


def _show_table(hands: _Hands, leader: str | None, as_json: bool) -> None:
    from courtpiece.cards import Suit

    leaders = range(4) if leader is None else [hands.seat(leader)]
    rows = [[_cell(hands.led(suit, seat)) for suit in Suit] for seat in leaders]
    if as_json:
        _print_json({
            "rules": str(hands.rules),
            "hands": _hands_json(hands.seats, hands.hands),
            "table": [_cell_json(cell) for row in rows for cell in row],
        })
        return

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from courtpiece.cli.table import suit_text
    from courtpiece.rules import Counting

    console = Console(highlight=False)
    _print_hands(hands.seats, hands.hands, None)
    console.print()
    grid = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 3, 0, 0))
    grid.add_column("leads")
    for suit in Suit:
        grid.add_column(suit_text(suit), no_wrap=True)
    for row in rows:
        grid.add_row(row[0].shown.seats[0], *map(_cell_text, row))
    console.print(grid)
    console.print()
    told = "Tricks of the leader's side"
    if rows[0][0].outcome is not None:
        unit = "kots" if hands.rules.counting is Counting.KOTS else "points"
        told += f"; what the deal is to it, and its {unit}, if it called the suit"
        if hands.rules.claim:
            told += "; claim: one of all thirteen is certain before the first card"
    console.print(Text(f"{told}.", style="dim"), soft_wrap=True)
    _print_terms(hands.rules)


def _cell_text(cell: _Cell) -> str:
    if cell.outcome is None:
        return str(cell.tricks)
    if (side := _certain_claim(cell.shown, cell.tricks)) is not None:
        points, _ = _claim_worth(cell.shown, side)
        return f"{cell.tricks:2} claim {'−' if side else '+'}{points}"
    winner, score, _ = _worth(cell.shown, cell.outcome)
    won = "win" if winner == 0 else "loss"
    word = "kot" if cell.outcome.endswith("kot") else won
    ahead = f"+{score}" if winner == 0 else f"−{score}"
    return f"{cell.tricks:2} {word} {ahead if score else 0}"


def _cell_json(cell: _Cell) -> dict[str, Any]:
    trump = cell.shown.position.trump
    claim = _certain_claim(cell.shown, cell.tricks)
    return {
        "leader": cell.shown.seats[0],
        "trump": None if trump is None else trump.name,
        "tricks": cell.tricks,
        "kot": cell.kot,
        **_outcome_json(cell.shown, cell.outcome),
        "certain_claim": None if claim is None else cell.shown.side(claim),
    }


# A file of deals


def _answer_file(file: str, question: Asked, rules: RuleSet | None, jobs: int) -> None:
    """Prints one answer a line, in order; the first bad line ends it, after the answers before it."""
    from courtpiece.solve import ask

    def answers(positions: Sequence[Position]) -> list[int | Outcome]:
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
    """Yields the position of each line that is not blank; raises an error that names the line."""
    number = 0
    while line := stream.readline(_LONGEST_LINE + 1):
        number += 1
        try:
            if len(line) > _LONGEST_LINE:
                raise UsageError(f"the line is longer than {_LONGEST_LINE} bytes")
            if words := line.decode("utf-8-sig" if number == 1 else "utf-8").split():
                yield _position(words, question, rules)
        except UnicodeDecodeError:
            raise UsageError(f"{file}, line {number} is not UTF-8") from None
        except CourtpieceError as error:
            raise UsageError(f"{file}, line {number}: {error}") from None


def _position(words: Sequence[str], question: Asked, rules: RuleSet | None) -> Position:
    """Returns the position of a line; without rules, any trump may be given and none (-)."""
    from courtpiece.rules import RuleSet
    from courtpiece.solve import check_question

    if len(words) != 5:
        raise UsageError(f"a line is HAND HAND HAND HAND TRUMP, five words, not {len(words)}")
    shown = _Hands.of_texts("", words[:4], rules or RuleSet()).led(_suit(words[4]), 0)
    check_question(shown.position, question.value, rules)
    return shown.position


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(solve)
