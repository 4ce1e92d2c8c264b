"""Derivations for sparsification."""
