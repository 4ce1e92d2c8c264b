"""``rateproof figure zhang2015-stability``: where elastic averaging is stable."""

from __future__ import annotations

import numpy as np

from algorithms.methods.cooperative.easgd import EASGD
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.evidence.cooperative.studies import simulated, threshold
from theory.claims import Source

_ALPHAS = (0.1, 0.25, 0.4, 0.6, 0.8)


def measure(_: Request) -> Reproduction:
    """The largest stable eta L on runs, with beta = alpha, beside alpha <= (4 - 2h)/(4 - h)."""
    found = {alpha: simulated(_same, alpha, alpha) for alpha in _ALPHAS}
    elastic = {alpha: simulated(_same, alpha, 4 * alpha) for alpha in _ALPHAS if alpha < 0.25}
    numbers = (
        *(near(f"alpha = beta = {alpha:g}: largest stable eta L", (4 - 4 * alpha) / (2 - alpha), h,
               relative=0.01, source="0 <= alpha <= (4 - 2 eta)/(4 - eta), solved for eta")
          for alpha, h in found.items()),
        *(near(f"alpha = {alpha:g}, beta = 4 alpha: Jury's criterion", threshold(alpha, 4 * alpha),
               h, relative=0.01) for alpha, h in elastic.items()),
    )  # fmt: skip
    a = np.array(_ALPHAS)
    fine = np.linspace(0.01, 0.95, 60)
    panel = CurvePanel(
        "moving rate of the centre $\\beta = \\alpha$", "elasticity $\\alpha$",
        "largest stable $\\eta L$", (DrawnLine("runs", a, np.array(list(found.values()))),),
        (DrawnLine("$(4-4\\alpha)/(2-\\alpha)$", fine, (4 - 4 * fine) / (2 - fine)),),
        scales=("linear", "linear"), limits=(0.0, 2.2),
    )  # fmt: skip
    return Reproduction(numbers, (panel,))


def _same(method: EASGD) -> EASGD:
    return method


FIGURE = PublishedFigure(
    "zhang2015-stability",
    "Elastic averaging: the stability region of one-dimensional quadratics",
    Source("Zhang, Choromanska, LeCun", 2015, "1412.6651", "section 4, stability of EASGD"),
    "runs lose stability at alpha = (4 - 2 eta)/(4 - eta) to 1 percent",
    measure,
)
