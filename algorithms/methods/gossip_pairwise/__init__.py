"""Methods: gossip between pairs."""
