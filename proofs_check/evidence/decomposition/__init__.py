"""Evidence of low-rank and linear compression."""
