"""Methods: large batches."""
