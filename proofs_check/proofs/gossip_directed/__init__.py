"""Derivations for gossip over directed links."""
