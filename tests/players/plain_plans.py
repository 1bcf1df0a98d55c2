"""Plans of one seat over worlds, in plain Python: what `Scene.plans` says, by replaying whole deals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from math import sqrt
from typing import Literal

from courtpiece import Card, built_in
from courtpiece.cards import TENS
from courtpiece.deal import Deal
from courtpiece.rules import Objective

Play = Card | Literal["reveal"]
Worth = Callable[[Deal], float]
Worlds = Mapping[int, Deal]
FEW = 8


def values(
    seat: int, worlds: Worlds, choice: Play, moves: int, evidence: float, length: int, worth: Worth
) -> dict[int, float]:
    """Returns what a choice comes to in each world when the seat plans so many actions, this one included."""
    out: dict[int, float] = {}
    nodes: dict[object, dict[int, Deal]] = {}
    for number, world in worlds.items():
        deal = deepcopy(world)
        _do(deal, choice)
        begun = len(deal.plays)
        while deal.phase == "play" and not (moves > 1 and deal.turn == seat and len(choices(deal)) > 1):
            _do(deal, built_in("greedy").play(deal.view(deal.turn)))
        if deal.phase == "play":
            seen = (tuple(deal.plays[begun:]), deal.view(seat).shown)
            nodes.setdefault(seen, {})[number] = deal
        else:
            out[number] = worth(deal)
    for node in nodes.values():
        out |= _planned(seat, node, moves - 1, evidence, length, worth)
    return out


def _planned(
    seat: int, worlds: Worlds, moves: int, evidence: float, length: int, worth: Worth
) -> dict[int, float]:
    first = next(iter(worlds.values()))
    there_are = choices(first)
    usual = built_in("greedy").play(first.view(seat))
    if isinstance(usual, Card):
        usual = max(each for each in there_are if isinstance(each, Card) and each <= usual)
    others = [each for each in there_are if each != usual] if len(worlds) >= FEW else []
    told = {each: values(seat, worlds, each, moves, evidence, length, worth) for each in [usual, *others]}
    out: dict[int, float] = {}
    for fold in (0, 1):
        choosing = [number for number in worlds if number // length % 2 != fold]
        best, most = usual, 0.0
        for each in others:
            gains = [told[each][number] - told[usual][number] for number in choosing]
            if len(gains) < FEW // 2:
                continue
            mean = sum(gains) / len(gains)
            variance = sum(gain * gain for gain in gains) / len(gains) - mean * mean
            if mean > most and mean > evidence * sqrt(max(variance, 0) / (len(gains) - 1)):
                best, most = each, mean
        out |= {number: told[best][number] for number in worlds if number not in choosing}
    return out


def choices(deal: Deal) -> list[Play]:
    """Returns what the seat in turn can do; of cards with only gone and own ones between them the lowest."""
    held = {card for at, hand in enumerate(deal.hands) if at != deal.turn for card in hand}
    held |= set(deal.trick)
    held |= set() if deal.hidden_card is None else {deal.hidden_card}
    found: list[Play] = []
    before: Card | None = None
    for card in sorted(deal.legal_cards()):
        between = before is not None and any(before < other < card for other in held)
        tens = deal.rules.objective is Objective.TENS and any(
            each in TENS for each in (card, before)
        )
        if before is None or before.suit is not card.suit or between or tens:
            found.append(card)
        before = card
    return [*found, "reveal"] if deal.can_reveal else found


def _do(deal: Deal, play: Play) -> None:
    if play == "reveal":
        deal.reveal()
    else:
        deal.play(play)
