"""Methods: local SGD and its relatives."""
