"""Methods: gossip for convex functions, by (sub)gradients."""
