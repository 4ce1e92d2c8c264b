"""``rateproof figure tyurin2023-straggler``: a worker a thousand times slower, in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.parts.age_rules import DelayAdaptive, Younger
from algorithms.methods.parts.gradient_buffers import BufferPerWorker, SharedBuffer
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_most
from experiments.published.figure import CostClass, PublishedFigure, Request
from theory.claims import Source
from theory.stepsizes import ConstantStep

_N, _TICKS, _REPLICAS, _POINTS = 4, 3 * 1020 + 1, 16, 511
_TIMES = Constant((1e-3, 1e-3, 1e-3, 1.0))
_GRID = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4)
_READ = 1.005  # seconds: the straggler's first gradient came at 1
_ASYNCHRONOUS = "asynchronous SGD"


def _methods() -> Mapping[str, Any]:
    """Methods by name, each of a stepsize."""
    server = partial(BufferedServer, ticks=_TICKS, times=_TIMES)
    return {
        _ASYNCHRONOUS: partial(ParameterServer, ticks=_TICKS, times=_TIMES),
        "delay-adaptive ASGD": partial(server, rule=DelayAdaptive(1.0)),
        "Rennala SGD, B = 4": partial(server, rule=Younger(1), buffer=SharedBuffer(_N)),
        "Ringmaster ASGD, R = 8": partial(server, rule=Younger(2 * _N)),
        "Malenia SGD, S = 4": partial(server, rule=Younger(1), buffer=BufferPerWorker(_N)),
    }


def _problem() -> Quadratic:
    """One objective for all workers, kappa = 10, noise, a start that is far off."""
    return Quadratic.strongly_convex(_N, 20, sigma2=0.01, R2=100.0)


def _error_at(trace: Trace, seconds: float) -> float:
    """Mean error at the last record before so many seconds."""
    place = int(np.searchsorted(trace.seconds[0], seconds)) - 1
    return float(trace.suboptimality[:, place].mean())


def measure(_: Request) -> Reproduction:
    """f(x_t) - f* against seconds, each method at its best stepsize of one grid on other runs."""
    problem, lines, errors = _problem(), [], {}
    for name, made in _methods().items():

        def played(gamma: float, seed: int, made: Any = made) -> Trace:
            return run(
                made(ConstantStep(gamma)), problem, steps=_TICKS, seed=seed, replicas=_REPLICAS,
                points=_POINTS,
            )  # fmt: skip

        best = min(_GRID, key=lambda gamma: _error_at(played(gamma, 1), _READ))
        trace = played(best, 2)
        errors[name] = _error_at(trace, _READ)
        label = f"{name}, gamma = 1/{round(1 / best)}"
        lines.append(DrawnLine(label, trace.seconds[0], trace.suboptimality.mean(0)))
    panel = CurvePanel("", "seconds", "$f(x_t) - f^*$", tuple(lines), (), scales=("linear", "log"))
    numbers = tuple(
        at_most(f"error of {name}, of asynchronous SGD's", 0.2, error / errors[_ASYNCHRONOUS])
        for name, error in errors.items()
        if name.startswith(("delay", "Rennala", "Ringmaster"))
    )
    return Reproduction(numbers, (panel,))


FIGURE = PublishedFigure(
    "tyurin2023-straggler",
    "Asynchronous methods and a worker a thousand times slower",
    Source("Tyurin, Richtarik", 2023, "2305.12387", "setting; numbers made up for this page"),
    "5 ms after the straggler's gradient has come, methods that weigh or drop it have a fifth of "
    "the error of asynchronous SGD at most, each at its best stepsize; Malenia waits for it",
    measure,
    CostClass.NORMAL,
)
