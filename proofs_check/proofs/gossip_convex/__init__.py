"""Derivations for gossip for convex functions, by (sub)gradients."""
