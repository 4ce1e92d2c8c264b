"""Evidence of gossip over directed links, and with rotating partners."""
