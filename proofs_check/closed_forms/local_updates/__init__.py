"""Closed forms of local SGD and its relatives."""
