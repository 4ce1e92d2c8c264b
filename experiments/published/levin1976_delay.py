"""``rateproof figure levin1976-delay``: the largest stable stepsize at a constant delay."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, near
from experiments.published.figure import CostClass, PublishedFigure, Request
from proofs_check.evidence.asynchronous.closed_forms import threshold
from proofs_check.instruments.paths import models
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep

_PUBLISHED = {0: 2.0, 1: 1.0, 2: 0.6180, 3: 0.4450, 4: 0.3473}
_DELAY, _TICKS = 2, 120


def measure(_: Request) -> Reproduction:
    """Thresholds that runs of asynchronous SGD show, and runs at both sides of one."""
    found = {tau: threshold(lambda server: server, tau) for tau in _PUBLISHED}
    numbers = tuple(
        near(f"delay {tau}: largest stable gamma L", stated, sum(found[tau]) / 2, relative=1e-3,
             confidence=Confidence.DERIVED, source="roots of the companion matrix")
        for tau, stated in _PUBLISHED.items()
    )  # fmt: skip
    tau = np.array(list(_PUBLISHED), dtype=np.float64)
    middle = np.array([sum(found[k]) / 2 for k in _PUBLISHED])
    law = 2 * np.sin(np.pi / (2 * (2 * tau + 1)))
    said = DrawnLine("measured", tau, np.array(list(_PUBLISHED.values())))
    panels = (
        CurvePanel("", "delay $\\tau$", "largest stable $\\gamma L$",
                   (DrawnLine("measured", tau, middle),),
                   (DrawnLine("$2\\sin(\\pi/(4\\tau+2))$", tau, law),), (said,),
                   scales=("linear", "linear")),
        CurvePanel(f"$\\tau = {_DELAY}$", "gradients", "$|x_t|$",
                   tuple(_run(h) for h in (0.3, 0.6, 0.64)), scales=("linear", "log")),
    )  # fmt: skip
    return Reproduction(numbers, panels, columns=2)


def _run(h: float) -> DrawnLine:
    a = torch.full((_DELAY + 1, 1), h, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, 0 * a, x0=torch.ones(1, dtype=torch.float64))
    method = ParameterServer(ConstantStep(1.0), _TICKS, Constant(), replicas=1)
    x = models(method, problem, _TICKS)[:, 0, 0].abs().numpy()
    return DrawnLine(f"$\\gamma L = {h}$", np.arange(_TICKS + 1.0), x)


FIGURE = PublishedFigure(
    "levin1976-delay",
    "Delayed gradient descent: the largest stable stepsize by delay",
    Source("Levin, May", 1976, "", "A note on difference-delay equations"),
    "runs with n = tau + 1 workers in turn lose stability at 2 sin(pi/(2(2 tau + 1))) to 0.1 "
    "percent",
    measure,
    CostClass.QUICK,
)
