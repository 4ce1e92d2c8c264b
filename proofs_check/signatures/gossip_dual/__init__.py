"""Signatures of gossip by duals."""
