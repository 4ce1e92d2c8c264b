"""Mixing matrices, weights, spectra, and what gossip does on them."""
