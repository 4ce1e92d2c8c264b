"""Methods: sparsification that adapts."""
