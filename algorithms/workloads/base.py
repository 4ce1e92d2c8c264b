"""Workload: what one training step of a model computes and sends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Source

PASSES = 3
"""Forward work counts three times in a training step: backward differentiates by inputs and by
weights, and each costs as much as the forward pass."""


@final
@dataclass(frozen=True)
class ParameterTensor:
    """One parameter tensor of a model.

    Attributes:
        name: within its layer, such as ``weight``.
        shape: lengths of its axes.

    Raises:
        ValueError: an axis shorter than 1.
    """

    name: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(length < 1 for length in self.shape):
            raise ValueError(f"shape must have axes of at least 1, got {self.name}={self.shape}")

    @property
    def size(self) -> int:
        """Number of its parameters."""
        return math.prod(self.shape)


@final
@dataclass(frozen=True)
class WorkloadLayer:
    """Layer operation, and the tensors whose gradients are there after its backward pass.

    A tensor that several layers use (tied embeddings) stands in the first of them: backward reaches
    that one last, and only then is its gradient complete.

    Attributes:
        name: what timelines call it.
        tensors: parameter tensors in the order of their definition; there may be none.
        macs: multiply-adds of the forward pass for one sample, those of convolutions and matrix
            products; what works by entries (normalisation, activation) is not counted.

    Raises:
        ValueError: macs < 0.
    """

    name: str
    tensors: tuple[ParameterTensor, ...]
    macs: float

    def __post_init__(self) -> None:
        if not self.macs >= 0:
            raise ValueError(f"macs must be at least 0, got macs={self.macs} of layer {self.name}")

    @property
    def parameters(self) -> int:
        """Parameters of all its tensors."""
        return sum(tensor.size for tensor in self.tensors)


@final
@dataclass(frozen=True)
class Workload:
    """A model as its layers in forward order.

    Attributes:
        name: what commands call it.
        title: what readers call it.
        sample: what one sample is, in words.
        layers: in forward order.
        source: where the architecture is defined.

    Raises:
        ValueError: no layer, or none with a tensor.
    """

    name: str
    title: str
    sample: str
    layers: tuple[WorkloadLayer, ...]
    source: Source

    def __post_init__(self) -> None:
        if not any(layer.tensors for layer in self.layers):
            raise ValueError(f"layers must have a parameter tensor, workload {self.name} has none")

    @property
    def tensors(self) -> tuple[ParameterTensor, ...]:
        """All tensors in forward order."""
        return tuple(tensor for layer in self.layers for tensor in layer.tensors)

    @property
    def parameters(self) -> int:
        """D: number of all parameters."""
        return sum(layer.parameters for layer in self.layers)

    @property
    def macs(self) -> float:
        """Multiply-adds of the forward pass for one sample."""
        return math.fsum(layer.macs for layer in self.layers)

    @property
    def step_flops(self) -> float:
        """Floating-point operations of a training step for one sample: a multiply-add is two."""
        return 2 * PASSES * self.macs
