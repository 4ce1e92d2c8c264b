"""Methods: shifts and variance reduction."""
