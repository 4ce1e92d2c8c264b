"""Predictions: numbers that others published, from a model calibrated on some of them."""
