"""The commands of ``rateproof`` and their options."""
