"""Evidence of gossip that corrects or compresses what is exchanged."""
