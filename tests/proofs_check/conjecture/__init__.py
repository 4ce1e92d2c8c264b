"""Tests of conjectures."""
