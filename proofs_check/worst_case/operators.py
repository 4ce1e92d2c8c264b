"""Operators of a programme: any with the constant that is claimed."""

from __future__ import annotations

from proofs_check.worst_case.gram import MEAN, Vector
from proofs_check.worst_case.programme import Programme


def contracted(programme: Programme, u: Vector, eps: float, block: str = MEAN) -> Vector:
    """C(u) for some C with |C(u) - u|^2 <= ``eps`` |u|^2: eps = 1 - delta of contractions.

    In a ``block`` of its own the error has mean 0 and is independent of all else, so that squares
    are expectations and C is unbiased: eps = omega. Nothing may then be asked at points that it
    enters.
    """
    off = programme.vector(block)
    programme.at_most(off.square - eps * u.square)
    return u + off
