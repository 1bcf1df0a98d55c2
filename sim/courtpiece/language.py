"""What is said to a person about results, in English, Urdu or Hindi: words, numbers, names of cards.

The words lie in report/texts: `page.toml` what every page says, `STUDY.toml` what is said about a study; in
the folders `ur` and `hi` the same keys in these languages.  What a translation lacks is said in English.

Numbers have Latin digits in all three, as most Urdu and Hindi texts on the game have them, and as commands
and files need them; Hindi groups them in lakhs and crores.  In Urdu, which runs from right to left, names,
numbers and commands stand in Unicode's isolates, so that each reads from left to right in its place.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Self, TypeAlias

from courtpiece.cards import RANKS, Suit, parse_cards
from courtpiece.errors import UsageError, suggest
from courtpiece.stats import UNKNOWN, decimals, is_exact

LANGUAGES = ("en", "ur", "hi")
_TEXTS = Path(__file__).parent / "report" / "texts"
_CERTAIN = 100.0                        # per cent
_LARGE, _MOST_WHOLE = 1000, 1e15           # between these, numbers are told without decimals
_TINY = 0.0005                          # a half-width that three decimals would not show
_LEAST_P = 0.0001
_NO_BREAK = "\u00a0"
_LEFT_TO_RIGHT, _END = "\u2066", "\u2069"


@dataclass(frozen=True)
class Share:
    """A chance between 0 and 1, said in per cent; one without a half-width is exact."""

    value: float
    half_width: float | None = None


@dataclass(frozen=True)
class Mean:
    """A mean in its own unit; one without a half-width is exact."""

    value: float
    half_width: float | None = None


@dataclass(frozen=True)
class PValue:
    """A p-value."""

    value: float


@dataclass(frozen=True)
class Term:
    """Something that the language has words for, by its name in results: `S`, or `longest` of `policy`."""

    name: str
    column: str = ""


@dataclass(frozen=True)
class Cards:
    """Some cards, as `AS KS 5S 2H 9D`."""

    text: str


# Text is a name, which is the same in every language; several are listed.
Value: TypeAlias = Share | Mean | PValue | Term | Cards | int | str | Sequence[str]


@dataclass(frozen=True)
class Sentence:
    """One sentence of an answer: the key of its words among the texts' [answer], and what stands in it."""

    key: str
    values: Mapping[str, Value] = field(default_factory=dict)


def check_language(code: str) -> str:
    """Returns the code of a language; raises UsageError for one that pages cannot be in."""
    if code not in LANGUAGES:
        raise UsageError(f'there is no language "{code}"{suggest(code, LANGUAGES)}; there are en (English), '
                         "ur (Urdu) and hi (Hindi)")
    return code


