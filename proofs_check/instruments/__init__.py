"""Measuring instruments: statistics, exact laws, rates, evidence, studies."""
