"""Evidence of rows that a parameter server runs under a barrier."""
