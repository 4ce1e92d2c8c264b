"""Timing of computing and meeting: seeded schedules, drawn before the run and replayed by it."""
