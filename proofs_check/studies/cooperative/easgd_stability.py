r"""Where EASGD on a quadratic loses stability: its 2x2 matrix against simulation.

h = eta a, alpha and beta as in :class:`theory.rules.stability.Elastic`. For each beta/alpha and
alpha the largest stable h is found on runs of the method (16 curvatures at once, a grid that is
refined), and compared with Jury's criterion, bisected on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.methods.base import Method
from algorithms.methods.cooperative.easgd import EASGD, EASGDState
from algorithms.problems.quadratic import Quadratic
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.rules.stability import Elastic
from theory.stepsizes import ConstantStep

Build = Callable[[EASGD], Method[Any]]

_N, _GRID, _STEPS, _BLOCKS, _ZOOMS = 4, 16, 50, 16, 2
_TOLERANCE = 0.01
_ALPHAS = np.linspace(0.05, 0.8, 6)
_RATIOS = (1.0, 4.0)  # beta / alpha: 4 is the paper's n alpha


def _same(method: EASGD) -> Method[Any]:
    return method


def threshold(alpha: float, beta: float) -> float:
    """The largest stable h by Jury's criterion; 0 where none is."""
    low, high = 0.0, 4.0
    if not Elastic(1e-6, alpha, beta).stable:
        return 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if Elastic(middle, alpha, beta).stable else (low, middle)
    return low


def simulated(build: Build, alpha: float, beta: float) -> float:
    """The largest h at which models and centre shrink, to 4/16^3; curvatures are coordinates."""
    low, high = 0.0, 4.0
    for _ in range(_ZOOMS + 1):
        h = np.linspace(low, high, _GRID + 1)[1:]
        grows = _grows(build, alpha, beta, h)
        first = int(grows.argmax()) if grows.any() else _GRID
        low, high = (h[first - 1] if first else low), h[min(first, _GRID - 1)]
    return float((low + high) / 2)


def _grows(build: Build, alpha: float, beta: float, h: Floats) -> NDArray[np.bool_]:
    """Whether coordinate j of models or centre grew over the second half, ``[len(h)]``.

    Without noise and offsets coordinates do not speak to each other: each is a run of its own, and
    the method is linear, so that a state may be scaled down between blocks of steps.
    """
    a = torch.from_numpy(h).expand(_N, -1)
    problem = Quadratic.from_arrays(a.contiguous(), torch.zeros_like(a))
    x = torch.linspace(-1, 2, _N, dtype=torch.float64)[None, :, None].expand(1, _N, len(h))
    state = EASGDState(0.3 * torch.ones_like(x[:, :1]), x.contiguous(), torch.zeros_like(x))
    method, grown = build(EASGD(ConstantStep(1.0), alpha, beta)), np.zeros(len(h))
    for block in range(_BLOCKS):
        for moment in path(method, problem, _STEPS, state=state):
            state = moment.state
        size = torch.cat((state.x, state.centre), 1).square().sum(1, keepdim=True).sqrt()
        state = EASGDState(*(v / size for v in state))
        grown += np.log(size[0, 0].numpy()) * (block >= _BLOCKS // 2)
    return grown >= 0


def measure(build: Build = _same) -> StudyResult:
    """Thresholds over alpha for every ratio, within 1%."""
    verdicts: list[Verdict] = []
    curves: list[PanelLine] = []
    for ratio in _RATIOS:
        betas = ratio * _ALPHAS
        stable = betas < 1.8  # beta = 2 alone leaves no stable h
        alphas = _ALPHAS[stable]
        due = np.array([threshold(a, ratio * a) for a in alphas])
        got = np.array([simulated(build, a, ratio * a) for a in alphas])
        verdicts.append(
            identity(
                "easgd",
                f"largest stable eta a with beta = {ratio:g} alpha, relative to Jury's",
                got / due,
                np.ones_like(due),
                check="stability region",
                problem="quadratic",
                tolerance=_TOLERANCE,
                provenance=f"{_GRID} curvatures a pass, {_STEPS * _BLOCKS} steps, n={_N}, no seed",
            )
        )
        label = f"beta = {ratio:g} alpha"
        fine = np.linspace(0.02, float(alphas.max()), 60)
        law = np.array([threshold(a, ratio * a) for a in fine])
        curves.append(PanelLine(f"{label}, 2x2 matrix", fine, law, theory=True))
        curves.append(PanelLine(f"{label}, simulated", alphas, got))
    return StudyResult(tuple(verdicts), curves)


STUDY = Study(
    "easgd_stability",
    "easgd",
    "quadratic",
    "largest stable eta a of the 2x2 matrix, within 1%",
    "elastic pull alpha",
    "largest stable eta a",
    measure,
    ("linear", "linear"),
)
