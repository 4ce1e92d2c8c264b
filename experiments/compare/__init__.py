"""Runs of one or several rows beside each other."""
