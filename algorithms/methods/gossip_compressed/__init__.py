"""Methods: gossip with compressed differences."""
