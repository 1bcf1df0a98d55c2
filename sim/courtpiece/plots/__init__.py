"""Figures of the studies, one module a study, in one style."""

from courtpiece.plots.style import Figure

__all__ = ["Figure"]
