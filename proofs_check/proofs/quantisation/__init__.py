"""Derivations for quantisation."""
