"""First point at which errors reach a target: the one rule for effects, studies and comparisons."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from theory.arrays import Floats

PASSING = 10
"""Targets above which a run must not end: noise about a floor stays below."""


def reached_at(errors: Floats, target: float) -> npt.NDArray[np.int64]:
    """The record at which each curve ``[..., K]`` first is at most ``target`` ``[...]``; -1 if it
    never is, or if it ends above ten targets, as a run that diverges does although it passed by.
    """
    there = (errors <= target) & (errors[..., -1:] <= PASSING * target)
    return np.where(there.any(axis=-1), there.argmax(axis=-1), -1)
