"""Derivations for bulk synchronous and bounded-staleness SGD."""
