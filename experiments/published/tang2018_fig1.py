"""``rateproof figure tang2018-fig1``: D-squared and D-PSGD on workers that differ."""

from __future__ import annotations

import numpy as np

from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, at_least, at_most, near
from experiments.published.figure import PublishedFigure, Request
from theory.claims import Source
from theory.stepsizes import ConstantStep

_N, _STEPS, _STEP = 16, 1200, ConstantStep(0.1)
_RING = Lazy(Ring(_N))


def measure(_: Request) -> Reproduction:
    """f - f* of the mean model, on workers that differ and on workers alike."""
    apart, alike = unequal(_N, sigma2=0.0), Quadratic.strongly_convex(_N, 20, sigma2=0.0)
    found = {
        place: {"D-PSGD": _run(DPSGD(_STEP, _RING), stage), "D-squared": _run(D2(_STEP, _RING),
                stage)}
        for place, stage in (("workers that differ", apart), ("workers alike", alike))
    }  # fmt: skip
    plain, exact = (t.suboptimality[0] for t in found["workers that differ"].values())
    same = [t.suboptimality[0] for t in found["workers alike"].values()]
    numbers = (
        at_most("workers that differ, D-squared: f - f* at the end", 1e-10, float(exact[-1])),
        at_least("workers that differ, D-PSGD: f - f* at the end", 1e-5, float(plain[-1])),
        near("workers that differ, D-PSGD: end of two thirds, a floor", 1.0,
             float(plain[-1] / plain[2 * _STEPS // 3]), relative=0.05, unit="ratio"),
        at_most("workers alike: D-PSGD has no floor either", 1e-10, float(same[0][-1])),
    )  # fmt: skip
    t = np.arange(_STEPS + 1.0)
    panels = tuple(
        CurvePanel(place, "steps", "$f(\\bar x_t) - f^*$",
                   tuple(DrawnLine(name, t, x.suboptimality[0]) for name, x in lines.items()),
                   scales=("linear", "log"), limits=(1e-16, 1e2))
        for place, lines in found.items()
    )  # fmt: skip
    note = "noiseless quadratics in place of unshuffled CIFAR-10: what differs is the data's spread"
    return Reproduction(numbers, panels, (note,), columns=2)


def _run(method: DPSGD | D2, stage: Quadratic) -> Trace:
    return run(method, stage, steps=_STEPS, points=_STEPS + 1)


FIGURE = PublishedFigure(
    "tang2018-fig1",
    "D-squared converges where D-PSGD stalls because workers differ",
    Source("Tang, Lian, Yan, Zhang, Liu", 2018, "1803.07068", "Figures 1 and 2, Theorem 2"),
    "D-squared reaches 1e-10 on workers that differ, D-PSGD a floor that depends on them alone",
    measure,
)
