"""Derivations for elastic and cooperative averaging, coded and redundant work."""
