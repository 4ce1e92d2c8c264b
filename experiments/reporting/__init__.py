"""Output of the survey for readers: one table, figures, one self-contained page."""
