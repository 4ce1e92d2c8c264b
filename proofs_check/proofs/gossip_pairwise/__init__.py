"""Derivations for gossip between pairs."""
