"""Methods: asynchronous SGD."""
