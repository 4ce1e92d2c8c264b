r"""Local SGD's drift grows with the period when workers differ, without noise.

f_i(x) = a_i (x - b_i)^2 / 2 with 32 random pairs (a_i, b_i) of 4 workers. The fixed point is off
the minimiser by an amount proportional to gamma (H - 1), and the models are apart before averaging
by gamma (H - 1) zeta: squares grow as (H - 1)^2 and no faster, the order of the drift term of
Stich 2018 (arXiv:1805.09767). As gamma a H <= 0.07, saturation costs at most 0.03 in the exponent.
The fixed points are also held against their closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import Study, StudyResult, noise_free, noise_free_rate
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

_PERIODS = (2, 3, 5, 9, 17)
_N, _INSTANCES, _SEED, _GAMMA = 4, 32, 72, 0.004
_ROUNDS = 10_000  # gradient steps to the fixed point: (1 - gamma a)^10000 < 1e-9


def measure(build: Callable[[Stepsize, int], Method[Any]] = LocalSGD) -> StudyResult:
    """Exponents of H - 1 in the squared bias and in the squared spread; fixed points exact."""
    generator = torch.Generator().manual_seed(_SEED)
    shape = (_N, _INSTANCES)
    a = 0.5 + 0.5 * torch.rand(shape, generator=generator, dtype=torch.float64)
    b = torch.randn(shape, generator=generator, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, b)
    biases, spreads, points = [], [], []
    for period in _PERIODS:
        # ends one step short of an averaging, where the models are furthest apart
        steps = _ROUNDS - _ROUNDS % period + period - 1
        trace = run(build(ConstantStep(_GAMMA), period), problem, steps=steps, points=3)
        spreads.append(trace.consensus[0, -1])
        fixed = _before_averaging(trace.rows[0].numpy(), a.numpy(), b.numpy())
        points.append(fixed)
        biases.append(float(np.square(fixed - problem.x_star.numpy()).sum()))
    x, bias, spread = (np.array(v, dtype=np.float64) for v in (_PERIODS, biases, spreads))
    told = f"{_INSTANCES} random instances, seed {_SEED}, {_ROUNDS} steps, gamma {_GAMMA}, n={_N}"
    common = {"subject": "local-sgd", "problem": problem.name, "provenance": told}
    verdicts = (
        noise_free_rate(
            x - 1, bias, 2.0, 0.03, tight=True, variable="(H-1)",
            claim="drift: ||x_fix - x*||^2 grows as (H-1)^2 when workers differ", **common,
        ),
        noise_free_rate(
            x - 1, spread, 2.0, 0.03, tight=True, variable="(H-1)",
            claim="drift: the spread before averaging grows as (H-1)^2", **common,
        ),
        identity(
            claim="fixed points sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, all instances",
            measured=np.stack(points), expected=_expected(a.numpy(), b.numpy()),
            check="closed form", tolerance=1e-9, **common,
        ),
    )  # fmt: skip
    slope_two = bias[0] * (x - 1) ** 2
    return StudyResult(verdicts, (noise_free(x - 1, bias, slope_two, spread=spread),))


def _before_averaging(rows: Floats, a: Floats, b: Floats) -> Floats:
    """The average after one more local step: the model that the next round starts from."""
    return np.asarray((rows - _GAMMA * a * (rows - b)).mean(axis=0))


def _expected(a: Floats, b: Floats) -> Floats:
    weights = [1 - (1 - _GAMMA * a) ** period for period in _PERIODS]
    return np.stack([(w * b).sum(axis=0) / w.sum(axis=0) for w in weights])


STUDY = Study(
    "local_period_drift",
    "local-sgd",
    "quadratic",
    "(H-1)^2 in the squared drift",
    "local steps beyond one, H - 1",
    "||x_fix - x*||^2 [x^2]",
    measure,
)
