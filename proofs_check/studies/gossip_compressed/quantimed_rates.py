r"""QuanTimed-DSGD's stated rates, measured and compared.

Strongly convex: with alpha ~ T^(-delta/2) and epsilon ~ T^(-3 delta/2) every worker ends
O(T^-delta) away, here for delta = 1/4 and 0.4. Non-convex: with alpha ~ T^(-1/6) and
epsilon ~ T^(-1/2) gradients and disagreement fall as T^(-1/3) in the mean. (Reisizadeh, Taheri,
Mokhtari, Hassani, Pedarsani 2019, arXiv:1907.10595, Theorems 1 and 2, quoted from memory: the
exponents are compared, not asserted. That they are slower than the T^-1 and T^-1/2 of exact gossip
is the price of a quantiser whose error does not shrink.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, final

import numpy as np

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import ShiftedExponential
from algorithms.topologies.complete import Complete
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]

_N, _SEED = 8, 131
_GRID = FixedPoint(4, 16)
_TIMES, _DEADLINE, _MOST = ShiftedExponential(0.5, 0.5), 2.0, 3


@final
class Powers(NamedTuple):
    """alpha = size T^-alpha, epsilon = share T^-epsilon, over ``horizons``."""

    alpha: float
    epsilon: float
    size: float
    share: float
    horizons: tuple[int, ...]

    def method(self, build: Build, n: int, horizon: int) -> Method[Any]:
        """QuanTimed-DSGD with the stepsizes of this horizon."""
        alpha = ConstantStep(self.size * horizon**-self.alpha)
        epsilon = ConstantStep(min(1.0, self.share * horizon**-self.epsilon))
        return build(alpha, epsilon, Complete(n), _GRID, _TIMES, _DEADLINE, _MOST)


CONVEX = {
    delta: Powers(delta / 2, 1.5 * delta, 0.25, 4.0, (50, 100, 200, 400, 800))
    for delta in (0.25, 0.4)
}
NONCONVEX = Powers(1 / 6, 1 / 2, 2.0, 4.0, (100, 200, 400, 800))


def distances(build: Build, problem: Problem, powers: Powers, replicas: int) -> Floats:
    """Mean over workers of ||x_i - x*||^2 after T steps, ``[R, K]``."""
    centre, ends = problem.x_star, []
    assert centre is not None
    for horizon in powers.horizons:
        method = powers.method(build, problem.n, horizon)
        *_, last = path(method, problem, horizon, seed=_SEED, replicas=replicas)
        ends.append((method.models(last.state) - centre).square().sum(-1).mean(-1).numpy())
    return np.stack(ends, axis=1)


def averages(
    build: Build, problem: Problem, powers: Powers, replicas: int
) -> tuple[Floats, Floats]:
    """Averages over t of ||grad f(x_t)||^2 and of the disagreement, ``[R, K]`` each."""
    gradients, apart = [], []
    for horizon in powers.horizons:
        trace = run(
            powers.method(build, problem.n, horizon), problem, steps=horizon, seed=_SEED,
            replicas=replicas, points=20, every=10,
        )  # fmt: skip
        gradients.append(trace.average_squared_gradient[:, -1])
        apart.append(trace.consensus[:, 1:].mean(1))
    return np.stack(gradients, axis=1), np.stack(apart, axis=1)


def compared(
    horizons: tuple[int, ...], y: Floats, order: float, claim: str, problem: Problem
) -> Verdict:
    """The exponent of T beside the stated one."""
    fit = fit_power(np.array(horizons, dtype=np.float64), y, ALPHA, floor=0.0)
    verdict = rate_verdict(
        fit, order, False, subject="quantimed-dsgd", problem=problem.name, claim=claim,
        provenance=f"Reisizadeh et al. 2019, arXiv:1907.10595, from memory; seed {_SEED}, "
        f"{y.shape[0]} replicas, complete graph of {problem.n}, {_GRID.name}",
    )  # fmt: skip
    return replace(verdict, outcome=Outcome.COMPARED)


def measure(build: Build = QuanTimed) -> StudyResult:
    """Two delta on a quadratic, and the non-convex logistic regression."""
    verdicts: list[Verdict] = []
    picture: list[PanelLine] = []
    quadratic = Quadratic.strongly_convex(_N, 8, mu=0.5, sigma2=1.0, zeta2=1.0, seed=_SEED)
    for delta, powers in CONVEX.items():
        y = distances(build, quadratic, powers, 12)
        claim = f"E||x_i - x*||^2 falls as T^-delta, delta={delta:g}"
        verdicts.append(compared(powers.horizons, y, -delta, claim, quadratic))
        picture += lines(f"distance, delta={delta:g}", powers.horizons, y, -delta)
    shards = entries.problem("nonconvex-breast-cancer", _N)
    gradients, apart = averages(build, shards, NONCONVEX, 8)
    for name, y in (("squared gradient", gradients), ("disagreement", apart)):
        claim = f"{name} falls as T^-1/3 in the mean over steps, non-convex"
        verdicts.append(compared(NONCONVEX.horizons, y, -1 / 3, claim, shards))
        picture += lines(name, NONCONVEX.horizons, y, -1 / 3)
    return StudyResult(tuple(verdicts), picture)


def lines(label: str, horizons: tuple[int, ...], y: Floats, order: float) -> list[PanelLine]:
    """Measured means and the stated power through the first of them."""
    x, mean = np.array(horizons, dtype=np.float64), y.mean(0)
    return [
        PanelLine(label, x, mean),
        PanelLine(f"{label}, stated", x, mean[0] * (x / x[0]) ** order, theory=True),
    ]


STUDY = Study(
    "quantimed_rates",
    "quantimed-dsgd",
    "quadratic-sc",
    "T^-delta strongly convex, T^-1/3 non-convex",
    "T",
    "distance [x^2], squared gradient [(f/x)^2], disagreement [x^2]",
    measure,
)
