"""Closed forms of the alternating direction method of multipliers."""
