"""Signatures: scaled stepsizes, warm-ups, layers, growing batches."""
