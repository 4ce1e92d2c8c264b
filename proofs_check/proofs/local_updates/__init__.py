"""Derivations for local SGD and its relatives."""
