"""Results on distributed mean estimation, one per file; ESTIMATION holds all of this room."""

from __future__ import annotations

from theory.members import members
from theory.theorem import MeanEstimation

ESTIMATION: tuple[MeanEstimation, ...] = members(__name__, MeanEstimation)

__all__ = ["ESTIMATION"]
