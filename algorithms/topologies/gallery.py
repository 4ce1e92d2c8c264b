"""Every topology of this room: by the number of workers, and the examples that are checked.

A module here offers its family to the table of topologies by a function ``of_workers(n, weights)``
(the members over n workers, ``weights`` on those that are graphs; an empty tuple where n has none),
and declares further instances, with other parameters or sizes, in a tuple ``EXAMPLES``. The survey
and the tests take both: :func:`examples`.
"""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from algorithms.topologies.base import MixingSequence, Topology, need_workers
from algorithms.topologies.graphs import STANDARD
from algorithms.topologies.grid import Grid
from algorithms.topologies.optimal_weights import FDLA, FMMC
from algorithms.topologies.weights import (
    BestConstant,
    LazyWeights,
    MaxDegree,
    MetropolisHastings,
    Weights,
)
from theory.members import declared, modules

_ROOM = "algorithms.topologies"
_N = 16  # workers of the examples
Kind = TypeVar("Kind", bound=MixingSequence)

RULES: dict[str, Weights] = {
    "metropolis-hastings": MetropolisHastings(),
    "metropolis-hastings-max": MetropolisHastings(plus_one=False),
    "max-degree": MaxDegree(),
    "max-degree-max": MaxDegree(plus_one=False),
    "lazy-max-degree": LazyWeights(MaxDegree(plus_one=False)),
    "best-constant": BestConstant(),
    "fdla": FDLA(),
    "fmmc": FMMC(),
}
"""Weight rules by the names that the command line gives them."""


def gallery(n: int, weights: Weights = STANDARD) -> tuple[Topology, ...]:
    """The doubly stochastic topologies that n workers can have, ``weights`` on graphs.

    Families without a member for this n (a hypercube of 12) are left out. Random graphs take twice
    the density that is needed, and the first seed whose draw is connected.

    Raises:
        ValueError: n < 1.
    """
    return tuple(one for one in _families(n, weights) if isinstance(one, Topology))


@cache
def examples(kind: type[Kind]) -> tuple[Kind, ...]:
    """The instances of ``kind`` that the survey checks: families of 16, grids with every rule of
    weights, and what modules declare besides.
    """
    grids = (Grid.square(_N, rule) for rule in RULES.values())
    found = (*_families(_N, STANDARD), *grids, *declared(_ROOM, "EXAMPLES"))
    return tuple(dict.fromkeys(one for one in found if isinstance(one, kind)))


def _families(n: int, weights: Weights) -> tuple[MixingSequence, ...]:
    need_workers(n)
    offers = [module for module in modules(_ROOM) if hasattr(module, "of_workers")]
    return tuple(one for module in offers for one in module.of_workers(n, weights))
