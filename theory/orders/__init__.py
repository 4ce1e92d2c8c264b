"""Rates that are stated without constants we could rest on, one per file; ORDERS holds all."""

from __future__ import annotations

from theory.members import members
from theory.theorem import OrderOnly

ORDERS: tuple[OrderOnly, ...] = members(__name__, OrderOnly)

__all__ = ["ORDERS"]
