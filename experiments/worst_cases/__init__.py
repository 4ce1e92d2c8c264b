"""Worst cases that are kept: best constants of theorems, exact rates over spectral ranges."""
