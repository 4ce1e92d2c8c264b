"""Closed forms of quantisation."""
