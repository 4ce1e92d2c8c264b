"""Experiments: the survey and its report, single runs, figures, the command line."""
