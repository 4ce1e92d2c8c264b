"""Seconds of a step under the alpha-beta model: a message of m bits takes alpha + beta m.

Hockney 1994; Thakur, Rabenseifner, Gropp 2005. Links are full duplex: a node sends and receives
at once, but handles the messages of one direction one after another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class AlphaBeta:
    """A link: ``alpha`` seconds per message, ``beta`` seconds per bit.

    Raises:
        ValueError: a negative cost.
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        if not (self.alpha >= 0 and self.beta >= 0):
            raise ValueError(
                f"alpha and beta must be at least 0, got alpha={self.alpha}, beta={self.beta}"
            )

    def seconds(self, bits: float, messages: float) -> float:
        """Time of ``messages`` messages of ``bits`` in all, one after another [s].

        Raises:
            ValueError: bits or messages is negative.
        """
        if bits < 0 or messages < 0:
            raise ValueError(
                f"bits and messages must be at least 0, got bits={bits}, messages={messages}"
            )
        return self.alpha * messages + self.beta * bits


ETHERNET_1G = AlphaBeta(5e-5, 1e-9)
ETHERNET_10G = AlphaBeta(2e-5, 1e-10)
ETHERNET_100G = AlphaBeta(5e-6, 1e-11)
"""Links of 1, 10 and 100 Gbit/s; the latencies are round figures of their class, not measured."""


def parameter_server_seconds(
    link: AlphaBeta, n: int, up_bits: float, down_bits: float, compute: float = 0.0
) -> float:
    """One round with a single server: compute, then n messages in, then n out [s].

    The server's link is the bottleneck. ``up_bits`` and ``down_bits`` are those of one worker's
    message; ``compute`` is the slowest worker's time for a gradient.

    Raises:
        ValueError: n < 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")
    return compute + link.seconds(n * up_bits, n) + link.seconds(n * down_bits, n)


def gossip_seconds(link: AlphaBeta, degree: int, bits: float, compute: float = 0.0) -> float:
    """One round of exchange with ``degree`` neighbours, ``bits`` to each [s].

    All workers send at once, so the time is that of the busiest one: give its degree.

    Raises:
        ValueError: degree < 0.
    """
    if degree < 0:
        raise ValueError(f"degree must be at least 0, got degree={degree}")
    return compute + link.seconds(degree * bits, degree)
