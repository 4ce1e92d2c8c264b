"""Evidence of averaging along fixed links."""
