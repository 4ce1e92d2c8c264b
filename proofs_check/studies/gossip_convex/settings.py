"""What studies of dual averaging and of DGD's bound share: convex problem, point, constants."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import SortedByLabel
from algorithms.problems.regularisers import L2
from algorithms.topologies.base import Topology
from theory.constants import Constants

_COMPARED = 0.1  # regulariser of the point compared with


def setting(n: int) -> tuple[Logistic, Tensor]:
    """The problem and the point it is compared with ``[d]``."""
    data = breast_cancer(n, L2(_COMPARED), partition=SortedByLabel())
    unit = replace(data, rows=data.rows / data.rows.norm(dim=-1, keepdim=True))
    point = unit.x_star
    assert point is not None
    return replace(unit, regulariser=L2(0.0)), point


def stated(graph: Topology, point: Tensor) -> Constants:
    """What the theorem needs; x_0 = 0."""
    own = Constants(lipschitz=1.0, R2=float(point @ point), convex=True)
    return graph.constants().merge(own)
