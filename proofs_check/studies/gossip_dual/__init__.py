"""Studies of dual methods over a network."""
