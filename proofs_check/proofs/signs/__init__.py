"""Derivations for signs and one-bit messages."""
