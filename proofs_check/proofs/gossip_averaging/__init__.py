"""Derivations for averaging by a fixed matrix."""
