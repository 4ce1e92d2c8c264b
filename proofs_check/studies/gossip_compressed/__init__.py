"""Studies of gossip with compressed differences."""
