"""Methods: decomposition and sketches."""
