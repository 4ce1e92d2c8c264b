"""Studies of uploads that are skipped."""
