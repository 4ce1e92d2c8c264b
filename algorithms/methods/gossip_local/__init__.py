"""Methods: gossip with local steps."""
