r"""Redundant shards: heterogeneity and the bias of local SGD against shards held per worker.

f_i(x) = a_i (x - b_i)^2 / 2 with random a_i and b_i over 12 workers and 64 coordinates. Holding q
of n shards leaves of zeta^2 what the circulant mean leaves of its Fourier components,
:math:`\frac1{n^2}\sum_k |D_k|^2 \|\hat\delta_k\|^2`; shards placed at random leave
(n - q)/(q (n - 1)) of it in the mean. Local GD's fixed point moves to the minimiser accordingly:
:math:`\sum_i w_i \tilde b_i / \sum_i w_i`, :math:`w_i = 1 - (1 - \gamma\tilde a_i)^H`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant
from proofs_check.closed_forms.cooperative.ri_sgd import circulant
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import Study, StudyResult
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[[LocalSGD, int], Method[Any]]

_N, _D, _H, _GAMMA, _SEED, _ROUNDS = 12, 64, 10, 0.05, 31, 120
_SHARDS = (1, 2, 3, 4, 6, 8, 12)


def _problem() -> Quadratic:
    """The instance of the study."""
    rng = np.random.default_rng(_SEED)
    a = torch.from_numpy(0.5 + rng.random((_N, _D)))
    return Quadratic.from_arrays(a, torch.from_numpy(rng.normal(size=(_N, _D))))


def _zeta2(problem: Quadratic) -> tuple[Floats, Floats]:
    """zeta2 at the minimiser measured for every q, and predicted by the Fourier transform."""
    x = problem.x_star
    rows = problem.all_gradients(x).numpy()
    power = np.square(np.abs(np.fft.fft(rows - rows.mean(0), axis=0))).sum(1) / _N**2
    responses = [np.abs(np.fft.fft(circulant(_N, q)[0])) ** 2 for q in _SHARDS]
    measured = [float(Redundant(problem, q).heterogeneity(x)) for q in _SHARDS]
    return np.array(measured), np.array([float(r[1:] @ power[1:]) for r in responses])


def _stops(problem: Quadratic, build: Build) -> tuple[Floats, Floats]:
    """Squared bias of where local GD stops for every q, and that of the formula."""
    got, due = [], []
    for q in _SHARDS:
        method = build(LocalSGD(ConstantStep(_GAMMA), _H), q)
        trace = run(method, problem, steps=_ROUNDS * _H, points=2)
        got.append(float((trace.model[0] - problem.x_star).square().sum()))
        a, c = (circulant(_N, q) @ v.numpy() for v in (problem.a, problem.c))
        w = 1 - (1 - _GAMMA * a) ** _H
        stop = (w * (c / a)).sum(0) / w.sum(0)
        due.append(float(np.square(stop - problem.x_star.numpy()).sum()))
    return np.array(got), np.array(due)


def measure(build: Build = OnMoreShards) -> StudyResult:
    """zeta2 and squared bias for every number of shards, each against its formula."""
    problem = _problem()
    (zeta, zeta_due), (bias, bias_due) = _zeta2(problem), _stops(problem, build)
    told = f"seed {_SEED}, n={_N}, d={_D}, H={_H}, gamma {_GAMMA:g}, {_ROUNDS} rounds"
    verdicts = (
        identity(
            "ri-sgd", "zeta2 falls as the circulant mean of shards says, for every q",
            zeta / zeta[0], zeta_due / zeta[0], check="heterogeneity", problem="quadratic",
            provenance=told,
        ),
        identity(
            "ri-sgd", "the squared bias of local GD's fixed point falls by its formula, to 0 at n",
            bias / bias_due[0], bias_due / bias_due[0], check="fixed point", problem="quadratic",
            tolerance=1e-9, provenance=told,
        ),
    )  # fmt: skip
    q = np.array(_SHARDS, dtype=np.float64)
    curves = [
        PanelLine("heterogeneity", q, zeta / zeta[0]),
        PanelLine("squared bias", q, bias / bias[0]),
        PanelLine("shards placed at random", q, (_N - q) / (q * (_N - 1)), theory=True),
    ]
    return StudyResult(verdicts, curves)


STUDY = Study(
    "redundancy",
    "ri-sgd",
    "quadratic",
    "zeta2 and squared bias fall by their formulas",
    "shards held by a worker, of 12",
    "share of what one shard leaves",
    measure,
    ("linear", "linear"),
)
