"""Refuting: the instance that breaks a theorem's bound is looked for, shrunk and confirmed."""
