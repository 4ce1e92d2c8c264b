"""What tests of the theorems share."""

from __future__ import annotations

from functools import reduce

import numpy as np

from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem


def together(*theorems: Theorem) -> Constants:
    """The examples of several theorems as one setting; of numbers that differ the last stands."""
    return reduce(lambda c, theorem: c.merge(theorem.example), theorems, Constants())


def at(theorem: Theorem, c: Constants, step: Stepsize, t: float) -> float:
    return float(theorem.bound(c, step, np.array([t]))[0])


def at_example(theorem: Theorem, step: Stepsize, t: float) -> float:
    """The bound of ``theorem`` at its own example."""
    return at(theorem, theorem.example, step, t)


def top_one(z: np.ndarray) -> np.ndarray:
    """The largest entry of every row."""
    out = np.zeros_like(z)
    rows = np.arange(len(z)), np.abs(z).argmax(-1)
    out[rows] = z[rows]
    return out
