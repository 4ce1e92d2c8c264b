"""Closed forms of bulk synchronous and bounded-staleness SGD."""
