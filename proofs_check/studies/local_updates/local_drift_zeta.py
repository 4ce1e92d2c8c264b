r"""Local SGD's drift is linear in zeta^2: the spread before averaging and the squared bias.

f_i(x) = a_i (x - b_i)^2 / 2 with random a_i and b_i, 64 coordinates, 6 workers; the offsets are
scaled so that zeta^2 = (1/n) \sum_i ||\nabla f_i(x^*)||^2 takes given values. Started at its own
fixed point, local SGD spreads after H - 1 steps of a round by A + B zeta^2, A from noise alone, and
its fixed point is off the minimiser by C zeta^2; A, B and C are closed forms (Koloskova et al.
2020, arXiv:2003.10422, bound the drift by a multiple of H^2 \gamma^2 zeta^2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import ALPHA, identity, mean_value
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, fitted, noise_free_rate
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, int], Method[Any]]

_ZETA2 = (1.0, 4.0, 16.0, 64.0, 256.0)
_N, _D, _H, _GAMMA, _SIGMA2 = 6, 64, 12, 0.02, 4.0
_REPLICAS, _SEED, _ROUNDS = 64, 145, 6
_PLACE = "quadratic"


@final
@dataclass(frozen=True)
class _Drift:
    """The random instance with gradients scaled to ``zeta2`` at the minimiser 0."""

    a: Floats
    b: Floats
    zeta2: float

    @staticmethod
    def of(zeta2: float) -> _Drift:
        generator = np.random.default_rng(_SEED)
        a = 0.5 + generator.random((_N, _D))
        slopes = generator.normal(size=(_N, _D))
        slopes -= slopes.mean(axis=0)
        slopes *= (zeta2 / np.square(slopes).sum(axis=1).mean()) ** 0.5
        return _Drift(a, -slopes / a, zeta2)

    def problem(self, sigma2: float) -> Quadratic:
        a, b = (torch.from_numpy(v) for v in (self.a, self.b))
        x0 = torch.from_numpy(self.fixed)
        return Quadratic.from_arrays(a, b, sigma2=sigma2, x0=x0, name=_PLACE)

    def left(self, steps: int) -> Floats:
        """(1 - gamma a_i)^steps ``[n, d]``."""
        return np.asarray((1 - _GAMMA * self.a) ** steps)

    @property
    def fixed(self) -> Floats:
        """Where local GD stops, ``[d]``."""
        w = 1 - self.left(_H)
        return np.asarray((w * self.b).sum(axis=0) / w.sum(axis=0))

    @property
    def spread(self) -> float:
        """B zeta^2: the spread of the means after H - 1 steps from the fixed point."""
        means = self.b + self.left(_H - 1) * (self.fixed - self.b)
        return float(means.var(axis=0).sum())

    @property
    def noise(self) -> float:
        """A: noise of H - 1 steps, and what the noise of earlier rounds is pulled apart."""
        per_entry = _GAMMA**2 * _SIGMA2 / _D
        fresh, whole = (
            per_entry * (1 - self.left(2 * j)) / (1 - self.left(2)) for j in (_H - 1, _H)
        )
        mean_left = self.left(_H).mean(axis=0)
        rounds = (1 - mean_left ** (2 * _ROUNDS)) / (1 - mean_left**2)
        start = whole.mean(axis=0) / _N * rounds
        own = (1 - 1 / _N) * fresh.mean(axis=0)
        return float((own + start * self.left(_H - 1).var(axis=0)).sum())


def measure(build: Build = LocalSGD) -> StudyResult:
    """Exponents of zeta^2 in spread and squared bias, and their closed forms."""
    drifts = [_Drift.of(zeta2) for zeta2 in _ZETA2]
    spreads = np.stack([_spread(build, drift) for drift in drifts], axis=1)
    points = np.stack([_stop(build, drift) for drift in drifts])
    x, bias = np.array(_ZETA2), np.square(points).sum(axis=1)
    fit = fit_power(x, spreads - drifts[0].noise, ALPHA)
    due = np.array([drift.spread for drift in drifts])
    verdicts = (
        rate_verdict(
            fit, 1.0, True, subject="local-sgd", variable="zeta2", problem=_PLACE,
            claim="the spread before averaging, less that of noise, is linear in zeta^2",
            provenance=_told(ALPHA),
        ),
        *(_mean(drift, spreads[:, k]) for k, drift in enumerate(drifts)),
        noise_free_rate(
            x, bias, 1.0, 1e-6, tight=True, subject="local-sgd", variable="zeta2",
            claim="the squared bias of the fixed point is linear in zeta^2", problem=_PLACE,
            provenance=_told(),
        ),
        identity(
            "local-sgd", "fixed points sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, every zeta2",
            points, np.stack([drift.fixed for drift in drifts]), check="closed form",
            problem=_PLACE, tolerance=1e-9, provenance=_told(),
        ),
    )  # fmt: skip
    return StudyResult(verdicts, (fitted(x, spreads - drifts[0].noise, fit, due, bias=bias),))


def _spread(build: Build, drift: _Drift) -> Floats:
    """(1/n) sum_i ||x_i - xbar||^2 ``[R]`` one step before an averaging."""
    trace = run(
        build(ConstantStep(_GAMMA), _H), drift.problem(_SIGMA2), steps=(_ROUNDS + 1) * _H - 1,
        seed=_SEED + int(drift.zeta2), replicas=_REPLICAS, points=2,
    )  # fmt: skip
    return trace.consensus[:, -1]


def _stop(build: Build, drift: _Drift) -> Floats:
    """Where the method stops without noise, from the minimiser."""
    method = build(ConstantStep(_GAMMA), _H)
    steps = 250 * _H
    start = torch.zeros(_D, dtype=torch.float64)
    trace = run(method, drift.problem(0.0), steps=steps, points=2, x0=start)
    return np.asarray(trace.model[0].numpy())


def _mean(drift: _Drift, spread: Floats) -> Verdict:
    return mean_value(
        "local-sgd", f"spread before averaging = A + B zeta2, zeta2 = {drift.zeta2:g}",
        spread, drift.noise + drift.spread, check="drift, closed form", problem=_PLACE,
        provenance=_told(),
    )  # fmt: skip


def _told(alpha: float | None = None) -> str:
    tail = "" if alpha is None else f", error {alpha:g}"
    return (
        f"seeds {_SEED} and {_SEED} + zeta2, {_REPLICAS} replicas of {_D} random instances, "
        f"n={_N}, H={_H}, gamma {_GAMMA:g}{tail}"
    )


STUDY = Study(
    "local_drift_zeta",
    "local-sgd",
    "quadratic",
    "zeta2^1 in spread and squared bias",
    "heterogeneity zeta2 at the minimiser [(f/x)^2]",
    "spread before averaging, less that of noise [x^2]",
    measure,
)
