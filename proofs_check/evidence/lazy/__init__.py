"""Evidence of rows whose workers may stay silent, or whose messages may get lost."""
