"""Derivations for error feedback, momentum correction, clipping, warm-up."""
