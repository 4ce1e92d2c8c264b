"""Closed forms of time: links, step times, periods."""
