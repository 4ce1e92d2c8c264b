"""Studies of gossip, plain and compressed by copies."""
