"""The surveys' and papers' errors, demonstrated."""
