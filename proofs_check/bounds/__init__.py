"""Runs under a theorem's bound: the check, and the settings it is made in.

A module declares its settings in a tuple called ``BOUND_CHECKS``; here they are joined.
"""

from __future__ import annotations

from proofs_check.bounds.check import BoundCheck
from theory.members import declared

BOUND_CHECKS: tuple[BoundCheck, ...] = declared(__name__, "BOUND_CHECKS")

__all__ = ["BOUND_CHECKS"]
