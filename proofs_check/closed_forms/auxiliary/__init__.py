"""Closed forms of error feedback, momentum correction, clipping, warm-up."""
