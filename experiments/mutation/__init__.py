"""Mutation scores: faults drawn over a row's code, theory and costs, and the share seen."""
