"""Closed forms of signs and one-bit messages."""
