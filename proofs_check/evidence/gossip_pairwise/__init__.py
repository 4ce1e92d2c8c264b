"""Evidence of gossip in which workers meet in pairs."""
