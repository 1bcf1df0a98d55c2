"""Court Piece as a PettingZoo environment, for those who train agents: one deal is one episode.

    from courtpiece import env
    table = env.env(rules="hidden-trump")

Needs the extra `env` (`pip install '.[env]'`).  The agents are `seat_0` to `seat_3` in order of play
from eldest; `seat_0` and `seat_2` are the caller's side.

**Episodes.**  `reset(seed=7)` gives deal 0 of seed 7, each `reset()` after it the next deal, and
`reset(seed=7, options={"index": 12})` deal 12: the cards that `courtpiece deal --seed 7 --index 12` shows.
Without any seed one is drawn.  `infos` tell both numbers.

**Actions.**  A number below 172: `ACTIONS` names each.  Cards are 0 to 51 (13*suit + rank), then come
`reveal`, the words of the call, and `swap`, `claim` and `stay`.  Agents are asked in the order of the table:
where the rules have the extra swap-cards eldest first swaps his five cards or stays; then come the words of
the call; the caller may change trump or stay where the rules have that extra; where they have a claim each
seat in turn claims all thirteen tricks or stays; then the cards are played, with `reveal` before a card
where it may be asked.  What chance does, such as the card that the dealer turns up when nobody called,
happens by itself.

**Observations.**  A dictionary of `observation`, an int8 vector made of the seat's `View` and nothing else,
and `action_mask`, an int8 vector of what it may do now, all 0 when it is not asked.  `LAYOUT` tells where in
the vector what lies.  Other seats are told as the observer sees them: 0 is he himself, then in order of play.

**Rewards.**  At the end of the deal the points (kots in a match of kots) of the agent's own side less those
of the other; 0 before that, and 0 for a deal that is to be dealt again.  In `env()` an illegal action ends
the deal with the worst that the rules can bring for who did it; `raw_env()` raises `CourtpieceError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from courtpiece.errors import UsageError, how_to_install

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(f"courtpiece.env needs the extra `env`: {how_to_install('env')}") from error

from courtpiece._kernel import engine
from courtpiece.cards import PACK, Card, Suit, dotted
from courtpiece.deal import ELDEST, FIRST_CARDS, REVEAL, Deal
from courtpiece.players.callers import kernel_caller
from courtpiece.players.registry import parse_built_in
from courtpiece.rules import Counting, Extra, Outcome, RuleSet, RulesSpec, name_of, resolve
from courtpiece.table import check_numbers, seed_key
from courtpiece.view import View
from courtpiece.words import MOST_WORDS, word_code, word_text

Observation = dict[str, NDArray[np.int8]]

AGENTS = tuple(f"seat_{seat}" for seat in range(4))
SWAP, CLAIM, STAY = "swap", "claim", "stay"
ACTIONS: tuple[str, ...] = (
    *map(str, PACK),
    REVEAL,
    *(suit.name for suit in Suit),
    "pass",
    "timeout",
    "thirteenth",
    "redeal",
    *(f"hide {card}" for card in PACK),
    *(f"change {suit.name}" for suit in Suit),
    *(f"change {card}" for card in PACK),
    SWAP,
    CLAIM,
    STAY,
)
_NUMBERS: Mapping[str, int] = MappingProxyType({name: number for number, name in enumerate(ACTIONS)})

# Words as the others hear them: the cards in them stand in other parts of the vector.
_HEARD = (
    *(suit.name for suit in Suit), "pass", "timeout", "thirteenth", "redeal", "hide", "blind",
    *(f"change {suit.name}" for suit in Suit), "change",
)
_WORD = 4 + len(_HEARD)

_SIZES: tuple[tuple[str, int], ...] = (
    ("phase", 3),                       # one of call, play, over
    ("seat", 4),                        # the observer's seat from eldest
    ("first_five", 52),                 # the five cards on which he calls
    ("hand", 52),                       # the cards that he can play
    ("hidden_card", 52),                # the card that lies face down, if he knows it
    ("played", 4 * 52),                 # by seat and card: in which trick, from 1, it was played
    ("table", 4 * 52),                  # by seat and card: the trick on the table
    ("known", 4 * 52),                  # by seat and card: known to be in that hand
    ("voids", 4 * 4),                   # by seat and suit: has shown that it holds no more
    ("trump", 4),                       # the suit, once it counts
    ("words", MOST_WORDS * _WORD),      # by word in order: who said it (4), and what (15, as in the call)
    ("caller", 4),                      # by seat
    ("hider", 4),                       # by seat
    ("face_down", 1),                   # a card lies face down
    ("shown", 52),                      # the hidden card once it was shown
    ("shown_after", 1),                 # after how many cards of the deal
    ("turned_up", 52),                  # the card turned up as nobody called
    ("thirteenth", 52),                 # eldest's last card, if it decided trump
    ("claimer", 4),                     # by seat
    ("leader", 4),                      # by seat: who leads, or led, the trick on the table
    ("turn", 4),                        # by seat
    ("must_trump", 1),                  # he owes a trump
    ("taken", 2),                       # tricks collected by his side and by the other
    ("tens", 2),                        # tens in them
    ("pile", 1),                        # tricks in the pile
    ("runner", 4),                      # by seat: whose last win can pair with the next
    ("run", 1),                         # how many in a row
)


def _layout() -> Mapping[str, slice]:
    places, start = {}, 0
    for name, size in _SIZES:
        places[name] = slice(start, start + size)
        start += size
    return MappingProxyType(places)


LAYOUT: Mapping[str, slice] = _layout()
LENGTH = sum(size for _, size in _SIZES)


def env(rules: RulesSpec = "single-sir", *, render_mode: str | None = None) -> AECEnv[str, Any, Any]:
    """Returns the environment in PettingZoo's usual wrappers: wrong order and illegal actions are refused."""
    raw = raw_env(rules, render_mode=render_mode)
    checked = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-_most(raw.rules))
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


