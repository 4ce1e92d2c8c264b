"""Attackers; every module-level Attacker of this room is one."""

from __future__ import annotations

from proofs_check.refute.attacker import Attacker
from theory.members import members

ATTACKERS: tuple[Attacker, ...] = tuple(
    sorted(members(__name__, Attacker), key=lambda one: one.turn)
)

__all__ = ["ATTACKERS"]
