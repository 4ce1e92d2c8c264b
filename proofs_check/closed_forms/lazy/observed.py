"""Lazy methods seen from outside: models and the ledger's messages tell all.

Who sent at a step stands in the ledger; what the server must hold then follows: the exact gradients
at the models of each worker's last message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.methods.base import Method
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.least_squares_data import rising
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Make = Callable[[Stepsize], Method[Any]]
STEPS = 60


class ObservedRun(NamedTuple):
    """What an observer saw: models ``[T + 1, d]``, who sent ``[T, n]``, gradients ``[T + 1, n, d]``
    at these models from the data alone.

    Attributes:
        x: the models ``[T + 1, d]``.
    """

    x: Floats
    sent: NDArray[np.bool_]
    gradients: Floats


def problem() -> LeastSquares:
    """Nine workers with L_i from 4 to 2000: d_i reaches from 10 down to 0."""
    return rising(growth=1.6)


def watch(make: Make, steps: int = STEPS, on: LeastSquares | None = None) -> ObservedRun:
    """A run from outside, ``on`` a problem other than :func:`problem`."""
    built = on or problem()
    method = make(ConstantStep(1 / built.curvatures[-1].item()))
    x, counts = [], []
    for moment in path(method, built, steps):
        x.append(method.models(moment.state)[0].mean(0).numpy())
        counts.append(moment.context.network.account((1,)).sent_messages[0].numpy())
    points = np.stack(x)
    a, y = built.features.numpy(), built.targets.numpy()
    gradients = np.einsum("nsd,tns->tnd", a, np.einsum("nsd,td->tns", a, points) - y)
    return ObservedRun(points, np.diff(np.stack(counts), axis=0) > 0, gradients)
