"""Methods with a planted fault, for checks to refute.

Most are the genuine method with one part replaced: their field ``right`` holds the genuine method,
of which all that is not overridden is used.
"""
