"""Foundations of everything else: randomness by key, faults, threads, names."""
