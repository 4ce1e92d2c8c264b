"""Closed forms of large batches."""
