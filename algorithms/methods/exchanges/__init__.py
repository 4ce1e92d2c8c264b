"""One round of gossip: over fixed or random links, or links that lose messages."""
