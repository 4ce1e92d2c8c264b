"""Table II of survey 002: influences of architectures and synchronisation schemes, as printed.

"Different levels only represent a relative description" (its note); "-" stands where the survey
says nothing.
"""

from __future__ import annotations

from typing import NamedTuple, final


@final
class Influence(NamedTuple):
    """One line of the table, the survey's words.

    Attributes:
        architecture: parameter server, all-reduce or gossip.
        synchronisation: synchronous, stale-synchronous, asynchronous or local.
        consistency: how alike the workers' models are.
        frequency: how often messages are sent.
        congestion: how much traffic meets at one node.
        convergence: how hard convergence is.
    """

    architecture: str
    synchronisation: str
    consistency: str
    frequency: str
    congestion: str
    convergence: str


INFLUENCES: tuple[Influence, ...] = (
    Influence("PS", "BSP", "high", "high", "high", "easy"),
    Influence("PS", "SSP", "normal", "high", "normal", "normal"),
    Influence("PS", "ASP", "low", "high", "low", "difficult"),
    Influence("PS", "Local SGD", "normal", "low", "high", "difficult"),
    Influence("All-Reduce", "BSP", "high", "high", "low", "easy"),
    Influence("All-Reduce", "SSP", "-", "-", "-", "-"),
    Influence("All-Reduce", "ASP", "-", "-", "-", "-"),
    Influence("All-Reduce", "Local SGD", "normal", "low", "low", "difficult"),
    Influence("Gossip", "BSP", "low", "high", "low", "normal"),
    Influence("Gossip", "SSP", "-", "-", "-", "-"),
    Influence("Gossip", "ASP", "low", "high", "low", "difficult"),
    Influence("Gossip", "Local SGD", "low", "low", "low", "difficult"),
)
