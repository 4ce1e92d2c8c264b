"""Studies of bulk synchronous and bounded-staleness SGD."""
