"""Studies of asynchronous SGD."""
