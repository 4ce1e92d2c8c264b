"""Evidence of gossip in which workers meet in pairs.

The field ``right`` of a fault is the genuine thing, of which all that is not overridden is used.
"""