class Words:
    """What is said about one study, in one language."""

    def __init__(self, study: str = "", code: str = "en") -> None:
        self.code = check_language(code)
        self._texts = _texts(study, code)

    @property
    def right_to_left(self) -> bool:
        """True where lines begin on the right."""
        return self._found("language", "direction") == "rtl"

    def __call__(self, key: str, **values: Value) -> str:
        """Returns words of the study's figures, such as `kots.title`, with values in them."""
        return self.fill(self._found("figures", *key.split(".")), values)

    def page(self, key: str, **values: Value) -> str:
        """Returns words that every page has."""
        return self.fill(self._found("page", key), values)

    def sentence(self, sentence: Sentence) -> str:
        """Returns a sentence of the answer."""
        return self.fill(self._found("answer", sentence.key), sentence.values)

    def _found(self, *path: str) -> str:
        found: Any = self._texts
        for name in path:
            found = found[name]
        return str(found)

    def text(self, key: str, otherwise: str) -> str:
        """Returns a text about the study as a whole, `title` or `question`."""
        return self.isolated(self._texts.get(key, otherwise))

    def paragraphs(self, key: str) -> list[str]:
        """Returns paragraphs about the study, such as those of the `method`."""
        return [self.isolated(paragraph) for paragraph in self._texts.get(key, ())]

    def names(self, key: str) -> Sequence[str]:
        """Returns the columns and tables that are named under a key, such as `percent`."""
        found: Sequence[str] = self._texts.get(key, ())
        return found

    def table(self, kind: str, name: str) -> str | None:
        """Returns what is said of a table or column, of the `titles`, `captions`, `heads` or `options`."""
        found = self._texts.get(kind, {}).get(name)
        return None if found is None else self.isolated(found)

    def head(self, column: str) -> str:
        """Returns the head of a column, or the name of a measure or parameter."""
        return self.table("heads", column) or self.name(column.replace("_", " "))

    def term(self, name: str, column: str = "") -> str:
        """Returns the word for a value, of one column or of any, or the value where there is none.

        A value that holds others, `if(a,b,c)`, is said in the words of `if`, with those of the others in the
        places {0}, {1} and so on.
        """
        key, *held = _parts(name)
        words = self._texts.get("values", {})
        found = words.get(column, {}).get(key) or words.get(key)
        if not isinstance(found, str):
            return self.isolated(name)
        told = (
            self.whole(int(part)) if part.lstrip("-").isdigit() else self.term(part, column) for part in held
        )
        return self.isolated(found.format(*told))

    # Numbers

    def whole(self, number: int) -> str:
        """Returns a whole number, its digits in groups."""
        digits = f"{number:,}"
        if self._texts["language"]["groups"] == "lakh" and abs(number) >= 100_000:
            head, tail = str(abs(number))[:-3], str(abs(number))[-3:]
            pairs = re.findall(r"\d{1,2}", head[::-1])
            digits = "-" * (number < 0) + ",".join(pair[::-1] for pair in reversed(pairs)) + "," + tail
        return self.isolated(digits.replace("-", "−"))

    def number(self, value: float) -> str:
        """Returns a number that has no error of its own, to four digits; `–` for an endless one."""
        if not math.isfinite(value):
            return UNKNOWN
        large = _LARGE <= abs(value) < _MOST_WHOLE
        return self.whole(round(value)) if large else self.isolated(f"{value:z.4g}".replace("-", "−"))

    def p_value(self, value: float) -> str:
        """Returns a p-value, to two digits down to the least that can be meant."""
        return self.isolated(f"{value:.2g}" if value >= _LEAST_P else f"< {_LEAST_P:.4f}")

    def in_percent(self, head: str) -> str:
        """Returns the head of a column that holds numbers in per cent."""
        return self._found("language", "in_percent").format(head)

    def percent(self, text: str) -> str:
        """Returns a number with the sign of per cent."""
        return self.isolated(self._found("language", "percent").format(text))

    def estimate(self, value: float, half_width: float, certain: float | None = None) -> str:
        """Returns `value ± half-width`, rounded as the half-width deserves.

        There are three decimals at most, but for half-widths that these would not show.  Where nothing, or
        everything up to `certain`, was seen, the interval has one end: `< 0.6`, `> 93`.  A value without
        error stands alone, and `–` for one of which no error is known.
        """
        if math.isnan(value) or not math.isfinite(half_width):
            return UNKNOWN
        if is_exact(value, half_width):
            return self.isolated(f"{value:z.6g}".replace("-", "−"))
        digits = decimals(half_width, unknown=3)
        if half_width >= _TINY:
            digits = min(3, digits)
        if certain is not None and value in (0, certain):
            end = half_width if value == 0 else certain - half_width
            return self.isolated(f"{'<' if value == 0 else '>'} {end:.{digits}f}")
        return self.isolated(f"{value:z.{digits}f} ± {half_width:.{digits}f}".replace("-", "−"))

    # Sentences

    def fill(self, template: str, values: Mapping[str, Value]) -> str:
        """Returns words with values in their places."""
        return self.isolated(template.format(**{name: self.said(value) for name, value in values.items()}))

    def said(self, value: Value) -> str:
        """Returns a value as it stands in a sentence, where a number is not broken over two lines."""
        if isinstance(value, (Share, Mean, PValue)):
            return self._quantity(value).replace(" ", _NO_BREAK)
        match value:
            case Term():
                return self.term(value.name, value.column)
            case Cards():
                return self.cards(value.text)
            case int():
                return self.whole(value)
            case str():
                return self.name(value)
            case Sequence():
                return self.listed([self.name(name) for name in value])
        raise TypeError(f"{value!r} is nothing that a sentence can say")

    def _quantity(self, value: Share | Mean | PValue) -> str:
        match value:
            case Share(found, None):
                return self.percent(_bare(self.number(100 * found)))
            case Share(found, float(half_width)):
                return self.percent(_bare(self.estimate(100 * found, 100 * half_width, certain=_CERTAIN)))
            case Mean(found, None):
                return self.number(found)
            case Mean(found, float(half_width)):
                return self.estimate(found, half_width)
        told = _bare(self.p_value(value.value))
        return self.isolated(f"p {told}" if told.startswith("<") else f"p = {told}")

    def listed(self, parts: Sequence[str]) -> str:
        """Returns `a, b and c`."""
        told = self._texts["language"]
        if len(parts) < 2:
            return "".join(parts)
        return str(told["and"]).join([str(told["comma"]).join(parts[:-1]), parts[-1]])

    def name(self, text: str) -> str:
        """Returns a name that is the same in every language, set from left to right."""
        return f"{_LEFT_TO_RIGHT}{text}{_END}" if self.right_to_left else text

    def cards(self, text: str) -> str:
        """Returns some cards by suit, in Urdu and Hindi by their names at the table (S2.19, S4.33)."""
        told = self._texts["cards"]
        held = sorted(parse_cards(text), reverse=True)
        suits = []
        for suit in Suit:
            ranks = [told["ranks"][RANKS[card.rank]] for card in held if card.suit is suit]
            if ranks:
                suits.append(told["of_suit"].format(suit=told["suits"][suit.name],
                                                    ranks=str(told["between"]).join(ranks)))
        return self.isolated(str(told["apart"]).join(suits))

    def isolated(self, text: str) -> str:
        """Returns a text in which what is written from left to right stays so."""
        if not self.right_to_left:
            return text
        return _RUNS.sub(lambda run: run[0] if run[0][0] == _LEFT_TO_RIGHT
                         else f"{_LEFT_TO_RIGHT}{run[0]}{_END}", text)


