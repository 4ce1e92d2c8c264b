"""Methods: the alternating direction method of multipliers."""
