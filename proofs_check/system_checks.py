"""All checks of rows that are no methods, found in the rooms of their subjects."""

from __future__ import annotations

from proofs_check.instruments.study import SystemCheck
from theory.members import declared

SYSTEM_CHECKS: tuple[SystemCheck, ...] = (
    *declared("proofs_check.collectives", "SYSTEM_CHECKS"),
    *declared("proofs_check.fabrics", "SYSTEM_CHECKS"),
    *declared("proofs_check.schedules", "SYSTEM_CHECKS"),
    *declared("proofs_check.workloads", "SYSTEM_CHECKS"),
)
"""A room that joins them has a line here, and one among the layers in pyproject.toml."""
