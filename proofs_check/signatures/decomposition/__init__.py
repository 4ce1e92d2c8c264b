"""Low-rank and linear compression: what each row is for."""
