"""Evidence of sparsifiers and truncations."""
