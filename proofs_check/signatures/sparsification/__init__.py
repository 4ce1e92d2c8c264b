"""Sparsifiers and truncations: what each row is for."""
