"""Derivations for shifts and variance reduction."""
