"""Callers and card players: who they are and the text that names them."""

from __future__ import annotations

from courtpiece.players.registry import (
    CALLERS,
    CARD_PLAYERS,
    Caller,
    CardPlayer,
    Lineup,
    Option,
    PlayerSpec,
    available,
    check_lineup,
    parse_lineup,
    parse_player,
)

__all__ = [
    "CALLERS",
    "CARD_PLAYERS",
    "Caller",
    "CardPlayer",
    "Lineup",
    "Option",
    "PlayerSpec",
    "available",
    "check_lineup",
    "parse_lineup",
    "parse_player",
]
