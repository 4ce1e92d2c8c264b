"""Rows of the family sparsification."""

from __future__ import annotations

from algorithms.catalogue import sparsifiers
from algorithms.catalogue.compose import compressed, with_feedback
from algorithms.catalogue.row import OBJECTIVES, Recipe
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK

READY: dict[str, Recipe] = {
    "random-k": compressed(
        RandK(0.25),
        operators=(RandK(0.25, send_indices=True), RandK(0.25, scaled=False)),
        problems=OBJECTIVES,
    ),
    "top-k": with_feedback(TopK(0.1), problems=OBJECTIVES),
    **sparsifiers.READY,
}
