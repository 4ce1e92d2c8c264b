"""Rules for stepsizes and batches: scaling, stability."""
