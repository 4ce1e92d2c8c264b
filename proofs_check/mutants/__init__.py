"""Deliberately wrong operators, methods and bounds that the checks must refute.

Most are the genuine thing with one part replaced: their field ``right`` holds the genuine method,
operator, memory, barrier or topology, of which all that is not overridden is used.
"""
