"""Tests of ``rateproof.testing``."""
