"""Checks of problems: gradients, noise, curvature, stated constants."""
