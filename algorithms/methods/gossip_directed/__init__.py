"""Methods: gossip on directed graphs."""
