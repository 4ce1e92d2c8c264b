"""The layers that architectures are built of: tensors and multiply-adds for one sample."""

from __future__ import annotations

from algorithms.workloads.base import ParameterTensor, WorkloadLayer


def convolution(
    name: str, channels: tuple[int, int], kernel: int, side: int, *, bias: bool = False
) -> WorkloadLayer:
    """``channels`` (in, out), square kernel, and an output of ``side`` by ``side``."""
    inside, out = channels
    weight = ParameterTensor("weight", (out, inside, kernel, kernel))
    tensors = (weight, ParameterTensor("bias", (out,))) if bias else (weight,)
    return WorkloadLayer(name, tensors, float(weight.size * side * side))


def norm(name: str, channels: int) -> WorkloadLayer:
    """Batch or layer normalisation: a scale and a shift a channel, work by entries only."""
    return WorkloadLayer(
        name, tuple(ParameterTensor(part, (channels,)) for part in ("weight", "bias")), 0.0
    )


def linear(name: str, inside: int, out: int, *, rows: int = 1, bias: bool = True) -> WorkloadLayer:
    """A matrix ``[out, inside]`` applied to ``rows`` vectors of a sample (words, positions)."""
    weight = ParameterTensor("weight", (out, inside))
    tensors = (weight, ParameterTensor("bias", (out,))) if bias else (weight,)
    return WorkloadLayer(name, tensors, float(weight.size * rows))


def embedding(name: str, entries: int, width: int) -> WorkloadLayer:
    """A table that is looked up: no arithmetic."""
    return WorkloadLayer(name, (ParameterTensor("weight", (entries, width)),), 0.0)


def work(name: str, macs: float) -> WorkloadLayer:
    """Products without a tensor of their own: attention scores, a tied output matrix."""
    return WorkloadLayer(name, (), macs)
