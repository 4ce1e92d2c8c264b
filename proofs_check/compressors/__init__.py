"""Checks of operators: claims, laws, message lengths, trade-offs."""
