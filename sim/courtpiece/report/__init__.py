"""Reports: one self-contained page of HTML about one run, made from its folder."""

from __future__ import annotations

from courtpiece.report.page import render, write

__all__ = ["render", "write"]
