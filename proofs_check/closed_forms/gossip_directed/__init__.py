"""Closed forms of gossip on directed graphs."""
