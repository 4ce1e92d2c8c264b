"""The catalogue: every surveyed method as data, the ready ones with the parts they are made of."""

from __future__ import annotations

from algorithms.catalogue import (
    adaptive,
    admm,
    asynchronous,
    auxiliary,
    cooperative,
    decomposition,
    gossip,
    gossip_averaging,
    gossip_compressed,
    gossip_convex,
    gossip_directed,
    gossip_dual,
    gossip_local,
    gossip_pairwise,
    large_batch,
    lazy,
    local_updates,
    quantisation,
    signs,
    sparsification,
    synchronous,
    variance_reduced,
)
from algorithms.catalogue.row import CORE, OBJECTIVES, Recipe, Row, Tuned
from algorithms.names import look_up
from algorithms.problems.entries import PROBLEMS, ProblemEntry, problem
from theory.survey.rows import SURVEY_ROWS

__all__ = [
    "CORE",
    "OBJECTIVES",
    "PROBLEMS",
    "ROWS",
    "ProblemEntry",
    "Recipe",
    "Row",
    "Tuned",
    "problem",
    "row",
]  # fmt: skip

_READY: dict[str, Recipe] = (
    synchronous.READY
    | asynchronous.READY
    | gossip.READY
    | gossip_convex.READY
    | gossip_averaging.READY
    | gossip_compressed.READY
    | gossip_directed.READY
    | gossip_dual.READY
    | gossip_local.READY
    | gossip_pairwise.READY
    | quantisation.READY
    | sparsification.READY
    | decomposition.READY
    | auxiliary.READY
    | cooperative.READY
    | admm.READY
    | variance_reduced.READY
    | adaptive.READY
    | signs.READY
    | lazy.READY
    | large_batch.READY
    | local_updates.READY
)

ROWS: tuple[Row, ...] = tuple(
    Row(r.key, r.family, r.what, r.source, _READY.get(r.key)) for r in SURVEY_ROWS
)


def row(key: str) -> Row:
    """The row called ``key``.

    Raises:
        UnknownName: there is none; suggests the nearest.
    """
    return look_up("row", key, {r.key: r for r in ROWS})
