"""Methods: dual methods over a network."""
