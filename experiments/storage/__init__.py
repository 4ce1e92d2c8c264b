"""Files: results of cells, how they are written, and what is read back."""
