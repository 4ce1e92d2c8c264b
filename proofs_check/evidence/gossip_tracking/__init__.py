"""Evidence of gossip that tracks gradients or corrects its bias."""
