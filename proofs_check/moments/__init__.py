"""Exact moments: what a linear method does on a quadratic, read off its own code."""
