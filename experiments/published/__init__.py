"""Published figures, drawn again from runs of the methods, one per file."""
