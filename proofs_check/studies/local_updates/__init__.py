"""Studies of local SGD and its relatives."""
