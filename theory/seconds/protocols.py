"""Links by protocol: seconds of a message by its size, as survey 001 measured them.

Survey 001 (arXiv:2005.13247), sections on communication performance and on scheduling: effective
throughput of messages of 16 KB and 1 MB, and times of 16 and 32 KiB over RDMA. Between its points a
link is affine, as each regime of a protocol is; before the first and after the last it goes on.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from theory.claims import Confidence
from theory.seconds.costs import AlphaBeta

SHORT, DOUBLE, LONG = 8 * 16 * 1024.0, 8 * 32 * 1024.0, 8e6
"""Bits of the survey's messages: 16 KiB, 32 KiB, 1 MB."""

Point = tuple[float, float]
"""Bits of a message, and its seconds."""


@final
@dataclass(frozen=True)
class ProtocolLink:
    """A link of one protocol, by measured points.

    Attributes:
        name: network and protocol.
        points: messages by size, at least two.
        confidence: how sure the points are.

    Raises:
        ValueError: fewer than two points, or sizes or times that do not grow.
    """

    name: str
    points: tuple[Point, ...]
    confidence: Confidence = Confidence.CERTAIN

    def __post_init__(self) -> None:
        sizes, times = (list(column) for column in zip(*self.points, strict=True))
        if len(sizes) < 2 or sizes != sorted(set(sizes)) or times != sorted(set(times)):
            raise ValueError(f"points must be two or more that grow, got points={self.points}")

    def segment(self, bits: float) -> AlphaBeta:
        """The affine regime of messages of this size.

        Raises:
            ValueError: bits is negative.
        """
        if bits < 0:
            raise ValueError(f"bits must be at least 0, got bits={bits}")
        place = bisect_left([size for size, _ in self.points], bits)
        at = min(max(place, 1), len(self.points) - 1)
        return affine(self.points[at - 1], self.points[at])

    def seconds(self, bits: float) -> float:
        """Time of one message of this length [s]."""
        return self.segment(bits).seconds(bits, 1)

    def throughput(self, bits: float) -> float:
        """Throughput of one message on the link [bit/s]."""
        return bits / self.seconds(bits)


def affine(one: Point, other: Point) -> AlphaBeta:
    """The affine model through two messages.

    Raises:
        ValueError: its alpha or beta would be negative.
    """
    beta = (other[1] - one[1]) / (other[0] - one[0])
    return AlphaBeta(one[1] - beta * one[0], beta)


def best_affine(points: tuple[Point, ...]) -> tuple[AlphaBeta, float]:
    """The affine model with the smallest largest relative error over the points, and that error.

    It errs as much at three of them, above, below and above or the other way (Chebyshev); of all
    triples it is the worst one's.

    Raises:
        ValueError: fewer than three points.
    """
    if len(points) < 3:
        raise ValueError(f"points must be at least three, got {len(points)}")
    found = []
    for triple in combinations(sorted(points), 3):
        bits, seconds = (np.array(column) for column in zip(*triple, strict=True))
        system = np.stack([np.ones(3), bits, seconds * np.array([1.0, -1.0, 1.0])], axis=1)
        alpha, beta, error = np.linalg.solve(system, seconds)
        found.append((abs(float(error)), AlphaBeta(float(alpha), float(beta))))
    error, link = max(found, key=lambda pair: pair[0])
    return link, error


def _measured(short: float, long: float) -> tuple[Point, ...]:
    """Points of the effective throughputs [bit/s] of 16 KiB and 1 MB."""
    return (SHORT, SHORT / short), (LONG, LONG / long)


def _typical(alpha: float, rate: float) -> tuple[Point, ...]:
    return tuple((bits, alpha + bits / rate) for bits in (SHORT, LONG))


TCP_10G = ProtocolLink("10GbE TCP/IP", _measured(1.2e9, 8.2e9))
TCP_100G = ProtocolLink("100GbE TCP/IP", _measured(4.6e9, 16.5e9))
RDMA_100G = ProtocolLink(
    "100GbIB RDMA", ((SHORT, 7.85e-6), (DOUBLE, 10.1e-6), (LONG, LONG / 83.2e9))
)
IPOIB_100G = ProtocolLink("100GbIB IPoIB", _typical(1.5e-5, 25e9), Confidence.MEMORY)
ROCE_100G = ProtocolLink("100GbE RoCE", _typical(7e-6, 85e9), Confidence.MEMORY)

PROTOCOL_LINKS = (TCP_10G, TCP_100G, IPOIB_100G, ROCE_100G, RDMA_100G)
"""Those with points of survey 001 are certain; for IPoIB and RoCE it has no numbers, and theirs are
round figures of their class, between TCP/IP and RDMA."""
