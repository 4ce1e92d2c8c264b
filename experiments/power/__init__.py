"""Detection of planted faults by the checks."""
