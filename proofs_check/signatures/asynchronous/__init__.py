"""Signatures of rows in which nobody waits."""
