"""Studies of gossip with local steps."""
