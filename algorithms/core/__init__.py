"""What everything else rests on: randomness by key, faults, threads, names."""
