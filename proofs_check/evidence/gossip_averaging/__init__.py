"""Evidence of averaging along fixed links.

The field ``right`` of a fault is the genuine thing, of which all that is not overridden is used.
"""
