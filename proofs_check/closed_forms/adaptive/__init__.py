"""Closed forms of sparsification that adapts."""
