"""Tests of the audit of methods."""
