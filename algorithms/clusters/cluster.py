"""Cluster: what is known of machines and links, and how gradients are summed on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, final

from algorithms.fabrics.program_times import FabricRegime
from algorithms.fabrics.topologies import MachineFabric
from theory.seconds.costs import AlphaBeta
from theory.seconds.protocols import Point, ProtocolLink


class ModelTimes(NamedTuple):
    """Cost of a training step of a model on one worker of a cluster.

    Attributes:
        samples: of the step.
        seconds: of its forward and backward pass.
    """

    samples: int
    seconds: float


class CodingTimes(NamedTuple):
    """Cost of a compressor on one worker of a cluster.

    Attributes:
        encode: seconds for each entry of the tensor.
        decode: seconds of decoding one message, for each entry of the tensor.
        measured: whether both were measured there; else they are assumed.
    """

    encode: float
    decode: float
    measured: bool = True


@final
@dataclass(frozen=True)
class Cluster:
    """Machines of several workers each, all alike, at one network.

    Attributes:
        name: what commands call it.
        title: what it is, in words.
        source: where its numbers come from.
        machines: how many there are; scaling asks for more of the same.
        workers: of each machine.
        network: bits and seconds of single messages between machines, by size, two or more.
        inside: the same within a machine.
        left: share of the bandwidth within a machine that a computing worker leaves to messages.
        models: times of a step, by the model's name.
        operators: times of a compressor, by what its name begins with; ``other`` of all others.
        thread: bits a second that the one thread of a server, or of a machine of workers, copies
            between its memory and the network, in or out; infinite where nothing is copied (RDMA).

    Raises:
        ValueError: no machine or worker, a share outside (0, 1], a time or rate that is not
            positive, or messages that do not grow.
    """

    name: str
    title: str
    source: str
    machines: int
    workers: int
    network: tuple[Point, ...]
    inside: tuple[Point, ...]
    left: float = 1.0
    models: tuple[tuple[str, ModelTimes], ...] = ()
    operators: tuple[tuple[str, CodingTimes], ...] = ()
    thread: float = math.inf

    def __post_init__(self) -> None:
        if self.machines < 1 or self.workers < 1 or not 0 < self.left <= 1:
            raise ValueError(
                "machines and workers must be at least 1 and left lie in (0, 1], got "
                f"machines={self.machines}, workers={self.workers}, left={self.left}"
            )
        if not self.thread > 0:
            raise ValueError(f"thread must be positive bits a second, got thread={self.thread}")
        for name, model in self.models:
            if not (model.samples >= 1 and model.seconds > 0):
                raise ValueError(f"models.{name} must have samples and positive seconds")
        for name, operator in self.operators:
            if not (operator.encode >= 0 and operator.decode >= 0):
                raise ValueError(f"operators.{name} must take at least 0 s an entry")
        self.regimes(self.workers)

    @property
    def size(self) -> int:
        """Workers of all machines."""
        return self.machines * self.workers

    def links(self) -> tuple[ProtocolLink, ProtocolLink]:
        """The network between machines, and what is within one."""
        return ProtocolLink("network", self.network), ProtocolLink("inside", self.inside)

    def regimes(self, n: int, network: AlphaBeta | None = None) -> tuple[FabricRegime, ...]:
        """The fabric of n workers, by the length of messages; with ``network`` in place of its own.

        Raises:
            ValueError: n workers do not fill machines.
        """
        return _regimes(self.network, self.inside, *self.placed(n), network)

    def placed(self, n: int) -> tuple[int, int]:
        """Machines of n workers, and workers of each.

        Raises:
            ValueError: n workers do not fill machines.
        """
        if n < 1 or (n > self.workers and n % self.workers):
            raise ValueError(
                f"workers must be at most {self.workers} or fill machines of {self.workers}, got "
                f"n={n}; n={max(1, n // self.workers) * self.workers} would do"
            )
        return max(1, n // self.workers), min(n, self.workers)

    def step_times(self, model: str) -> ModelTimes:
        """Times of a step of a model.

        Raises:
            ValueError: nobody measured it.
        """
        known = dict(self.models)
        if model not in known:
            raise ValueError(
                f"cluster {self.name} has no times of model {model!r}, only of "
                f"{', '.join(known) or 'none'}; a table [models.{model}] with samples and seconds "
                "of a worker's step would do"
            )
        return known[model]


@cache
def _regimes(
    network: tuple[Point, ...],
    inside: tuple[Point, ...],
    machines: int,
    workers: int,
    instead: AlphaBeta | None,
) -> tuple[FabricRegime, ...]:
    outer, inner = ProtocolLink("network", network), ProtocolLink("inside", inside)
    knots = sorted({bits for points in (network, inside) for bits, _ in points[1:-1]})
    ends = [*knots, math.inf]
    asked = [*knots, 2 * max(network[-1][0], inside[-1][0])]
    return tuple(
        FabricRegime(
            end,
            MachineFabric(machines, workers, inner.segment(bits), instead or outer.segment(bits)),
        )
        for end, bits in zip(ends, asked, strict=True)
    )
