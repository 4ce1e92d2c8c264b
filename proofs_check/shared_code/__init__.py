"""Closed forms of code that all rows share: random numbers, networks, compiled functions, helpers
of methods, records, data. They belong to every row that runs, somebody's own too."""
