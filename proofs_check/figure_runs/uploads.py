"""Uploads that a method needs to a given accuracy, counted in the ledger of its network."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.base import Method, RunContext
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.lazy.lag import LAG
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.network.simulated import Simulated
from algorithms.problems.least_squares import LeastSquares
from algorithms.synchronisation.lazy import InTurn, NoneSends, ServerRule
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

ACCURACY = 1e-8
"""Of n (f - f*): Chen et al. 2018 (arXiv:1805.09965) minimise the sum over workers."""


class Contender(NamedTuple):
    """A method in the race: where it starts along minus ones, and what its counter starts from.

    ``back`` is by how much every coordinate of x_0 has moved before the first message.

    Attributes:
        name: what the figure calls it.
        counted: uploads that its counter starts from.
    """

    name: str
    method: Method[Any]
    back: float = 0.0
    counted: int = 0


class Uploads(NamedTuple):
    """One method's race: ``uploads`` [K] and ``error`` [K] = n (f - f*) after each step.

    ``total`` are the uploads when ``accuracy`` was met, its own last step included, counted from
    ``counted``; ``reached`` whether it was; ``by_worker`` [n] the messages of each; ``bits`` sent.

    Attributes:
        name: what the figure calls it.
        steps: number of steps that were run.
    """

    name: str
    reached: bool
    steps: int
    total: int
    bits: int
    by_worker: NDArray[np.int64]
    uploads: Floats
    error: Floats


def contenders(problem: LeastSquares) -> tuple[Contender, ...]:
    """Gradient descent, LAG by both rules, cyclic IAG, LAQ and CMFL, set as in the published runs.

    Gamma = 1/L of the mean f is their alpha = 1/L of the sum. All stored gradients are ones at
    first, which moves the start of gradient descent by gamma; LAG asks nobody for ten steps; D = 10
    and xi = 1/10, ten times that for the server's rule: no theorem covers either, and the second
    may diverge where the data are easy. The published counters start from 1, that of gradient
    descent with a round. LAQ and CMFL (one local step) are set as their papers say.
    """
    n, gamma = problem.n, 1 / problem.curvatures[-1].item()
    step = ConstantStep(gamma)
    server = ServerRule(problem.smoothness)
    in_turn = LAG(ConstantStep(gamma / n), InTurn(1), opening=NoneSends(steps=1))
    return (
        Contender("GD", BSP(step), gamma, n),
        Contender("LAG-PS", LAG(step, server, (1.0,) * 10, NoneSends()), 0.0, 1),
        Contender("LAG-WK", LAG(step, opening=NoneSends()), 0.0, 1),
        Contender("Cyc-IAG", in_turn, 0.0, 1),
        Contender("LAQ", LAQ(step)),
        Contender("CMFL", CMFL(step, 1)),
    )


def race(
    entry: Contender, problem: LeastSquares, accuracy: float = ACCURACY, most: int = 20_000
) -> Uploads:
    """Run until n |f - f*| < accuracy, or ``most`` steps."""
    network = Simulated(problem.n)
    context = RunContext(problem, network, Key.seed(0), torch.arange(1))
    state = entry.method.init(problem.start() - entry.back, context)
    uploads, errors = [], []
    with one_thread():
        for t in range(most):
            errors.append(_error(entry, state, context))
            state = entry.method.step(state, t, context)
            uploads.append(int(network.account((1,)).sent_messages.sum()))
            if errors[-1] < accuracy:
                break
    account = network.account((1,))
    return Uploads(
        entry.name, errors[-1] < accuracy, len(errors), uploads[-1] + entry.counted,
        int(account.sent_bits.sum()), account.sent_messages.reshape(-1).numpy(),
        np.array(uploads, dtype=np.float64) + entry.counted, np.array(errors),
    )  # fmt: skip


def _error(entry: Contender, state: Any, context: RunContext) -> float:
    rows = entry.method.models(state)
    mean = rows[..., 0, :] if entry.method.shared_model else context.network.mean_over_workers(rows)
    value = context.problem.value(mean) - (context.problem.f_star or 0.0)
    return abs(context.network.n * value.item())
