"""TrainingStep: what a worker computes and sends in one step of synchronous SGD, as a DAG.

Forward passes run from the first layer to the last, backward from the last to the first; a tensor's
gradient is ready when its layer's backward pass is done, its message may leave then, and the next
step's forward pass of that layer waits for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from algorithms.workloads.base import Workload
from theory.arrays import Floats, Ints

FORWARD_SHARE = 1 / 3
"""Share of a step's work that is the forward pass: backward is twice as much."""


class SentTensor(NamedTuple):
    """The gradient of one tensor.

    Attributes:
        name: layer and tensor.
        layer: index of its layer in forward order.
        bits: length of what is sent of it.
    """

    name: str
    layer: int
    bits: float


@final
@dataclass(frozen=True)
class TrainingStep:
    """Seconds and gradients of one worker's step.

    Attributes:
        names: layers in forward order.
        forward: seconds of each layer's forward pass.
        backward: seconds of each layer's backward pass.
        tensors: gradients in forward order.
        selection: seconds that each layer's gradients are worked on before they can be sent
            (compression), on the device too; empty: none.

    Raises:
        ValueError: lists that do not belong together, a negative time or size, or no tensor.
    """

    names: tuple[str, ...]
    forward: tuple[float, ...]
    backward: tuple[float, ...]
    tensors: tuple[SentTensor, ...]
    selection: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        layers = len(self.names)
        if not (len(self.forward) == len(self.backward) == layers) or len(self.selection) not in (
            0,
            layers,
        ):
            raise ValueError(f"forward, backward and selection must have {layers} layers")
        if not all(x >= 0 for x in (*self.forward, *self.backward, *self.selection)):
            raise ValueError("forward, backward and selection must be at least 0 s")
        places = [tensor.layer for tensor in self.tensors]
        if not places or places != sorted(places) or not 0 <= places[0] <= places[-1] < layers:
            raise ValueError(
                f"tensors must stand in forward order on layers 0 to {layers - 1}, got {places}"
            )
        if not all(tensor.bits >= 0 for tensor in self.tensors):
            raise ValueError("tensors must have at least 0 bits")

    @property
    def compute(self) -> float:
        """Seconds of forward and backward pass."""
        return math.fsum((*self.forward, *self.backward, *self.selection))

    @cached_property
    def forward_seconds(self) -> Floats:
        """``forward`` as an array."""
        return np.asarray(self.forward, dtype=np.float64)

    @cached_property
    def backward_ends(self) -> Floats:
        """Ready times of each layer's gradients, in forward order [s after backward begins]."""
        spent = np.asarray(self.backward, dtype=np.float64)
        if self.selection:
            spent = spent + np.asarray(self.selection, dtype=np.float64)
        return np.asarray(np.cumsum(spent[::-1])[::-1])

    @property
    def backward_end(self) -> float:
        """End time of the backward pass."""
        return float(self.backward_ends[0])

    @cached_property
    def layers(self) -> Ints:
        """Layer of each gradient, in the order in which they become ready (last layer first)."""
        return np.asarray([tensor.layer for tensor in reversed(self.tensors)], dtype=np.int64)

    @cached_property
    def ready(self) -> Floats:
        """Ready time of each gradient, in that order."""
        return np.asarray(self.backward_ends[self.layers])

    @cached_property
    def bits(self) -> Floats:
        """Lengths of the gradients, in that order."""
        return np.asarray([tensor.bits for tensor in reversed(self.tensors)], dtype=np.float64)


def step_of(
    workload: Workload,
    seconds: float,
    *,
    entry_bits: float = 32,
    forward_share: float = FORWARD_SHARE,
    measured: Floats | None = None,
) -> TrainingStep:
    """A step of ``seconds``, spread over the layers in proportion to their multiply-adds.

    ``measured`` seconds of the layers, such as :func:`algorithms.workloads.module.forward_seconds`
    gives, take the place of multiply-adds: proportions only, ``seconds`` is the whole.

    Raises:
        ValueError: seconds or entry_bits is not positive, a share outside (0, 1), or measured
            seconds that are not one a layer, not all at least 0 or all 0.
    """
    if not (seconds > 0 and entry_bits > 0 and 0 < forward_share < 1):
        raise ValueError(
            "seconds and entry_bits must be positive and forward_share lie in (0, 1), got "
            f"seconds={seconds}, entry_bits={entry_bits}, forward_share={forward_share}"
        )
    spent = [layer.macs for layer in workload.layers] if measured is None else measured.tolist()
    whole = math.fsum(spent)
    if len(spent) != len(workload.layers) or not (min(spent) >= 0 and whole > 0):
        raise ValueError(
            f"measured must be {len(workload.layers)} times of at least 0 s, not all 0, got {spent}"
        )
    shares = [time / whole for time in spent]
    return TrainingStep(
        tuple(layer.name for layer in workload.layers),
        tuple(seconds * forward_share * share for share in shares),
        tuple(seconds * (1 - forward_share) * share for share in shares),
        tuple(
            SentTensor(f"{layer.name}.{tensor.name}", i, entry_bits * tensor.size)
            for i, layer in enumerate(workload.layers)
            for tensor in layer.tensors
        ),
    )
