"""Methods: quantisation."""
