"""Evidence of memories, momentum, clipping and warm-up.

The field ``right`` of a fault is the genuine thing, of which all that is not overridden is used.
"""
