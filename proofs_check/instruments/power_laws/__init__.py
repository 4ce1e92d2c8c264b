"""Power laws: models that a curve may follow, and its exponent with an interval over all."""
