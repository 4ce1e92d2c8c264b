"""Evidence of rows in which nobody waits."""
