"""Studies of any size: a grid of runs from a file, resumable, to one partitioned data set."""
