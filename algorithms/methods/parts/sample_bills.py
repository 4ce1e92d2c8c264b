"""Time of rounds in which workers evaluate different numbers of samples.

A stopwatch bills a gradient for each that all workers compute, whatever its samples. Methods that
take exact gradients at times and those of samples else say themselves what a round costs, in
stochastic gradients: an exact one is worth as many of them as have its samples.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext

from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.problems.base import Problem


def exact_worth(problem: Problem) -> int:
    """Batches in which an exact gradient's samples are evaluated, the last perhaps not full; 1
    where the noise is not of samples, so that no number of them would do."""
    return 1 if math.isinf(problem.exact_cost) else math.ceil(problem.exact_cost)


def billed_apart(context: RunContext) -> AbstractContextManager[None]:
    """Gradients computed within take no modelled time: :func:`bill` tells what they cost."""
    watch = context.network.stopwatch
    return nullcontext() if watch is None else watch.paused()


def bill(context: RunContext, gradients: int, workers: Tensor) -> None:
    """``workers`` ``[..., n]`` (bool) computed so many stochastic gradients in turn, where a
    stopwatch runs."""
    if context.network.stopwatch is not None:
        context.network.stopwatch.work(gradients, workers.cpu())
