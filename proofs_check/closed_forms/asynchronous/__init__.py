"""Closed forms of asynchronous SGD."""
