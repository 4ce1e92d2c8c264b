"""Proofs of lazy methods."""
