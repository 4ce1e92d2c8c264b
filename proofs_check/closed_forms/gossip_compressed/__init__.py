"""Closed forms of gossip with compressed differences."""
