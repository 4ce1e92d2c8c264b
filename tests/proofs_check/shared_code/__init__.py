"""Tests of closed forms of code that all rows share."""
