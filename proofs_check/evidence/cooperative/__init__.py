"""Evidence of local updates beyond plain averages.

The field ``right`` of a fault is the genuine thing, of which all that is not overridden is used.
"""
