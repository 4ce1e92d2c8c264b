"""Rows of the family decomposition."""

from __future__ import annotations

from algorithms.catalogue.row import Parts

READY: dict[str, Parts] = {}
