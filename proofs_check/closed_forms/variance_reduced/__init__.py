"""Closed forms of shifts and variance reduction."""
