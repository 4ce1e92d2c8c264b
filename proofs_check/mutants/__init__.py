"""Faults of operators, methods and bounds: what they are made of, and those of no one family.

Most are the genuine thing with one part replaced: their field ``right`` holds the genuine method,
operator, memory, barrier or topology, of which all that is not overridden is used.
"""
