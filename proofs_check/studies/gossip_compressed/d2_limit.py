r"""D-squared's limit lambda_n > -1/3, found by simulation.

Rings of 8 whose workers keep the share s of their own row have lambda_n = 2 s - 1. At each stepsize
the lambda_n at which disagreement stops to fall and begins to grow is bisected by running the
method; the characteristic equation puts it at -1/(3 - 2 gamma a), which tends to -1/3. (Tang, Lian,
Yan, Zhang, Liu 2018, arXiv:1803.07068, ask for lambda_n > -1/3; necessity derived.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.d2 import D2, D2State
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.closed_forms.gossip_compressed.difference_compression import apart
from proofs_check.curves import RateSeries
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult
from theory.arrays import Floats
from theory.networks.compressed_gossip import D2_LIMIT, d2_limit
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]

_N, _SEED = 8, 91
_CURVATURES = (1e-9, 0.15, 0.3, 0.5)
_EARLY, _LATE = 80, 120  # steps between which growth is judged
_BISECTIONS = 15
_RESOLUTION = 0.25 * 2.0**-_BISECTIONS


def keeping(least: float) -> FixedMatrix:
    """The ring of 8 with lambda_n = ``least``: own weight (1 + least)/2."""
    own = (1 + least) / 2
    beside = np.roll(np.eye(_N), 1, axis=0) + np.roll(np.eye(_N), -1, axis=0)
    return FixedMatrix(own * np.eye(_N) + (1 - own) / 2 * beside, f"ring, own weight {own:.8f}")


def grows(build: Build, least: float, curvature: float) -> bool:
    """Whether disagreement grows between two late steps, from a random start."""
    ones = torch.ones((_N, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, torch.zeros_like(ones))
    start = torch.from_numpy(np.random.default_rng(_SEED).normal(size=(1, _N, 1)))
    method = build(ConstantStep(curvature), keeping(least), allow_unstable=True)
    moments = path(method, problem, _LATE, state=D2State(start, (1 - curvature) * start))
    seen = {m.t: float(apart(m.state.x)) for m in moments if m.t in (_EARLY, _LATE)}
    return seen[_LATE] > seen[_EARLY]


def limit(build: Build, curvature: float) -> float:
    """lambda_n where growth begins, between -0.65 and -0.2; the end where it never changes."""
    low, high = -0.65, -0.2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if grows(build, middle, curvature) else (low, middle)
    return (low + high) / 2


def measure(build: Build = D2) -> StudyResult:
    """The limit at four stepsizes against -1/(3 - 2 gamma a), and at gamma -> 0 against -1/3."""
    x: Floats = np.array(_CURVATURES)
    y: Floats = np.array([limit(build, float(c)) for c in x])
    expected: Floats = np.array([d2_limit(float(c)) for c in x])
    told = (
        f"rings of {_N} with lambda_n = 2 s - 1, {_BISECTIONS} bisections, growth between steps "
        f"{_EARLY} and {_LATE}, seed {_SEED} for the start"
    )
    verdicts = (
        identity(
            "d2", "the limit of lambda_n as gamma -> 0, found by running the method, is -1/3",
            y[0], D2_LIMIT, check="limit by bisection", problem="quadratic",
            tolerance=2 * _RESOLUTION, provenance=told,
        ),
        identity(
            "d2", "at stepsize gamma the limit of lambda_n is -1/(3 - 2 gamma a)",
            y, expected, check="limit by bisection", problem="quadratic",
            tolerance=2 * _RESOLUTION, provenance=told,
        ),
    )  # fmt: skip
    line = RateSeries(x, y, y - _RESOLUTION, y + _RESOLUTION, expected, expected)
    return StudyResult(verdicts, (line,))


STUDY = Study(
    "d2_limit",
    "d2",
    "quadratic",
    "lambda_n > -1/3",
    "gamma a",
    "lambda_n at which disagreement begins to grow",
    measure,
    ("linear", "linear"),
)
