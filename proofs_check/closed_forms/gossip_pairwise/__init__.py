"""Closed forms of gossip between pairs."""
