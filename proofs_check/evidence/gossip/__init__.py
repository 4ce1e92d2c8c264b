"""Evidence of gossip with gradients, and with compressed differences to public copies."""
