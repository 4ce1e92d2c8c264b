"""Closed forms of decomposition and sketches."""
