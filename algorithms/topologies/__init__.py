"""Communication graphs, and the weights on them."""
