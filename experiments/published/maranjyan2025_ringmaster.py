"""``rateproof figure maranjyan2025-ringmaster``: seconds of Ringmaster ASGD among many workers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from algorithms.engine.run import one_thread
from algorithms.methods.parts.age_rules import Younger
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most
from experiments.published.figure import PublishedFigure, Request
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_N, _D, _REPLICAS = 64, 10, 8
_TIMES = tuple(math.sqrt(i) for i in range(1, _N + 1))
"""tau_i = sqrt(i) seconds a gradient: the slowest takes eight times as long as the quickest."""

_R, _GAP = 4, 4.0
"""R = sigma^2/eps; L Delta/eps."""

_ARRIVALS = 10  # at most, for each step of the server
_PATIENCE = 1e6  # times eps: a run that gets here has diverged


class ServerSteps(NamedTuple):
    """Steps of the server, not arrivals.

    Attributes:
        seconds: when each was taken.
        squares: ||grad f||^2 before each, mean over runs.
    """

    seconds: Floats
    squares: Floats


def _rule(oldest: float) -> Younger:
    return Younger(oldest)


def _problem(eps: float) -> Quadratic:
    """One curvature, L = 1, with L Delta = 4 eps and sigma^2 = 4 eps, one objective."""
    return Quadratic.strongly_convex(
        _N, _D, L=1.0, mu=1.0, sigma2=_R * eps, R2=2 * _GAP * eps, zeta2=0.0
    )


def _served(oldest: float, gamma: float, steps: int) -> ServerSteps:
    """A run until so many steps of the server, by ``oldest``, the age that is dropped."""
    problem = _problem(1.0)
    method = BufferedServer(
        ConstantStep(gamma), _ARRIVALS * steps, Constant(_TIMES), rule=_rule(oldest),
        replicas=_REPLICAS,
    )  # fmt: skip
    seconds: list[float] = []
    squares: list[float] = []
    with one_thread():
        for t, state, _ in path(method, problem, _ARRIVALS * steps, replicas=_REPLICAS):
            if int(state.steps[0]) == len(seconds):
                now: Any = method.seconds(state, t)
                seconds.append(float(now[0]))
                squares.append(float(problem.mean_gradient(state.x[:, 0]).square().sum(-1).mean()))
            if len(seconds) > steps or squares[-1] > _PATIENCE:
                break
    return ServerSteps(np.array(seconds), np.array(squares))


def _allowed(R: int) -> float:
    """t(R) = 2 min_m (mean of the m quickest's 1/tau)^-1 (1 + R/m) [seconds]."""
    rates = np.cumsum(1 / np.array(_TIMES))
    m = np.arange(1, _N + 1)
    return float((2 * m / rates * (1 + R / m)).min())


def measure(_: Request) -> Reproduction:
    """Seconds of R consecutive steps, steps to the target, asynchronous SGD at that stepsize."""
    gamma = min(1 / (2 * _R), 1 / (4 * _R))  # eps/(4 L sigma^2) with eps = L = 1
    steps = math.ceil(8 * _R * _GAP + 16 * _R * _GAP)
    ring = _served(_R, gamma, steps)
    plain = _served(math.inf, gamma, steps)
    windows = ring.seconds[_R:] - ring.seconds[:-_R]
    done = len(ring.seconds) - 1
    blocks = math.ceil(steps / _R)
    certain = {"confidence": Confidence.CERTAIN}
    numbers = (
        at_least("Ringmaster: steps of the server that were taken", steps, done, unit="steps"),
        at_most("Ringmaster: mean ||grad f||^2 of so many steps", 1.0,
                float(ring.squares[:steps].mean()), unit="eps", source="Theorem 4.2", **certain),
        at_most(f"Ringmaster: longest {_R} consecutive steps", _allowed(_R), float(windows.max()),
                unit="seconds", source="Lemma 4.1: t(R)", **certain),
        at_most("Ringmaster: all of them", blocks * _allowed(_R), float(ring.seconds[done]),
                unit="seconds in all", source="Theorem 4.3: t(R) ceil(K/R)", **certain),
        at_least("asynchronous SGD at that stepsize: mean ||grad f||^2 of so many steps", 1.0,
                 float(plain.squares[:steps].mean()), unit="eps"),
    )  # fmt: skip
    panel = CurvePanel(
        f"{_N} workers of $\\sqrt{{i}}$ seconds, $R = {_R}$", "seconds", "$||\\nabla f||^2$",
        (DrawnLine("Ringmaster ASGD", ring.seconds, ring.squares),
         DrawnLine("asynchronous SGD, same stepsize", plain.seconds, plain.squares)),
        scales=("linear", "log"),
    )  # fmt: skip
    return Reproduction(numbers, (panel,))


FIGURE = PublishedFigure(
    "maranjyan2025-ringmaster",
    "Ringmaster ASGD keeps its promise in seconds among workers of any speed",
    Source("Maranjyan, Tyurin, Richtarik", 2025, "2501.16168", "Lemma 4.1, Theorems 4.2 and 4.3"),
    "at the paper's R, stepsize and number of steps the mean squared gradient is at most eps, no R "
    "consecutive steps take longer than t(R), and asynchronous SGD's is above eps at that stepsize",
    measure,
)
