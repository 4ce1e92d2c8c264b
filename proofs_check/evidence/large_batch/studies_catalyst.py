"""Studies: cr psgd catalyst, cr psgd rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from algorithms.catalogue import problem
from algorithms.engine.run import Trace, run
from algorithms.methods.base import Method
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA, identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.scaling import ScalingLaw
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.rules.batch_rules import BatchRule, FixedBatch, GeometricBatch
from theory.stepsizes import ConstantStep, InverseTimeStep

# CR-PSGD-Catalyst where f is not convex: 1/sqrt(nT) with O(sqrt(nT) log(T/n)) rounds.
#
# T gradients a worker are cut into sqrt(nT) stages of sqrt(T/n) each (Yu, Jin 2019,
# arXiv:1905.04346, Algorithm 2); a stage runs CR-PSGD on f + theta/2 ||. - y||^2 with theta > L.
# The mean of ||grad f(y_k)||^2 over the stages' centres falls as T^(-1/2) at least. Batches double
# from one sample, so that a stage ends with half of its gradients in one batch; with slower growth
# from a larger first batch the rate is reached only in long stages.


_NAME, _N, _CR_PSGD_CATALYST_REPLICAS, _CR_PSGD_CATALYST_SEED = (
    "nonconvex-digits-dirichlet",
    4,
    32,
    99,
)
_LENGTHS = (4, 5, 6, 7)  # steps of a stage
_BATCH, _RATIO = GeometricBatch(2.0, 1), 1.5  # 1, 2, 4, ...; theta / L


class StagePlan(NamedTuple):
    """Stages, steps in each, and gradients a worker takes in all.

    Attributes:
        stages: number of stages.
        length: steps of a stage.
    """

    stages: int
    length: int
    gradients: int

    @staticmethod
    def for_length(length: int, n: int) -> StagePlan:
        """Stages of b gradients a worker make T = n b^2: b = sqrt(T/n), and n b = sqrt(nT) stages.

        So no horizon is rounded.
        """
        b = sum(_BATCH(s) for s in range(length))
        return StagePlan(n * b, length, n * b * b)

    @property
    def rounds(self) -> int:
        """Rounds of communication: one a step."""
        return self.stages * self.length


def centres(built: Problem, plan: StagePlan) -> Floats:
    """Mean of ||grad f(y_k)||^2 over the stages, for each replica ``[R]``."""
    smooth = built.constants().need("L")
    theta = _RATIO * smooth
    method = CatalystPSGD(ConstantStep(1 / (theta + smooth)), _BATCH, plan.length, theta)
    total = np.zeros(_CR_PSGD_CATALYST_REPLICAS)
    for moment in path(
        method, built, plan.rounds, seed=_CR_PSGD_CATALYST_SEED, replicas=_CR_PSGD_CATALYST_REPLICAS
    ):
        if moment.t % plan.length == 0 and moment.t < plan.rounds:
            slope = built.mean_gradient(moment.state.x[:, 0])
            total += slope.square().sum(-1).numpy()
    return total / plan.stages


def rounds_verdict(plans: tuple[StagePlan, ...]) -> Verdict:
    r"""Rounds are \sqrt{nT} \log_2(1 + \sqrt{T/n}): 1 + 2 + 4 + ... = 2^s - 1 gradients a stage."""
    return identity(
        "cr-psgd", "T gradients a worker take sqrt(nT) log2(1 + sqrt(T/n)) rounds",
        [plan.rounds for plan in plans],
        [math.sqrt(_N * p.gradients) * math.log2(1 + math.sqrt(p.gradients / _N)) for p in plans],
        check="rounds of communication", problem=_NAME,
        provenance="Yu, Jin 2019, Theorem 2; the schedule itself, no seed",
    )  # fmt: skip


@study(
    "cr-psgd",
    _NAME,
    "1/sqrt(nT) with sqrt(nT) log(T/n) rounds",
    "gradients a worker T",
    "mean E||grad f(y_k)||^2 [(f/x)^2]",
)
def cr_psgd_catalyst_measure() -> StudyResult:
    """The exponent of T, and the rounds."""
    built = problem(_NAME, _N)
    plans = tuple(StagePlan.for_length(s, _N) for s in _LENGTHS)
    y = np.stack([centres(built, plan) for plan in plans], axis=1)
    x = np.array([plan.gradients for plan in plans], dtype=np.float64)
    law = ScalingLaw(
        "cr-psgd", _NAME, "T", -0.5, source="Yu, Jin 2019, Theorem 2",
        claim="the mean of E||grad f(y_k)||^2 falls at least as T^(-1/2)",
    )  # fmt: skip
    description = (
        f"seed {_CR_PSGD_CATALYST_SEED}, {_CR_PSGD_CATALYST_REPLICAS} replicas, n={_N}, "
        f"theta {_RATIO:g} L"
    )
    found = law.drawn(x, y, description, y[:, 0].mean() * np.sqrt(x[0] / x))
    return StudyResult((*found.verdicts, rounds_verdict(plans)), found.curves)


# CR-PSGD: error 1/(nT) in T gradients a worker with O(log T) rounds (Yu, Jin 2019, 1905.04346).
#
# On a Polyak-Lojasiewicz quadratic with step gamma and B_t = floor(rho B_{t-1}) the second moment
# of each coordinate obeys V_{t+1} = (1 - gamma a)^2 V_t + gamma^2 s^2 / (n B_t): it falls as 1/B_t,
# hence as 1/(nT), if rho (1 - gamma mu)^2 < 1. The start is forgotten faster. Rounds are counted in
# the ledger. Beside it: SGD with a fixed batch as often, and one that spends the same gradients.


_D, _SIGMA2, _MU, _CR_PSGD_ROUNDS_REPLICAS, _CR_PSGD_ROUNDS_SEED, _STEPS = 16, 1.0, 0.5, 256, 91, 30
_GAMMA, _GROWTH = 1.0, GeometricBatch(1.5, 4, most=1 << 30)
_WORKERS = (1, 2, 4, 8, 16)

Build = Callable[[BatchRule], Method[Any]]


def cr_psgd(batch: BatchRule) -> Method[Any]:
    """Algorithm 1: constant stepsize 1/L."""
    return Batched(BSP(ConstantStep(_GAMMA)), batch)


def _problem(n: int) -> Quadratic:
    return Quadratic.pl(n, _D, L=1.0, mu_pl=_MU, sigma2=_SIGMA2, R2=1.0)


def _play(method: Method[Any], n: int, steps: int = _STEPS) -> Trace:
    return run(
        method,
        _problem(n),
        steps=steps,
        seed=_CR_PSGD_ROUNDS_SEED + n,
        replicas=_CR_PSGD_ROUNDS_REPLICAS,
        points=100,
    )


def spent(batch: BatchRule, steps: int) -> Floats:
    """Gradients a worker has taken after 0, 1, ..., ``steps`` steps."""
    return np.cumsum([0, *(batch(t) for t in range(steps))]).astype(np.float64)


def exact(n: int, batch: BatchRule, steps: int) -> Floats:
    """E f - f* after 0, 1, ..., ``steps`` steps, by the recursion of each coordinate."""
    problem = _problem(n)
    a = problem.a[0].numpy()
    v = np.square((problem.x0 - problem.x_star).numpy())
    values = [0.5 * float(a @ v)]
    for t in range(steps):
        noise = _GAMMA**2 * _SIGMA2 / _D / n / batch(t)
        v = np.square(1 - _GAMMA * a) * v + noise * (a > 0)
        values.append(0.5 * float(a @ v))
    return np.array(values)


def recursion(trace: Trace) -> Verdict:
    """The last error against the exact one."""
    return mean_value(
        "cr-psgd",
        "E f - f* follows V' = (1 - gamma a)^2 V + gamma^2 s^2 / (n B_t)",
        trace.suboptimality[:, -1],
        float(exact(1, _GROWTH, _STEPS)[-1]),
        check="closed form, growing batch",
        problem="quadratic-pl",
        provenance=f"seed {_CR_PSGD_ROUNDS_SEED + 1}, {_CR_PSGD_ROUNDS_REPLICAS} replicas, "
        f"{_STEPS} rounds",
    )


def rounds(build: Build = cr_psgd) -> Verdict:
    r"""Rounds in the ledger against $\log(1 + T (r - 1) / B_0) / \log r + 1$, r = rho - 1/B_0.

    floor(rho B) >= (rho - 1/B) B, so T grows at least geometrically with ratio r.
    """
    trace = _play(build(_GROWTH), 1)
    counted = trace.messages[0] / 2  # one message up, one down
    total = spent(_GROWTH, _STEPS)
    least = _GROWTH.rho - 1 / _GROWTH.first
    bound = np.log1p(total * (least - 1) / _GROWTH.first) / math.log(least)
    worst = int(np.argmax(counted[1:] / bound[1:])) + 1
    return Verdict(
        subject="cr-psgd", problem="quadratic-pl", check="rounds of communication",
        claim="T gradients a worker take O(log T) rounds",
        outcome=Outcome.SUPPORTED if (counted <= bound + 1e-9).all() else Outcome.REFUTED,
        statistic=float(counted[worst]), bound=float(bound[worst]),
        resolution=0.0,
        evidence=f"{counted[-1]:g} rounds for {total[-1]:.4g} gradients a worker, at most "
        f"{bound[-1]:.4g} by log(1 + T (r - 1)/B_0)/log r with r = {least:g}",
        provenance=f"ledger of seed {_CR_PSGD_ROUNDS_SEED}; floor(rho B) >= (rho - 1/B_0) B",
    )  # fmt: skip


def time_rate(trace: Trace, description: str) -> Verdict:
    """Fit the exponent of T, the gradients that a worker takes."""
    late = trace.steps >= 12
    t = spent(_GROWTH, _STEPS)[trace.steps[late]]
    return rate_verdict(
        fit_power(t, trace.suboptimality[:, late], ALPHA, groups=64), -1.0, True, subject="cr-psgd",
        claim="E f - f* falls as 1/T in T gradients a worker", problem="quadratic-pl",
        provenance=description,
    )  # fmt: skip


def cr_psgd_rate(build: Build = cr_psgd) -> Verdict:
    """The exponent of T alone."""
    return time_rate(
        _play(build(_GROWTH), 1),
        f"seed {_CR_PSGD_ROUNDS_SEED + 1}, {_CR_PSGD_ROUNDS_REPLICAS} replicas",
    )


def speedup(build: Build, description: str) -> Verdict:
    """The exponent of n after the same rounds."""
    ends = [_play(build(_GROWTH), n).suboptimality[:, -1] for n in _WORKERS]
    fit = fit_power(np.array(_WORKERS, dtype=np.float64), np.stack(ends, axis=1), ALPHA, groups=64)
    return rate_verdict(
        fit, -1.0, True, subject="cr-psgd", claim="linear speedup: E f - f* falls as 1/n",
        variable="n", problem="quadratic-pl", provenance=description,
    )  # fmt: skip


@study(
    "cr-psgd",
    "quadratic-pl",
    "1/(nT) in T gradients with log T rounds",
    "rounds of communication",
    "E f - f* [f]",
)
def cr_psgd_rounds_measure(build: Build = cr_psgd) -> StudyResult:
    """Errors against gradients, with the rounds that they cost."""
    trace = _play(build(_GROWTH), 1)
    description = (
        f"Yu, Jin 2019, Theorem 1; seeds {_CR_PSGD_ROUNDS_SEED} + n, "
        f"{_CR_PSGD_ROUNDS_REPLICAS} replicas, {_STEPS} rounds, "
        f"gamma {_GAMMA:g}, rho {_GROWTH.rho:g}, error {ALPHA:g}"
    )
    verdicts = (
        time_rate(trace, description),
        speedup(build, description),
        rounds(build),
        recursion(trace),
    )
    return StudyResult(verdicts, _lines(trace))


def _lines(trace: Trace) -> list[PanelLine]:
    """Errors against rounds."""
    rounds_ = np.arange(1, _STEPS + 1, dtype=np.float64)
    steps = 2000
    decreasing = BSP(InverseTimeStep(2 / _MU, 2 / _MU))
    fixed = _play(Batched(BSP(ConstantStep(_GAMMA)), FixedBatch(_GROWTH.first)), 1, steps)
    small = _play(Batched(decreasing, FixedBatch(_GROWTH.first)), 1, steps)
    runs = {"CR-PSGD": trace, "fixed batch, constant step": fixed, "fixed batch, step 1/t": small}
    out: list[PanelLine] = []
    for label, run_ in runs.items():
        y = run_.suboptimality[:, 1:]
        out.append(PanelLine(label, run_.messages[0, 1:] / 2, *band(y)))
    return [*out, PanelLine("CR-PSGD, exact", rounds_, exact(1, _GROWTH, _STEPS)[1:], theory=True)]
