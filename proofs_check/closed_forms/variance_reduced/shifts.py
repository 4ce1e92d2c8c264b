"""What shifts, refinement, laziness and blocks bring on heterogeneous quadratics without noise.

DIANA converges linearly to 1e-10 where compressed SGD stalls at its floor; so do a quantiser of
constant bits whose range shrinks, LAQ (with fewer uploads) and AsyLPG, each beside the form that
cannot. Runs are random or deterministic; errors are far from the thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy import stats

from algorithms.compressors.blocks import BlockInTurn, BlockSampling
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from algorithms.problems.quadratic import Quadratic
from algorithms.run import Trace, run
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import curve_under_bound, fit_power
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.diana import diana

Make = Callable[[Stepsize], Method[Any]]

_N, _D = 8, 20
_REPLICAS = 16
SMALL = 1e-10
_RECURSION, _MANY = 60, 64


def problem(sigma2: float = 0.0) -> Quadratic:
    """Eight workers whose minimisers differ; L = 1, mu = 0.1."""
    return Quadratic.strongly_convex(_N, _D, sigma2=sigma2, zeta2=1.0)


def played(make: Make, gamma: float, steps: int, sigma2: float = 0.0) -> Trace:
    """The run, every replica from the same start."""
    return run(
        make(ConstantStep(gamma)), problem(sigma2), steps=steps, replicas=_REPLICAS, points=40
    )


def with_shifts(step: Stepsize) -> Diana:
    """DIANA with QSGD of two levels."""
    return Diana(step, QSGD(2))


def _gamma() -> float:
    constants = Diana(ConstantStep(1.0), QSGD(2)).constants(problem())
    return diana.limit(constants)


def linear_rate(trace: Trace) -> str:
    """The factor a step of the mean squared distance, by the slope of its log above the floor."""
    y, horizon = trace.squared_distance, float(trace.steps[-1])
    floor = 1e-24 * float(y[0, 0])
    if int(np.logical_and.accumulate(y.mean(0) > floor).sum()) < 3:
        return "too few records above the floor for a rate"
    fit = fit_power(np.exp(trace.steps / horizon), y, TEST_ERROR, floor=floor)
    return (
        f"log-slope {fit.slope / horizon:.4g} +- {fit.half_width / horizon:.2g} a step over "
        f"{fit.points} records (resolution {fit.resolution / horizon:.2g})"
    )


def reaches(row: str, make: Make, gamma: float, steps: int, what: str) -> Verdict:
    """The mean squared distance to x* falls below 1e-10 of where it began."""
    trace = played(make, gamma, steps)
    ratio = float(trace.squared_distance[:, -1].max() / trace.squared_distance[0, 0])
    return Verdict(
        subject=row, problem="quadratic, no noise, heterogeneous", check="linear convergence",
        claim=f"{what}: ||x_T - x*||^2 <= 1e-10 ||x_0 - x*||^2",
        outcome=Outcome.SUPPORTED if ratio <= SMALL else Outcome.REFUTED,
        statistic=ratio, bound=SMALL,
        evidence=f"largest ratio over {_REPLICAS} replicas {ratio:.3g} after {steps} steps; "
        f"{linear_rate(trace)}",
        provenance=f"gamma {gamma:.4g}, n={_N}, d={_D}, seed 0",
    )  # fmt: skip


def stalls(row: str, make: Make, gamma: float, steps: int, what: str) -> Verdict:
    """The same without the mechanism stays above 1e-6 of where it began."""
    trace = played(make, gamma, steps)
    tail = trace.squared_distance[:, -5:].mean()
    ratio = float(tail / trace.squared_distance[0, 0])
    return Verdict(
        subject=row, problem="quadratic, no noise, heterogeneous", check="floor",
        claim=f"{what} stalls: ||x_T - x*||^2 stays above 1e-6 ||x_0 - x*||^2",
        outcome=Outcome.SUPPORTED if ratio >= 1e-6 else Outcome.REFUTED,
        statistic=ratio, bound=1e-6,
        evidence=f"mean ratio over the last records {ratio:.3g} after {steps} steps",
        provenance=f"gamma {gamma:.4g}, n={_N}, d={_D}, seed 0",
    )  # fmt: skip


def floor_of_plain_compression() -> Verdict:
    """The floor is at most 2 gamma omega zeta*^2 / (n mu)."""
    gamma = _gamma()
    method = BSP(ConstantStep(gamma), QSGD(2))
    c = method.constants(problem())
    bound = 2 * gamma * c.need("omega") * c.need("zeta2") / (c.need("n") * c.need("mu"))
    trace = played(lambda step: BSP(step, QSGD(2)), gamma, 4000)
    y = trace.squared_distance[:, -8:]
    return curve_under_bound(
        y, np.full(y.shape[1], bound), TEST_ERROR, subject="qsgd",
        problem="quadratic, no noise, heterogeneous", floor=1e-13,
        claim="E||x - x*||^2 ends below 2 gamma omega zeta*^2/(n mu)",
        provenance=f"derived (reference, CGD); gamma {gamma:.4g}, 4000 steps",
    )  # fmt: skip


def diana_lyapunov(make: Make = with_shifts) -> Verdict:
    """DIANA's whole curve under max(1 - gamma mu, 1 - alpha/2)^T Psi_0, without noise."""
    gamma = _gamma()
    trace = played(make, gamma, 3000)
    constants = Diana(ConstantStep(gamma), QSGD(2)).constants(problem())
    bound = diana.bound(constants, ConstantStep(gamma), trace.steps.astype(float))
    return curve_under_bound(
        trace.squared_distance, bound, TEST_ERROR, subject="diana",
        problem="quadratic, no noise, heterogeneous", floor=1e-13,
        claim="E||x_T - x*||^2 <= max(1 - gamma mu, 1 - alpha/2)^T Psi_0",
        provenance=f"{diana.source}; gamma {gamma:.4g}, 3000 steps, {_REPLICAS} replicas",
    )  # fmt: skip


