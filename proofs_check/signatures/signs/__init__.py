"""Signs, thresholds and low precision: what each row is for."""
