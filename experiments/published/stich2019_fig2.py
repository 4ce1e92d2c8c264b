"""``rateproof figure stich2019-fig2``: speedup of local SGD by workers and period."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.local_updates.local_sgd import LocalSGD
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, at_least, at_most, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.local_updates.studies import skewed
from proofs_check.figure_runs.trace import MeasuredMean
from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.stepsizes import InverseTimeStep

_WORKERS, _STEPS, _REPLICAS = (1, 4, 16, 64, 256), 256, 1024
_STEP = InverseTimeStep(64.0, 40.0)


def measure(_: Request) -> Reproduction:
    """E||xbar_T - x*||^2 of one worker over that of n, by period H."""
    errors = {(n, h): _errors(n, h) for n in _WORKERS for h in _periods(n)}
    one = errors[1, 1].mean()
    names: dict[str, Callable[[int], int]] = {
        "H = 1": lambda _: 1, "$H = \\sqrt{T/n}$": _longest, "H = T": lambda _: _STEPS,
    }  # fmt: skip
    numbers: list[PublishedNumber] = []
    for n in _WORKERS[1:]:
        ratio = float(errors[n, _longest(n)].mean() / errors[n, 1].mean())
        numbers.append(at_most(f"n = {n}, H = {_longest(n)}: error of that of H = 1", 1.5, ratio,
                               unit="ratio", source="Theorem 2.2: H up to sqrt(T/n)"))  # fmt: skip
    few, last = _WORKERS[-2:]
    numbers += [
        near(f"n = {last}, H = 1: speedup", last, float(one / errors[last, 1].mean()),
             relative=0.35, unit="speedup"),
        at_least(f"n = {few}, H = {_longest(few)}: speedup", few / 2,
                 float(one / errors[few, _longest(few)].mean()), unit="speedup"),
        at_most(f"n = {last}, H = T: speedup of that of H = 1", 0.5,
                float(errors[last, 1].mean() / errors[last, _STEPS].mean()), unit="ratio",
                confidence=Confidence.DERIVED, source="local minimisation is biased"),
    ]  # fmt: skip
    x = np.array(_WORKERS, dtype=np.float64)
    lines = []
    for name, period in names.items():
        mean = [MeasuredMean.from_samples(errors[n, period(n)]) for n in _WORKERS]
        centre, low, high = (np.array(column) for column in zip(*mean, strict=True))
        lines.append(DrawnLine(name, x, one / centre, one / high, one / np.maximum(low, 1e-12)))
    panel = CurvePanel("", "workers $n$", "speedup of $E\\Vert\\bar x_T-x^*\\Vert^2$", tuple(lines),
                       (DrawnLine("$n$", x, x),), limits=(0.5, 600))  # fmt: skip
    note = "logistic regression with skewed labels on one set of samples for all, in place of w8a"
    return Reproduction(tuple(numbers), (panel,), (note,))


def _longest(n: int) -> int:
    return int((_STEPS // n) ** 0.5)


def _periods(n: int) -> set[int]:
    return {1, _longest(n), _STEPS}


def _errors(n: int, period: int) -> Floats:
    problem = skewed(n)
    trace = run(
        LocalSGD(_STEP, period), problem, steps=_STEPS, seed=157 + n,
        replicas=max(64, _REPLICAS // n), points=2, x0=problem.x_star,
    )  # fmt: skip
    return trace.squared_distance[:, -1]


FIGURE = PublishedFigure(
    "stich2019-fig2",
    "Local SGD: linear speedup while workers meet often enough",
    Source("Stich", 2019, "1805.09767", "Figures 2 and 3, Theorem 2.2"),
    "the error of H up to sqrt(T/n) is within 1.5 times that of H = 1, the speedup of 256 "
    "workers near 256, and one average at the end has less than half of it",
    measure,
)
