"""Derivations for gossip, plain and compressed by copies."""
