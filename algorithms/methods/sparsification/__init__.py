"""Methods: sparsification."""
