"""What studies of local SGD over gossip share: workers, exact moments, runs against them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.gossip_local.gossip_local_moments import (
    Recursion,
    boundary,
    lazy_complete,
    mean_square,
)
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict
from theory.arrays import Floats

GAMMA = 0.01
RINGS = (8, 16, 32, 64)


def alternating(n: int) -> Floats:
    """Curvatures 3, -1, 3, -1, ... ``[n]``: mean 1."""
    return np.where(np.arange(n) % 2 == 0, 3.0, -1.0)


def along_slowest(n: int) -> Floats:
    """1 + 2 sqrt(2) cos(2 pi i / n) ``[n]``: mean and variance as those that alternate."""
    return np.asarray(1 + 2 * np.sqrt(2) * np.cos(2 * np.pi * np.arange(n) / n))


def longest(w: Floats, a: Floats, gamma: float = GAMMA) -> float:
    """H* of plain gossip, a real number."""
    return boundary(lambda h: Recursion(w, a, 0 * a, gamma, h).growth(), 1e-6, 1e4)


def pictured(lines: dict[str, tuple[Floats, Floats]]) -> tuple[PanelLine, ...]:
    """Lines by label, as a picture's."""
    return tuple(PanelLine(label, x, y) for label, (x, y) in lines.items())


def workers(n: int) -> tuple[Floats, Floats]:
    """Curvatures and slopes ``[n]``: x* = 0, zeta^2 = 1/2 there, correlated with the curvature."""
    wave = np.cos(2 * np.pi * np.arange(n) / n)
    return 1 + 0.5 * wave, wave


def plain_errors(n: int, period: int, gap: float, gamma: float) -> tuple[float, float]:
    """Bias squared and variance of the mean model in the long run, over parallel SGD's variance."""
    a, c = workers(n)
    mean, covariance = Recursion(lazy_complete(n, gap), a, c, gamma, period, variance=1.0).settled()
    parallel = gamma / (n * (2 - gamma))
    return float(mean.mean() ** 2) / parallel, float(covariance.sum() / n**2) / parallel


def moment_in_simulation(
    row: str,
    quantity: str,
    method: Method[Any],
    own: Recursion,
    rounds: int,
    *,
    seed: int,
    replicas: int,
    d: int,
) -> Verdict:
    """E (xbar - x*)^2 of ``method`` after so many rounds against the recursion ``own``.

    It runs in ``d`` coordinates that are alike; ``quantity`` says what is compared, in words.
    """
    columns = [
        torch.from_numpy(v)[:, None].expand(own.n, d).contiguous() for v in (own.a, own.c / own.a)
    ]
    problem = Quadratic.from_arrays(*columns, sigma2=float(d))
    steps = rounds * int(own.period)
    trace = run(method, problem, steps=steps, seed=seed, replicas=replicas, points=2)
    return mean_value(
        row, quantity, trace.squared_distance[:, -1] / d,
        mean_square(own.played(rounds), own.n, 0.0),
        check="exact second moments", problem="quadratic",
        provenance=f"seed {seed}, {replicas} replicas, {d} coordinates",
    )  # fmt: skip
