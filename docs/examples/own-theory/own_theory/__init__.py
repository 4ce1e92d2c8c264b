"""A method, a compressor, a mixing matrix and a theorem of one's own."""
