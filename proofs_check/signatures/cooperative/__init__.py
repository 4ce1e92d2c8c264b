"""Signatures: local updates beyond plain averages."""
