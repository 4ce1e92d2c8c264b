"""Evidence of sparsifiers that adapt."""
