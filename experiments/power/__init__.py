"""What the checks see of planted faults."""
