"""Closed forms of gossip for convex functions, by (sub)gradients."""
