"""Simulation and strategy analysis of Court Piece (Rang, Rung, Coat Pees, Hukum)."""
