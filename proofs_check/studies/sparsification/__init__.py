"""Studies of sparsification."""
