"""Closed forms of gossip, plain and compressed by copies."""
