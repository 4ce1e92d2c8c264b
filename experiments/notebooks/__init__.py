"""What a notebook shows of a result: tidy data, a figure, and HTML that needs nothing else."""
