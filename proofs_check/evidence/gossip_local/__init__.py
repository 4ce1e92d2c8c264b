"""Evidence of local work over gossip."""