# PettingZoo's name for an environment without its wrappers.
class raw_env(AECEnv[str, Any, Any]):  # type: ignore[misc]  # noqa: N801
    """One deal after the other under one rule set.

    deal     the deal under way; it holds all cards, which no agent may see
    rules    the rule set
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  as the base class has it
        "name": "courtpiece_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, rules: RulesSpec = "single-sir", *, render_mode: str | None = None) -> None:
        super().__init__()
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise UsageError(f'render_mode is None, {" or ".join(modes)}, not "{render_mode}"')
        self.rules: RuleSet = resolve(rules)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        seen = spaces.Dict({
            "observation": spaces.Box(0, 64, (LENGTH,), np.int8),
            "action_mask": spaces.Box(0, 1, (len(ACTIONS),), np.int8),
        })
        self.observation_spaces = dict.fromkeys(AGENTS, seen)
        self.action_spaces = {agent: spaces.Discrete(len(ACTIONS)) for agent in AGENTS}
        greedy = parse_built_in("greedy")
        self._setup = engine.Setup(self.rules, [greedy.card] * 4, [kernel_caller(greedy)] * 2)
        self._seed: int | None = None
        self._index = -1

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._seed, self._index = seed, -1
        elif self._seed is None:
            self._seed = int(np.random.SeedSequence().generate_state(1)[0])
        index = (options or {}).get("index", self._index + 1)      # others' options are no mistake here
        check_numbers(index, 1)
        self._index = index
        # The kernel's deal goes along through the call, and tells what chance does in it.
        self._chance = engine.Walk(self._setup, seed_key(self._seed))
        self._chance.deal(self._index)
        self.deal = self._dealt()
        self._asking = self._questions()
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {"seed": self._seed, "index": self._index} for agent in AGENTS}
        self._skip_agent_selection: str | None = None
        self._ask_next()
        self._show()

    def _dealt(self) -> Deal:
        return Deal(self.rules, [[Card(card) for card in hand] for hand in self._chance.hands()])

    def observe(self, agent: str) -> Observation:
        seat = AGENTS.index(agent)
        view = self.deal.view(seat)
        mask = np.zeros(len(ACTIONS), np.int8)
        if agent == self.agent_selection and self._choices:
            mask[[_NUMBERS[choice] for choice in self._choices]] = 1
        return {"observation": observation(view), "action_mask": mask}

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not 0 <= action < len(ACTIONS) or ACTIONS[action] not in self._choices:
            told = ACTIONS[action] if 0 <= action < len(ACTIONS) else action
            raise UsageError(f"{agent} may not do {told} here but: {', '.join(self._choices)}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._answer = ACTIONS[action]
        self._ask_next()
        if self.deal.phase == "over":
            ahead = float(_ahead(self.deal))
            self.rewards = {agent: -ahead if seat % 2 else ahead for seat, agent in enumerate(AGENTS)}
            self.terminations = dict.fromkeys(AGENTS, True)
            self._deads_step_first()
        self._accumulate_rewards()
        self._show()

    # Who is asked what, in order: each step of the generator is a question, `_answer` its answer.

    def _ask_next(self) -> None:
        seat, self._choices = next(self._asking, (self.deal.turn, ()))
        self.agent_selection = AGENTS[seat]

    def _questions(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        if Extra.SWAP_CARDS in self.rules.extras:
            yield ELDEST, (SWAP, STAY)
            if self._answer == SWAP:
                self._chance.swap()
                self.deal = self._dealt()
        deal = self.deal
        while deal.phase == "call":
            if deal.awaits_blind:
                self._say(word_text(self._chance.word()))
            else:
                yield deal.turn, tuple(deal.legal_words())
                self._say(self._answer)
        if deal.phase == "over":
            return
        if deal.caller is not None and (words := deal.legal_words()):
            yield deal.caller, (*words, STAY)
            if self._answer != STAY:
                self._say(self._answer)
        for seat in range(4) if self.rules.claim else ():
            yield seat, (CLAIM, STAY)
            if self._answer == CLAIM:
                deal.claim(seat)
                break
        while deal.phase == "play":
            reveal = (REVEAL,) if deal.can_reveal else ()
            yield deal.turn, (*map(str, deal.legal_cards()), *reveal)
            if self._answer == REVEAL:
                deal.reveal()
            else:
                deal.play(PACK[_NUMBERS[self._answer]])

    def _say(self, word: str) -> None:
        self.deal.say(word)
        self._chance.say(word_code(word))

    # What is shown

    def render(self) -> str | None:
        """Returns the deal as text with all hands open, or prints it; None without a render mode."""
        if self.render_mode is None:
            return None
        text = "\n".join(_lines(self.deal))
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Does nothing: there is nothing to close."""


