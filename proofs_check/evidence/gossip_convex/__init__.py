"""Evidence of gossip for convex functions."""
