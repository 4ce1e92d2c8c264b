"""Runs on ranks that no common clock drives, and runs that are kept and go on."""
