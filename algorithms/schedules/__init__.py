"""Schedules: when the tasks of a training step run, and on what."""
