"""Methods with a planted fault, for checks to refute."""