def _parts(term: str) -> list[str]:
    """Returns what a value is called and the values it holds: `if(a,b(c,d))` is `if`, `a` and `b(c,d)`."""
    if not re.fullmatch(r"[\w-]+\(.*\)", term):
        return [term]
    key, inner = term[:-1].split("(", 1)
    parts, depth = [""], 0
    for letter in inner:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [key, *parts]


class Answer(tuple[str, ...]):
    """The sentences of a short answer; as text, and in Jupyter, one on each line."""

    right_to_left: bool

    def __new__(cls, words: Words, sentences: Iterable[Sentence]) -> Self:
        answer = super().__new__(cls, map(words.sentence, sentences))
        answer.right_to_left = words.right_to_left
        return answer

    def __str__(self) -> str:
        return "\n".join(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        direction = "rtl" if self.right_to_left else "ltr"
        return "".join(f'<p dir="{direction}">{escape(sentence)}</p>' for sentence in self)


_LETTER = "A-Za-z0-9À-ž♠♥♦♣"
_BETWEEN = f" {_NO_BREAK}.,/_\\-–−±=%+×*:'’<>"
_RUNS = re.compile(
    rf"{_LEFT_TO_RIGHT}[^{_END}]*{_END}|"
    rf"(?:--?|[−<>≥±+][ {_NO_BREAK}]?)?[{_LETTER}](?:[{_LETTER}{_BETWEEN}\[\]]*[{_LETTER}%*\]])?"
)


def _bare(text: str) -> str:
    return text.strip(_LEFT_TO_RIGHT + _END)


@cache
def _texts(study: str, code: str) -> Mapping[str, Any]:
    """Returns all texts of a study in a language, over those of every page, over the English ones."""
    found: dict[str, Any] = {}
    for folder in dict.fromkeys((_TEXTS, _TEXTS if code == "en" else _TEXTS / code)):
        for name in filter(None, ("page", study)):
            path = folder / f"{name}.toml"
            if path.exists():
                found = _over(found, tomllib.loads(path.read_text(encoding="utf-8")))
    return found


def _over(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for key, value in new.items():
        both = isinstance(value, Mapping) and isinstance(old.get(key), Mapping)
        merged[key] = _over(old[key], value) if both else value
    return merged


def is_number(text: str) -> bool:
    """True for a cell of a table that holds a number, or the sign that there is none."""
    return text in ("", UNKNOWN) or _bare(text).lstrip("−<> ")[:1].isdigit()


def is_finite(value: object) -> bool:
    """True for a number that can be compared."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
