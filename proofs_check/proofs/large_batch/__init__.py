"""Derivations of the family large batch."""
