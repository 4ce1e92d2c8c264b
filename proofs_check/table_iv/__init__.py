"""Survey 002's Table IV, measured: for each cell a row, a problem, exponents and a bill."""
