"""What studies of gossip share: graphs of the comparison, and a direction that mixes slowest."""

from __future__ import annotations

import numpy as np

from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from theory.arrays import Floats


def topologies(n: int) -> tuple[Topology, ...]:
    """The four graphs of the comparison."""
    return (Ring(n), Torus.square(n), StaticExponential(n), Complete(n))


def slowest_mode(w: Floats) -> Floats:
    """A direction ``[n]``, of mean zero and mean square one, that W shrinks least."""
    n = w.shape[0]
    left, _, _ = np.linalg.svd(w - np.ones((n, n)) / n)
    mode = left[:, 0] - left[:, 0].mean()
    return np.asarray(mode / np.sqrt(np.mean(mode**2)))
