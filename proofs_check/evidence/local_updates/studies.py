"""Studies: settings, local drift zeta, local period drift, local period variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.logistic import Logistic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from proofs_check.instruments.evidence import ALPHA, identity, mean_value
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.scaling import (
    ScalingLaw,
    ScalingRuns,
    last_distance,
    scaling,
)
from proofs_check.instruments.study import (
    StudyResult,
    fitted,
    noise_free,
    noise_free_rate,
    study,
)
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# What studies of averaging once and of local SGD's speedup share: a skewed logistic problem.


SAMPLES = 48
PLACE = "skewed logistic"


def skewed(n: int) -> Logistic:
    """n workers with the same 48 samples in R^3, every eighth label negative."""
    generator = torch.Generator().manual_seed(5)
    spread = torch.randn(SAMPLES, 2, generator=generator, dtype=torch.float64) / 2
    features = torch.cat((torch.ones(SAMPLES, 1, dtype=torch.float64), spread), dim=1)
    labels = torch.where(torch.arange(SAMPLES) % 8 == 0, -1.0, 1.0).double()
    return Logistic.from_data(
        features.expand(n, SAMPLES, 3), labels.expand(n, SAMPLES), L2(0.02), batch=1,
        name=PLACE,
    )  # fmt: skip


# Local SGD's drift is linear in zeta^2: the spread before averaging and the squared bias.
#
# f_i(x) = a_i (x - b_i)^2 / 2 with random a_i and b_i, 64 coordinates, 6 workers; the offsets are
# scaled so that zeta^2 = (1/n) \sum_i ||\nabla f_i(x^*)||^2 takes given values. Started at its own
# fixed point, local SGD spreads after H - 1 steps of a round by A + B zeta^2, A from noise alone,
# and its fixed point is off the minimiser by C zeta^2; A, B and C are closed forms (Koloskova et
# al. 2020, arXiv:2003.10422, bound the drift by a multiple of H^2 \gamma^2 zeta^2).


Build = Callable[[Stepsize, int], Method[Any]]

_ZETA2 = (1.0, 4.0, 16.0, 64.0, 256.0)
_LOCAL_DRIFT_ZETA_N, _LOCAL_DRIFT_ZETA_D, _H, _LOCAL_DRIFT_ZETA_GAMMA, _SIGMA2 = (
    6,
    64,
    12,
    0.02,
    4.0,
)
_LOCAL_DRIFT_ZETA_REPLICAS, _LOCAL_DRIFT_ZETA_SEED, _LOCAL_DRIFT_ZETA_ROUNDS = 64, 145, 6
_PLACE = "quadratic"


@final
@dataclass(frozen=True)
class _Drift:
    """The random instance with gradients scaled to ``zeta2`` at the minimiser 0."""

    a: Floats
    b: Floats
    zeta2: float

    @staticmethod
    def with_zeta2(zeta2: float) -> _Drift:
        generator = np.random.default_rng(_LOCAL_DRIFT_ZETA_SEED)
        a = 0.5 + generator.random((_LOCAL_DRIFT_ZETA_N, _LOCAL_DRIFT_ZETA_D))
        slopes = generator.normal(size=(_LOCAL_DRIFT_ZETA_N, _LOCAL_DRIFT_ZETA_D))
        slopes -= slopes.mean(axis=0)
        slopes *= (zeta2 / np.square(slopes).sum(axis=1).mean()) ** 0.5
        return _Drift(a, -slopes / a, zeta2)

    def problem(self, sigma2: float) -> Quadratic:
        a, b = (torch.from_numpy(v) for v in (self.a, self.b))
        x0 = torch.from_numpy(self.fixed)
        return Quadratic.from_arrays(a, b, sigma2=sigma2, x0=x0, name=_PLACE)

    def left(self, steps: int) -> Floats:
        """(1 - gamma a_i)^steps ``[n, d]``."""
        return np.asarray((1 - _LOCAL_DRIFT_ZETA_GAMMA * self.a) ** steps)

    @property
    def fixed(self) -> Floats:
        """Limit of local GD, ``[d]``."""
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
        per_entry = _LOCAL_DRIFT_ZETA_GAMMA**2 * _SIGMA2 / _LOCAL_DRIFT_ZETA_D
        fresh, whole = (
            per_entry * (1 - self.left(2 * j)) / (1 - self.left(2)) for j in (_H - 1, _H)
        )
        mean_left = self.left(_H).mean(axis=0)
        rounds = (1 - mean_left ** (2 * _LOCAL_DRIFT_ZETA_ROUNDS)) / (1 - mean_left**2)
        start = whole.mean(axis=0) / _LOCAL_DRIFT_ZETA_N * rounds
        own = (1 - 1 / _LOCAL_DRIFT_ZETA_N) * fresh.mean(axis=0)
        return float((own + start * self.left(_H - 1).var(axis=0)).sum())


@study(
    "local-sgd",
    "quadratic",
    "zeta2^1 in spread and squared bias",
    "heterogeneity zeta2 at the minimiser [(f/x)^2]",
    "spread before averaging, less that of noise [x^2]",
)
def local_drift_zeta_measure(build: Build = LocalSGD) -> StudyResult:
    """Exponents of zeta^2 in spread and squared bias, and their closed forms."""
    drifts = [_Drift.with_zeta2(zeta2) for zeta2 in _ZETA2]
    spreads = np.stack([_spread(build, drift) for drift in drifts], axis=1)
    points = np.stack([_stop(build, drift) for drift in drifts])
    x, bias = np.array(_ZETA2), np.square(points).sum(axis=1)
    fit = fit_power(x, spreads - drifts[0].noise, ALPHA)
    due = np.array([drift.spread for drift in drifts])
    verdicts = (
        rate_verdict(
            fit, 1.0, True, subject="local-sgd", variable="zeta2", problem=_PLACE,
            claim="the spread before averaging, less that of noise, is linear in zeta^2",
            provenance=_described(ALPHA),
        ),
        *(_mean(drift, spreads[:, k]) for k, drift in enumerate(drifts)),
        noise_free_rate(
            x, bias, 1.0, 1e-6, tight=True, subject="local-sgd", variable="zeta2",
            claim="the squared bias of the fixed point is linear in zeta^2", problem=_PLACE,
            provenance=_described(),
        ),
        identity(
            "local-sgd", "fixed points sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, every zeta2",
            points, np.stack([drift.fixed for drift in drifts]), check="closed form",
            problem=_PLACE, tolerance=1e-9, provenance=_described(),
        ),
    )  # fmt: skip
    return StudyResult(verdicts, (fitted(x, spreads - drifts[0].noise, fit, due, bias=bias),))


def _spread(build: Build, drift: _Drift) -> Floats:
    """(1/n) sum_i ||x_i - xbar||^2 ``[R]`` one step before an averaging."""
    trace = run(
        build(ConstantStep(_LOCAL_DRIFT_ZETA_GAMMA), _H),
        drift.problem(_SIGMA2),
        steps=(_LOCAL_DRIFT_ZETA_ROUNDS + 1) * _H - 1,
        seed=_LOCAL_DRIFT_ZETA_SEED + int(drift.zeta2),
        replicas=_LOCAL_DRIFT_ZETA_REPLICAS,
        points=2,
    )
    return trace.consensus[:, -1]


def _stop(build: Build, drift: _Drift) -> Floats:
    """Limit of the method without noise, from the minimiser."""
    method = build(ConstantStep(_LOCAL_DRIFT_ZETA_GAMMA), _H)
    steps = 250 * _H
    start = torch.zeros(_LOCAL_DRIFT_ZETA_D, dtype=torch.float64)
    trace = run(method, drift.problem(0.0), steps=steps, points=2, x0=start)
    return np.asarray(trace.model[0].numpy())


def _mean(drift: _Drift, spread: Floats) -> Verdict:
    return mean_value(
        "local-sgd", f"spread before averaging = A + B zeta2, zeta2 = {drift.zeta2:g}",
        spread, drift.noise + drift.spread, check="drift, closed form", problem=_PLACE,
        provenance=_described(),
    )  # fmt: skip


def _described(alpha: float | None = None) -> str:
    tail = "" if alpha is None else f", error {alpha:g}"
    return (
        f"seeds {_LOCAL_DRIFT_ZETA_SEED} and {_LOCAL_DRIFT_ZETA_SEED} + zeta2, "
        f"{_LOCAL_DRIFT_ZETA_REPLICAS} replicas of {_LOCAL_DRIFT_ZETA_D} random "
        f"instances, "
        f"n={_LOCAL_DRIFT_ZETA_N}, H={_H}, gamma {_LOCAL_DRIFT_ZETA_GAMMA:g}{tail}"
    )


# Local SGD's drift grows with the period when workers differ, without noise.
#
# f_i(x) = a_i (x - b_i)^2 / 2 with 32 random pairs (a_i, b_i) of 4 workers. The fixed point is off
# the minimiser by an amount proportional to gamma (H - 1), and the models are apart before
# averaging by gamma (H - 1) zeta: squares grow as (H - 1)^2 and no faster, the order of the drift
# term of Stich 2018 (arXiv:1805.09767). As gamma a H <= 0.07, saturation costs at most 0.03 in the
# exponent. The fixed points are also held against their closed form.


_LOCAL_PERIOD_DRIFT_PERIODS = (2, 3, 5, 9, 17)
_LOCAL_PERIOD_DRIFT_N, _INSTANCES, _LOCAL_PERIOD_DRIFT_SEED, _LOCAL_PERIOD_DRIFT_GAMMA = (
    4,
    32,
    72,
    0.004,
)
_LOCAL_PERIOD_DRIFT_ROUNDS = 10_000  # gradient steps to the fixed point: (1 - gamma a)^10000 < 1e-9


@study(
    "local-sgd",
    "quadratic",
    "(H-1)^2 in the squared drift",
    "local steps beyond one, H - 1",
    "||x_fix - x*||^2 [x^2]",
)
def local_period_drift_measure(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> StudyResult:
    """Exponents of H - 1 in the squared bias and in the squared spread; fixed points exact."""
    generator = torch.Generator().manual_seed(_LOCAL_PERIOD_DRIFT_SEED)
    shape = (_LOCAL_PERIOD_DRIFT_N, _INSTANCES)
    a = 0.5 + 0.5 * torch.rand(shape, generator=generator, dtype=torch.float64)
    b = torch.randn(shape, generator=generator, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, b)
    biases, spreads, points = [], [], []
    for period in _LOCAL_PERIOD_DRIFT_PERIODS:
        # ends one step short of an averaging, where the models are furthest apart
        steps = _LOCAL_PERIOD_DRIFT_ROUNDS - _LOCAL_PERIOD_DRIFT_ROUNDS % period + period - 1
        trace = run(
            build(ConstantStep(_LOCAL_PERIOD_DRIFT_GAMMA), period), problem, steps=steps, points=3
        )
        spreads.append(trace.consensus[0, -1])
        fixed = _before_averaging(trace.rows[0].numpy(), a.numpy(), b.numpy())
        points.append(fixed)
        biases.append(float(np.square(fixed - problem.x_star.numpy()).sum()))
    x, bias, spread = (
        np.array(v, dtype=np.float64) for v in (_LOCAL_PERIOD_DRIFT_PERIODS, biases, spreads)
    )
    description = (
        f"{_INSTANCES} random instances, seed {_LOCAL_PERIOD_DRIFT_SEED}, "
        f"{_LOCAL_PERIOD_DRIFT_ROUNDS} steps, gamma {_LOCAL_PERIOD_DRIFT_GAMMA}, "
        f"n={_LOCAL_PERIOD_DRIFT_N}"
    )
    common = {"subject": "local-sgd", "problem": problem.name, "provenance": description}
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
    return np.asarray((rows - _LOCAL_PERIOD_DRIFT_GAMMA * a * (rows - b)).mean(axis=0))


def _expected(a: Floats, b: Floats) -> Floats:
    weights = [
        1 - (1 - _LOCAL_PERIOD_DRIFT_GAMMA * a) ** period for period in _LOCAL_PERIOD_DRIFT_PERIODS
    ]
    return np.stack([(w * b).sum(axis=0) / w.sum(axis=0) for w in weights])


# Local SGD's variance does not depend on the period: order H^0, two-sided.
#
# Workers draw gradients of one quadratic; after 256 steps of constant stepsize from the minimiser
# the squared distance of the averaged model is the same for every H (Stich 2018, arXiv:1805.09767:
# the leading term sigma^2/(mu n T) is free of H).


_VARIANCE_STEPS, _VARIANCE_GAMMA = 256, 0.05


def _equal_workers(_: int) -> Quadratic:
    return Quadratic.strongly_convex(8, 16, L=1.0, mu=0.5, sigma2=1.0, R2=0.0)


def _stationary(x: Floats, _: Floats) -> Floats:
    """gamma sigma^2/(n d) sum_j (1 - q_j^(2T)) / (a_j (2 - gamma a_j)), q_j = 1 - gamma a_j."""
    problem = _equal_workers(0)
    a = problem.a[0].numpy()
    left = 1 - (1 - _VARIANCE_GAMMA * a) ** (2 * _VARIANCE_STEPS)
    variance = float((left / (a * (2 - _VARIANCE_GAMMA * a))).sum())
    return variance * _VARIANCE_GAMMA / (problem.n * problem.d) * np.ones_like(x)


local_period_variance = scaling(
    "local_period_variance", "H^0 in the variance", "period H [steps]", "E||xbar_T - x*||^2 [x^2]",
    ScalingLaw(
        "local-sgd", "quadratic-sc", "H", 0.0, tight=True, source="Stich 2018, Theorem 2.2",
        claim="the variance term is unaffected by the period H (identical workers)",
    ),
    ScalingRuns(
        (1, 2, 4, 8, 16), _equal_workers,
        lambda build, _, period: build(ConstantStep(_VARIANCE_GAMMA), period),
        steps=_VARIANCE_STEPS, seeds=(72, 73, 75, 79, 87), replicas=256, metric=last_distance,
        note=f"n=8, gamma {_VARIANCE_GAMMA}",
    ),
    LocalSGD, _stationary,
)  # fmt: skip
