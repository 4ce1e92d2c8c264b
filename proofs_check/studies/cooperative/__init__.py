"""Studies of elastic and cooperative averaging, coded and redundant work."""
