"""Signatures of local work over gossip."""
