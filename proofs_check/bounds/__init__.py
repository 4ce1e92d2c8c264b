"""Runs under a theorem's bound: the check, and the settings it is made in."""
