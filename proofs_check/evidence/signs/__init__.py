"""Evidence of signs, thresholds and low precision."""
