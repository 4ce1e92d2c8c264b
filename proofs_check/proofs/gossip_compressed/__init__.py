"""Derivations for gossip with compressed differences."""
