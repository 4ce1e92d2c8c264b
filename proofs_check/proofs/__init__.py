"""Parts of derivations: steps, sympy's expressions of bounds, recursions that many share.

A module declares its derivations in a tuple called ``PROOFS``.
"""