def diana_recursion(make: Make | None = None) -> Verdict:
    r"""The Lyapunov function falls at every step: E[Psi_{t+1} | x_t, h_t] <= q Psi_t.

    Psi = ||x - x*||^2 + (4 gamma^2 omega / (n alpha)) mean_i ||h_i - grad f_i(x*)||^2. Averages of
    Psi_{t+1}/Psi_t over a run are independent between replicas: Student's t, one-sided.
    """
    right = Diana(ConstantStep(1.0), RandK(5))
    c = right.constants(problem())
    gamma, omega, alpha = diana.limit(c), c.need("omega"), c.need("alpha")
    build = make or (lambda step: Diana(step, RandK(5)))
    q = max(1 - gamma * c.need("mu"), 1 - alpha / 2)
    weight = 4 * gamma**2 * omega / (c.need("n") * alpha)
    psi = []
    for moment in path(build(ConstantStep(gamma)), problem(), _RECURSION, replicas=_MANY):
        built, state = problem(), moment.state
        star = built.full_gradient(built.x_star[None], moment.world.network.workers)
        shifts = (state.shifts - star).square().sum(-1).mean(-1)
        psi.append((state.x[..., 0, :] - built.x_star).square().sum(-1) + weight * shifts)
    values = torch.stack(psi)
    ratios = (values[1:] / values[:-1]).mean(0).numpy()
    half = float(stats.t.isf(TEST_ERROR, _MANY - 1) * ratios.std(ddof=1) / _MANY**0.5)
    mean = float(ratios.mean())
    return Verdict(
        subject="diana", problem="quadratic, no noise, heterogeneous", check="Lyapunov recursion",
        claim="E[Psi_{t+1} | t] <= max(1 - gamma mu, 1 - alpha/2) Psi_t",
        outcome=Outcome.SUPPORTED if mean - half <= q else Outcome.REFUTED,
        statistic=mean, bound=q, uncertainty=half, resolution=2 * half,
        evidence=f"mean ratio {mean:.6g} +- {half:.2g} over {_RECURSION} steps, q = {q:.6g}",
        provenance=f"{diana.source}; gamma {gamma:.4g}, {_MANY} replicas, error {TEST_ERROR:g}",
    )  # fmt: skip


def lazy_uploads() -> Verdict:
    """LAQ on full gradients reaches 1e-10 with fewer uploads than one in two steps a worker."""
    steps = 300
    trace = played(LAQ, 0.5, steps)
    sent = float(trace.account.sent_messages.double().mean()) / steps
    ratio = float(trace.squared_distance[:, -1].max() / trace.squared_distance[0, 0])
    saved = sent < 0.5 and ratio <= SMALL
    return Verdict(
        subject="laq", problem="quadratic, no noise, heterogeneous", check="uploads saved",
        claim="LAQ converges linearly with fewer than one upload in two steps",
        outcome=Outcome.SUPPORTED if saved else Outcome.REFUTED, statistic=sent, bound=0.5,
        evidence=f"{sent:.1%} of the uploads, ratio {ratio:.3g} after {steps} steps",
        provenance=f"gamma 0.5, n={_N}, d={_D}, seed 0",
    )  # fmt: skip


def _asylpg(step: Stepsize) -> Method[Any]:
    return AsyLPG(step, 12_000, Exponential(), 200)


def _refined(step: Stepsize) -> Method[Any]:
    return RefinedQuantisation(step, 4, 4.0, 0.985)


def _fixed_range(step: Stepsize) -> Method[Any]:
    return RefinedQuantisation(step, 4, 4.0, 1.0)


def shifts() -> tuple[Verdict, ...]:
    """All of it."""
    gamma = _gamma()
    return (
        reaches("diana", with_shifts, gamma, 3000, "DIANA with QSGD(s=2)"),
        stalls("qsgd", lambda s: BSP(s, QSGD(2)), gamma, 3000, "QSGD(s=2) without shifts"),
        floor_of_plain_compression(),
        diana_lyapunov(),
        diana_recursion(),
        lazy_uploads(),
        reaches("adaptive-quantisation", _refined, 0.9, 2500, "4 bits on a shrinking range"),
        stalls("adaptive-quantisation", _fixed_range, 0.9, 2500, "4 bits on a fixed range"),
        reaches("asylpg", _asylpg, 0.05, 12_000, "AsyLPG, both ways in low precision"),
        stalls("ibcd", lambda s: BSP(s, BlockSampling(4)), 0.2, 4000, "IBCD of other minimisers"),
        reaches("bcd", lambda s: BSP(s, BlockInTurn(4)), 1.0, 1500, "cyclic block descent"),
        reaches(
            "bcd", lambda s: BSP(s, BlockInTurn(4, lot=0)), 1.0, 1500, "block descent by lot"
        ),
    )  # fmt: skip


CLOSED_FORMS = (shifts,)
