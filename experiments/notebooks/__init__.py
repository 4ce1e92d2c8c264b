"""Views of a result in a notebook: tidy data, a figure, and HTML that needs nothing else."""
