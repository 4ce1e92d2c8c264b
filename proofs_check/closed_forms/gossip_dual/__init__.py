"""Closed forms of dual methods over a network."""
