"""Studies of gossip on directed graphs."""
