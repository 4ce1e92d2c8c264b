"""Methods: gossip, plain and compressed by copies."""
