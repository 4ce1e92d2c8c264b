"""Runs behind published figures."""
