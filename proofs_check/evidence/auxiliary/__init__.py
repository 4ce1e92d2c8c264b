"""Evidence of memories, momentum, clipping and warm-up."""
