"""Closed forms of uploads that are skipped."""
