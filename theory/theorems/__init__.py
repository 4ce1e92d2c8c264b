"""Convergence theorems, one per file; every module-level Theorem of this room is one.

THEOREMS holds those whose bounds are held against runs, PROVED_ONLY those whose proof is checked
and which say in ``unmeasured`` why no run is held against them.
"""

from __future__ import annotations

from theory.members import members
from theory.theorem import Theorem

_ALL: tuple[Theorem, ...] = members(__name__, Theorem)

THEOREMS: tuple[Theorem, ...] = tuple(one for one in _ALL if not one.unmeasured)
PROVED_ONLY: tuple[Theorem, ...] = tuple(one for one in _ALL if one.unmeasured)

__all__ = ["PROVED_ONLY", "THEOREMS"]
