"""Lazy weights: every worker keeps half of its own row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from algorithms.topologies.base import Periodic, Topology, checked
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.ring import Ring
from theory.arrays import Floats
from theory.networks import mixing


@final
@dataclass(frozen=True)
class Lazy(Periodic, Topology):
    r"""$W_t \to (I + W_t)/2$ of any topology: the same edges.

    A symmetric W keeps no eigenvalue below 0, so lam = lam_2. (Textbook construction.)
    """

    topology: Topology

    @property
    def n(self) -> int:
        """Number n of workers, the nodes of the graph."""
        return self.topology.n

    @property
    def name(self) -> str:
        return f"lazy {self.topology.name}"

    @property
    def period(self) -> int:
        return self.topology.period

    @property
    def signed(self) -> bool:
        return self.topology.signed

    def build_period(self) -> tuple[Floats, ...]:
        halved = [mixing.lazy(self.topology.matrix(t)) for t in range(self.period)]
        return checked(halved, signed=self.signed)


EXAMPLES = (Lazy(Ring(16)), Lazy(OnePeerExponential(8)))
