"""Studies of large batches."""
