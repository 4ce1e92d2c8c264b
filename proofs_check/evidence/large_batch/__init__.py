"""Evidence of scaled stepsizes, warm-ups, layers and growing batches.

The field ``right`` of a fault is the genuine thing, of which all that is not overridden is used.
"""
