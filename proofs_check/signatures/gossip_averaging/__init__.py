"""Signatures of averaging along fixed links."""
