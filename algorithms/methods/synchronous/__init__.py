"""Methods: bulk synchronous and bounded-staleness SGD."""
