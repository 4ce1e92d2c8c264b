"""Every run under a theorem's bound: an attack needs these, and none of the other evidence."""

from __future__ import annotations

from proofs_check.bounds.check import BoundCheck
from theory.members import declared

BOUND_CHECKS: tuple[BoundCheck, ...] = declared("proofs_check.evidence", "BOUND_CHECKS")
"""In the order of their files."""
