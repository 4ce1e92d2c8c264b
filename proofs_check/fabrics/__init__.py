"""Fabrics: seconds of programs on links that are shared."""
