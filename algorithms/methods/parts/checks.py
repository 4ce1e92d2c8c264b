"""Requirements of gossip methods on their partners."""

from __future__ import annotations

from typing import Protocol

from algorithms.methods.base import RunContext
from algorithms.methods.exchanges.exchange import Exchange
from algorithms.topologies.base import Topology
from theory.networks.compressed_gossip import D2_LIMIT

_ROUNDING = 1e-12  # how near the limit an eigenvalue found in double precision counts as on it


class Partners(Protocol):
    """A topology, meetings or an exchange: over ``n`` workers, with a name."""

    @property
    def n(self) -> int:
        """Number n of workers that it is for."""

    @property
    def name(self) -> str:
        """Name in error messages."""


def check_size(partners: Partners, context: RunContext, argument: str = "topology") -> None:
    """Refuse a topology, meetings or an exchange over another number of workers.

    ``argument`` is what the method calls it.

    Raises:
        ValueError: its n is not the network's.
    """
    if partners.n != context.network.n:
        raise ValueError(
            f"{argument} {partners.name} has n={partners.n} nodes, the network "
            f"n={context.network.n} workers; make them equal"
        )


def check_averages(exchange: Exchange) -> None:
    """Refuse an exchange that would shrink or stretch what workers agree on without a word.

    Raises:
        ValueError: the rows of the exchange do not sum to 1.
    """
    if not exchange.averages:
        raise ValueError(
            f"exchange must have weights that sum to 1 by row, got {exchange.name}; doubly "
            "stochastic weights with LostWeight.OWN_INSTEAD would do, or push-sum or SGP, which "
            "divide by a weight"
        )


def check_static(topology: Topology, method: str) -> None:
    """Refuse a topology that changes with time: sums over what neighbours sent need one W.

    Raises:
        ValueError: period above 1.
    """
    if topology.period != 1:
        raise ValueError(
            f"{method} needs a static topology, got topology={topology.name} with period "
            f"{topology.period}; its static form would do"
        )


def check_symmetric(topology: Topology, method: str) -> None:
    """Refuse a topology whose matrix changes with time or is not symmetric.

    Raises:
        ValueError: period above 1, or a W that is not symmetric.
    """
    check_static(topology, method)
    if not topology.constants().symmetric:
        raise ValueError(
            f"{method} needs a symmetric W, got topology={topology.name}; Metropolis-Hastings "
            "weights of an undirected graph would do"
        )


def check_spectrum(topology: Topology, method: str) -> None:
    """Refuse a W that a method with the last step's models does not converge with.

    Raises:
        ValueError: the topology changes with time, is not symmetric, or has lambda_n <= -1/3.
    """
    check_symmetric(topology, method)
    lowest = topology.constants().need("lam_n")
    if lowest <= D2_LIMIT + _ROUNDING:
        raise ValueError(
            f"{method} needs all eigenvalues of W above -1/3, got lambda_n={lowest:.6g} of "
            f"topology={topology.name}; Lazy(topology), (I + W)/2, would do"
        )
