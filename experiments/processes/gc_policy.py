"""Garbage collection in a process that lives for one command."""

from __future__ import annotations

import atexit
import gc

THRESHOLDS = (20_000, 10, 10)
"""New objects between two looks for cycles, and how many looks until the older ones are looked at.
Python's own first number is 700 (2,000 from 3.13 on)."""

LOADING = (2_000_000, 10, 10)
"""The same while modules are loaded: more than they make, so that nobody looks."""


def collect_seldom() -> None:
    """Look for cycles seldom, and at the end of the process not at all.

    Loading torch, numba and matplotlib makes half a million objects that stay, and at its end
    Python would go through all of them again: a third of the processor time of a short run.
    """
    gc.set_threshold(*LOADING)
    atexit.register(gc.freeze)  # what is frozen is left to the system with all other memory


def loaded() -> None:
    """What is there now stays, and is not looked at again; look for cycles of what comes."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
