"""Encodings of symbols as bytes."""
