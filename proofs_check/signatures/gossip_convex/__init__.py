"""Signatures of gossip for convex functions."""
