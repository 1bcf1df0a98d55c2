"""Callers and card players: who they are and the text that names them."""

from __future__ import annotations

from courtpiece.players.registry import (
    CALLERS,
    CARD_PLAYERS,
    AnyPlayer,
    Caller,
    CardPlayer,
    Lineup,
    Option,
    OwnPlayer,
    PlayerSpec,
    available,
    check_lineup,
    parse_built_in,
    parse_lineup,
    parse_player,
    recall_lineup,
    recall_player,
)

__all__ = [
    "CALLERS",
    "CARD_PLAYERS",
    "AnyPlayer",
    "Caller",
    "CardPlayer",
    "Lineup",
    "Option",
    "OwnPlayer",
    "PlayerSpec",
    "available",
    "check_lineup",
    "parse_built_in",
    "parse_lineup",
    "parse_player",
    "recall_lineup",
    "recall_player",
]
