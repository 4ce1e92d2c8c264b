"""Closed forms of sparsification."""
