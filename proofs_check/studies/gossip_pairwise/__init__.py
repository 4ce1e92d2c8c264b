"""Studies of gossip between pairs."""
