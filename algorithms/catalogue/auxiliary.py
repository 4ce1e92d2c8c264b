"""Rows of the family auxiliary: memories, momentum, clipping, warm-up."""

from __future__ import annotations

from algorithms.catalogue.compose import with_feedback
from algorithms.catalogue.row import OBJECTIVES, Parts
from algorithms.compressors.rand_k import RandK

READY: dict[str, Parts] = {
    "error-feedback": with_feedback(RandK(0.25, scaled=False), problems=OBJECTIVES),
}
