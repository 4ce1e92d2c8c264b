"""Evidence of gossip by duals."""
