"""Closed forms of gossip with local steps."""
