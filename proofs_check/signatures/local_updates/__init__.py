"""Signatures: averages of models, once, now and then, or by time."""
