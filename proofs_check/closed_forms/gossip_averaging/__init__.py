"""Closed forms of averaging by a fixed matrix."""
