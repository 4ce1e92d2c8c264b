"""Checks of mixing matrices and of sequences of them."""
