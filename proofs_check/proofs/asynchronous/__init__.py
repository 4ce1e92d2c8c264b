"""Derivations for asynchronous SGD."""
