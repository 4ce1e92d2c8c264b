"""Tuning: parameters of a row by name, and the best of a stated grid, searched once and kept."""
