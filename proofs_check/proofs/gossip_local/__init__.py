"""Derivations of local work over gossip."""