def observation(view: View) -> NDArray[np.int8]:
    """Returns a view as the vector that `LAYOUT` describes."""
    out = np.zeros(LENGTH, np.int8)

    def put(name: str, numbers: Iterable[int], value: int = 1) -> None:
        part = out[LAYOUT[name]]
        for number in numbers:
            part[number] = value

    def put_seat(name: str, seat: int | None) -> None:
        if seat is not None:
            put(name, [(seat - view.seat) % 4])

    def put_card(name: str, card: Card | None) -> None:
        if card is not None:
            put(name, [card])

    put("phase", [("call", "play", "over").index(view.phase)])
    put("seat", [view.seat])
    put("first_five", view.dealt[:FIRST_CARDS])
    put("hand", view.hand)
    put_card("hidden_card", view.hidden_card)
    for play in view.plays:
        put("played", [(play.seat - view.seat) % 4 * 52 + play.card], play.trick)
    for place, card in enumerate(view.trick):
        put("table", [(view.leader + place - view.seat) % 4 * 52 + card])
    for seat in range(4):
        relative = (seat - view.seat) % 4
        put("known", [relative * 52 + card for card in view.known[seat]])
        put("voids", [relative * 4 + suit for suit in view.voids[seat]])
    if view.trump is not None:
        put("trump", [view.trump])
    for number, said in enumerate(view.words):
        verb, _, what = said.word.partition(" ")
        heard = said.word if what in Suit.__members__ else verb
        start = number * _WORD
        put("words", [start + (said.seat - view.seat) % 4, start + 4 + _HEARD.index(heard)])
    put_seat("caller", view.caller)
    put_seat("hider", view.hider)
    put("face_down", [0], int(view.face_down))
    if view.shown is not None:
        put_card("shown", view.shown.card)
        put("shown_after", [0], view.shown.after)
    put_card("turned_up", view.turned_up)
    put_card("thirteenth", view.thirteenth)
    put_seat("claimer", view.claimer)
    put_seat("leader", view.leader)
    put_seat("turn", view.turn)
    put("must_trump", [0], int(view.must_trump))
    for place, side in enumerate((view.side, 1 - view.side)):
        put("taken", [place], view.taken[side])
        put("tens", [place], view.tens[side])
    put("pile", [0], view.pile)
    put_seat("runner", view.runner)
    put("run", [0], view.run)
    return out


def _worth(rules: RuleSet, outcome: Outcome, side: int) -> int:
    score = rules.kots_of if rules.counting is Counting.KOTS else rules.score_of
    return score(outcome, side == 0)


def _ahead(deal: Deal) -> int:
    """Returns by how much the caller's side comes out ahead in a deal that is over."""
    if deal.outcome is None or deal.winner is None:
        return 0
    worth = _worth(deal.rules, deal.outcome, deal.winner)
    return -worth if deal.winner else worth


def _most(rules: RuleSet) -> int:
    """Returns the most that a deal can bring one side."""
    return max(1, *(_worth(rules, outcome, side) for outcome in Outcome for side in (0, 1)))


def _lines(deal: Deal) -> Iterator[str]:
    yield f"{name_of(deal.rules)}: {' '.join(deal.words) or 'nothing said'}"
    if deal.trump is not None:
        yield f"trump {deal.trump.word}"
    elif deal.hidden_card is not None:
        yield f"{deal.hidden_card} lies face down"
    for seat, agent in enumerate(AGENTS):
        turn = ">" if seat == deal.turn and deal.phase != "over" else " "
        place = (seat - deal.leader) % 4
        card = str(deal.trick[place]) if place < len(deal.trick) else "  "
        yield f"{turn} {agent} {card} {dotted(deal.hands[seat])}"
    yield f"tricks {deal.taken[0]}–{deal.taken[1]}" + (f", {deal.pile} in the pile" if deal.pile else "")
    if deal.outcome is not None:
        yield f"{deal.outcome}"

