"""Methods: uploads that are skipped."""
