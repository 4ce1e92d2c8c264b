"""Evidence of averages of models, once, now and then, or by time.

The field ``right`` of a fault is the genuine thing, of which all that is not overridden is used.
"""
