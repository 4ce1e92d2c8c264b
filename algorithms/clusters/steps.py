"""ModelOnCluster: what rounds of a method take when a model of real size is trained on a cluster.

A run of the survey is small; what it decides is when workers compute, send and wait. Its messages
are stretched to the model's: a dense message of the run stands for all gradients of the model, a
compressed one for the closed-form length of the same operator over the model's tensors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import final

from algorithms.clusters.carriers import gathers, neighbours, sums
from algorithms.clusters.cluster import Cluster, CodingTimes
from algorithms.compressors.base import Compressor, Property
from algorithms.core.names import look_up
from algorithms.schedules import SCHEDULES
from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.step import TrainingStep, step_of
from algorithms.workloads import WORKLOADS

ENTRY_BITS = 32


@final
@dataclass(frozen=True)
class ModelOnCluster:
    """A model's training steps on n workers of a cluster, with a schedule and an architecture.

    Sums of dense or linear messages go by the architecture, other messages to everybody; while the
    schedule overlaps them with the backward pass that comes before.

    Attributes:
        cluster: machines, links and times.
        model: a workload's name.
        n: number of workers.
        schedule: when gradients are sent, by its name.
        architecture: how gradients are summed, by its name.
        operator: what compresses messages; None: nothing.
        dense_bits: length of a dense message in the run that is timed; 0: no run, lengths are the
            model's.
        run_bits: length of the operator's message in that run.

    Raises:
        ValueError: an unknown name, workers that do not fill machines, or a model whose times the
            cluster does not know.
    """

    cluster: Cluster
    model: str
    n: int
    schedule: str = "mg-wfbp"
    architecture: str = "ring"
    operator: Compressor | None = None
    dense_bits: float = 0.0
    run_bits: float = 0.0

    def __post_init__(self) -> None:
        look_up("model", self.model, WORKLOADS)
        look_up("schedule", self.schedule, SCHEDULES)
        self.cluster.step_times(self.model)
        sums(self.cluster, self.n, self.architecture)

    @property
    def name(self) -> str:
        """Name on axes and in reports."""
        coding = coding_times(self.cluster, self.operator) if self.operator else None
        return (
            f"{WORKLOADS[self.model].title} on {self.n} workers of {self.cluster.name}, "
            f"{SCHEDULES[self.schedule].name}, {self.architecture}"
            f"{'' if coding is None or coding.measured else ', coding times assumed'}"
        )

    @property
    def compute(self) -> float:
        """Seconds of a worker's gradient."""
        return self.cluster.step_times(self.model).seconds

    @cached_property
    def dense(self) -> TrainingStep:
        """A step whose gradients are sent as they are."""
        return step_of(WORKLOADS[self.model], self.compute, entry_bits=ENTRY_BITS)

    @cached_property
    def model_bits(self) -> float:
        """Length of a message of the whole model, as it is sent."""
        return math.fsum(tensor.bits for tensor in self.sent.tensors)

    @cached_property
    def sent(self) -> TrainingStep:
        """A step whose gradients are compressed tensor by tensor, coding included."""
        if self.operator is None:
            return self.dense
        bits = {size: _length(self.operator, size) for size in self._sizes}
        tensors = tuple(
            tensor._replace(bits=bits[size])
            for tensor, size in zip(self.dense.tensors, self._sizes, strict=True)
        )
        coding, read = coding_times(self.cluster, self.operator), 1 if self.summed_up else self.n
        spent = [0.0] * len(self.dense.names)
        for tensor, size in zip(self.dense.tensors, self._sizes, strict=True):
            spent[tensor.layer] += size * (coding.encode + read * coding.decode)
        return replace(self.dense, tensors=tensors, selection=tuple(spent))

    @property
    def summed_up(self) -> bool:
        """Whether messages are added on their way: dense ones, and those of linear operators."""
        return self.operator is None or Property.LINEAR in self.operator.properties

    @cached_property
    def carrier(self) -> Carrier:
        """Carrier of a message to all workers; where it is no sum, the quicker gathering."""
        if self.summed_up:
            return sums(self.cluster, self.n, self.architecture)
        ways = [gathers(self.cluster, self.n, ring) for ring in (False, True)]
        return min(ways, key=lambda way: SCHEDULES[self.schedule].seconds(self.sent, way))

    @cached_property
    def step_seconds(self) -> float:
        """A step in which all workers compute a gradient and sum it."""
        return SCHEDULES[self.schedule].seconds(self.sent, self.carrier)

    def round_seconds(self, bits: float) -> float:
        """Time that a sum of messages of ``bits`` of the run adds to computing [s]; 0 bits: 0."""
        return _added(self, self.times_of(bits), 0)

    def exchange_seconds(self, bits: float, degree: int, merged: bool = False) -> float:
        """Time that messages to ``degree`` neighbours add to computing [s].

        Lists that are ``merged`` from others wait for those, so that nothing hides them behind the
        backward pass, and have their own entries alone to select among, which costs nothing here.
        """
        return _added(self, self.times_of(bits), min(degree, self.n - 1), merged)

    def times_of(self, bits: float) -> float:
        """Length of a message of the run in messages of the model, to three digits."""
        if not (bits and self.dense_bits):
            return float(bits > 0)
        one = self.run_bits if self.operator is not None else self.dense_bits
        return float(f"{bits / one:.3g}")

    @cached_property
    def _sizes(self) -> list[int]:
        return [round(tensor.bits / ENTRY_BITS) for tensor in self.dense.tensors]


@lru_cache(maxsize=4096)
def _added(one: ModelOnCluster, times: float, degree: int, merged: bool = False) -> float:
    """Seconds beyond computing of messages that are ``times`` as long as the model's."""
    if not times:
        return 0.0
    part = min(1.0, times)  # who sends in parts codes in parts
    step = replace(
        one.sent,
        tensors=tuple(t._replace(bits=t.bits * times) for t in one.sent.tensors),
        selection=() if merged else tuple(seconds * part for seconds in one.sent.selection),
    )
    carrier = neighbours(one.cluster, one.n, degree) if degree else one.carrier
    schedule = BULK if merged else SCHEDULES[one.schedule]
    return max(0.0, schedule.seconds(step, carrier) - one.compute)


OTHER = "other"
"""Name of the times of all operators that a cluster's file does not name."""


def coding_times(cluster: Cluster, operator: Compressor) -> CodingTimes:
    """Times of an operator: those of the longest name in the cluster's file that its own begins
    with, else those of ``other``.

    Raises:
        ValueError: the file has none.
    """
    known = dict(cluster.operators)
    mine = [name for name in known if operator.name.startswith(name)]
    if not mine and OTHER in known:
        return known[OTHER]
    if not mine:
        raise ValueError(
            f"cluster {cluster.name} has no times of {operator.name!r}, only of "
            f'{", ".join(known) or "none"}; a table [operators."{operator.name.split("(")[0]}"] '
            f"with encode and decode, seconds an entry, and measured, or [operators.{OTHER}] for "
            "all that it does not name, would do"
        )
    return known[max(mine, key=len)]


def _length(operator: Compressor, size: int) -> float:
    """Closed-form bits of a tensor's message; of one too small for the operator, those as it is."""
    try:
        return min(operator.stated_bits(size, ENTRY_BITS), float(ENTRY_BITS * size))
    except ValueError:
        return float(ENTRY_BITS * size)
