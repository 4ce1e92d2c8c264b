"""Evidence of scaled stepsizes, warm-ups, layers and growing batches."""
