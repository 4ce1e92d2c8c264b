"""Derivations for decomposition and sketches."""
