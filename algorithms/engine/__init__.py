"""A run of a method in one process: the loop over steps and its trace."""
