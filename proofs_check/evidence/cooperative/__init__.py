"""Evidence of local updates beyond plain averages."""
