"""``rateproof figure wang2018-corollaries``: ATOMO's budgets that are QSGD and TernGrad."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.compressors.atomo import AtomBudget, Atomo
from algorithms.compressors.base import Compressor
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.terngrad import TernGrad
from experiments.figures.lines import DrawnLine
from experiments.figures.reproduced import CurvePanel
from experiments.figures.reproduction import PublishedNumber, Reproduction, near
from experiments.published.figure import PublishedFigure, Request
from proofs_check.figure_runs.trace import gaussian, outcomes
from theory.claims import Source

_D, _DRAWS = 200, 4000
_BUDGETS = {AtomBudget.QSGD: "$\\ell_1/\\ell_2$", AtomBudget.TERNGRAD: "$\\ell_1/\\ell_\\infty$"}


def measure(_: Request) -> Reproduction:
    """Probabilities that a coordinate is sent, and outcomes from the same draws."""
    x = gaussian(_D)
    order = torch.argsort(x.abs(), descending=True)
    numbers: list[PublishedNumber] = []
    panels = []
    for budget, other, level, law in (
        (AtomBudget.QSGD, QSGD(1), x.norm(), "$|x_j|/\\Vert x\\Vert_2$"),
        (AtomBudget.TERNGRAD, TernGrad(), x.abs().max(), "$|x_j|/\\Vert x\\Vert_\\infty$"),
    ):
        own, same = _sent(Atomo(budget), x), _sent(other, x)
        p = x.abs() / level
        apart = float((own - same).abs().max())
        name = other.name
        numbers += [
            near(f"{name}: outcomes of the two that differ, of {_DRAWS} draws", 0, apart,
                 absolute=1e-12),
            near(f"{name}: largest error of a probability", 0,
                 float(((own != 0).double().mean(0) - p).abs().max()), absolute=0.06,
                 unit="sampling error at 1e-9"),
            near(f"{name}: sum of the probabilities", float(p.sum()),
                 float((own != 0).sum(-1).double().mean()), relative=0.02, unit="coordinates"),
        ]  # fmt: skip
        rank = np.arange(1.0, _D + 1)
        lines = [
            DrawnLine(label, rank, (sent != 0).double().mean(0)[order].numpy())
            for label, sent in (("ATOMO", own), (name, same))
        ]
        theory = DrawnLine(law, rank, p[order].numpy())
        panels.append(
            CurvePanel(f"budget {_BUDGETS[budget]}", "coordinate, by size", "share of draws sent",
                       tuple(lines), (theory,), scales=("linear", "linear"))
        )  # fmt: skip
    return Reproduction(tuple(numbers), tuple(panels), columns=2)


def _sent(operator: Compressor, x: torch.Tensor) -> torch.Tensor:
    return outcomes(operator, x[None], _DRAWS)[:, 0]


FIGURE = PublishedFigure(
    "wang2018-corollaries",
    "ATOMO over coordinates is QSGD of one level or TernGrad at two budgets",
    Source("Wang et al.", 2018, "1806.04090", "Corollaries 5 and 6"),
    "the same draws give the same outcomes, with probabilities |x_j| over the norm",
    measure,
)
