"""Priority by forward order: what the next step needs first is sent first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from algorithms.schedules.base import CommunicationSchedule, Messages, sliced_messages
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.step import TrainingStep


@final
@dataclass(frozen=True)
class PriorityPropagation(CommunicationSchedule):
    """P3 (Jayarajan et al. 2019, arXiv:1905.03960): slices, and the first layer's go first.

    Attributes:
        slice_bits: most bits of a slice; 50,000 parameters by default, as in the paper.

    Raises:
        ValueError: slice_bits is not positive.
    """

    slice_bits: float = 32.0 * 50_000
    barrier = False

    def __post_init__(self) -> None:
        if not self.slice_bits > 0:
            raise ValueError(f"slice_bits must be positive, got slice_bits={self.slice_bits}")

    @property
    def name(self) -> str:
        return f"P3, slices of {self.slice_bits / 32:g} entries"

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        return sliced_messages(step, self.slice_bits)


@final
@dataclass(frozen=True)
class ByteScheduler(CommunicationSchedule):
    """Peng et al. 2019 (SOSP): partition, priority, and a window of ``credit_bits`` under way.

    The window hides the latency of one partition behind the next; a higher rank still waits for
    what is in it.

    Attributes:
        partition_bits: most bits of a partition (4 MB by default).
        credit_bits: most bits under way on a channel (four partitions by default).
        barrier: the next forward pass waits for all messages, as where an optimiser's step
            synchronises (BytePS); else each layer for its own.
        turn: seconds from readiness until a message may leave, the mean wait for a coordinator
            that looks from time to time.
        tensor_seconds: time that the device waits for its host at each tensor, in hooks.

    Raises:
        ValueError: partition_bits or credit_bits is not positive, or a negative time.
    """

    partition_bits: float = 8 * 4e6
    credit_bits: float = 8 * 16e6
    barrier: bool = False
    turn: float = 0.0
    tensor_seconds: float = 0.0

    def __post_init__(self) -> None:
        if not (self.partition_bits > 0 and self.credit_bits > 0):
            raise ValueError(
                "partition_bits and credit_bits must be positive, got "
                f"partition_bits={self.partition_bits}, credit_bits={self.credit_bits}"
            )
        if not (self.turn >= 0 and self.tensor_seconds >= 0):
            raise ValueError(
                "turn and tensor_seconds must be at least 0, got "
                f"turn={self.turn}, tensor_seconds={self.tensor_seconds}"
            )

    @property
    def name(self) -> str:
        return (
            f"ByteScheduler, partitions of {self.partition_bits / 8e6:.3g} MB, "
            f"credit {self.credit_bits / 8e6:.3g} MB"
        )

    @property
    def credit(self) -> float:
        return self.credit_bits

    def prepared(self, step: TrainingStep) -> TrainingStep:
        if not self.tensor_seconds:
            return step
        waits = list(step.selection or (0.0,) * len(step.names))
        for tensor in step.tensors:
            waits[tensor.layer] += self.tensor_seconds
        return replace(step, selection=tuple(waits))

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        sliced = sliced_messages(step, self.partition_bits)
        return sliced._replace(ready=sliced.ready + self.turn)


def tuned(step: TrainingStep, carrier: Carrier, evaluations: int = 200) -> ByteScheduler:
    """Partition and credit at which a step is shortest, by the DIRECT search of scipy (Gablonsky,
    Kelley 2001) over sizes from 64 kB to the whole model and windows of 1 to 64 partitions.

    Raises:
        ValueError: evaluations < 1.
    """
    from scipy import optimize

    if evaluations < 1:
        raise ValueError(f"evaluations must be at least 1, got evaluations={evaluations}")
    most = max(float(step.bits.sum()), 8 * 128e3)

    def of(point: np.ndarray) -> ByteScheduler:
        partition = float(2 ** point[0])
        return ByteScheduler(partition, partition * float(2 ** point[1]))

    bounds = [(np.log2(8 * 64e3), np.log2(most)), (0.0, 6.0)]
    found = optimize.direct(
        lambda point: of(point).seconds(step, carrier), bounds, maxfun=evaluations
    )
    best = of(found.x)
    return min((ByteScheduler(), best), key=lambda one: one.seconds(step, carrier))


P3 = PriorityPropagation()
BYTE_SCHEDULER = ByteScheduler()

SCHEDULES_BY_NAME = (("p3", P3), ("bytescheduler", BYTE_SCHEDULER))
