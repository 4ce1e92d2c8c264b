"""Quantised means and gradients: what each row is for."""
