"""Closed forms: convergence, adaptive quantisation, asylpg, bcd, diana, ibcd, laq."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.compressors.blocks import BlockInTurn, BlockSampling
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.norm_ternary import NormTernary
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import Trace, run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same, supported
from proofs_check.instruments.erratum import Shown, demonstrates, erratum
from proofs_check.instruments.limits import quantile
from proofs_check.instruments.paths import models, path
from proofs_check.instruments.rates import fit_power
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.diana import diana

# Linear convergence on heterogeneous quadratics without noise, or a floor above it.
#
# Runs are random or deterministic; errors are far from the thresholds.


Make = Callable[[Stepsize], Method[Any]]
N, D = 8, 20
REPLICAS = 16
SMALL = 1e-10


def problem(sigma2: float = 0.0) -> Quadratic:
    """Eight workers whose minimisers differ; L = 1, mu = 0.1."""
    return Quadratic.strongly_convex(N, D, sigma2=sigma2, zeta2=1.0)


def simulated(
    make: Make, gamma: float, steps: int, sigma2: float = 0.0, replicas: int = REPLICAS
) -> Trace:
    """The run, every replica from the same start."""
    return run(
        make(ConstantStep(gamma)), problem(sigma2), steps=steps, replicas=replicas, points=40
    )


def diana_step() -> float:
    """The largest stepsize that DIANA's theorem allows with QSGD of two levels."""
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
    trace = simulated(make, gamma, steps)
    ratio = float(trace.squared_distance[:, -1].max() / trace.squared_distance[0, 0])
    return Verdict(
        subject=row, problem="quadratic, no noise, heterogeneous", check="linear convergence",
        claim=f"{what}: ||x_T - x*||^2 <= 1e-10 ||x_0 - x*||^2",
        outcome=Outcome.SUPPORTED if ratio <= SMALL else Outcome.REFUTED,
        statistic=ratio, bound=SMALL,
        evidence=f"largest ratio over {REPLICAS} replicas {ratio:.3g} after {steps} steps; "
        f"{linear_rate(trace)}",
        provenance=f"gamma {gamma:.4g}, n={N}, d={D}, seed 0",
    )  # fmt: skip


def stalls(row: str, make: Make, gamma: float, steps: int, what: str) -> Verdict:
    """The same without the mechanism stays above 1e-6 of where it began."""
    trace = simulated(make, gamma, steps)
    tail = trace.squared_distance[:, -5:].mean()
    ratio = float(tail / trace.squared_distance[0, 0])
    return Verdict(
        subject=row, problem="quadratic, no noise, heterogeneous", check="floor",
        claim=f"{what} stalls: ||x_T - x*||^2 stays above 1e-6 ||x_0 - x*||^2",
        outcome=Outcome.SUPPORTED if ratio >= 1e-6 else Outcome.REFUTED,
        statistic=ratio, bound=1e-6,
        evidence=f"mean ratio over the last records {ratio:.3g} after {steps} steps",
        provenance=f"gamma {gamma:.4g}, n={N}, d={D}, seed 0",
    )  # fmt: skip


# A quantiser of constant bits converges linearly where its range shrinks, and stalls else.


def _refined(step: Stepsize) -> Method[Any]:
    return RefinedQuantisation(step, 4, 4.0, 0.985)


def _fixed_range(step: Stepsize) -> Method[Any]:
    return RefinedQuantisation(step, 4, 4.0, 1.0)


def adaptive_quantisation() -> tuple[Verdict, ...]:
    """Four bits on a shrinking range, and on a fixed one."""
    row = "adaptive-quantisation"
    return (
        reaches(row, _refined, 0.9, 2500, "4 bits on a shrinking range"),
        stalls(row, _fixed_range, 0.9, 2500, "4 bits on a fixed range"),
    )


# AsyLPG converges linearly in low precision both ways.


def _asylpg(step: Stepsize) -> Method[Any]:
    return AsyLPG(step, 12_000, Exponential(), 200)


def asylpg() -> tuple[Verdict, ...]:
    """Linear convergence over 12 000 ticks in low precision both ways."""
    return (reaches("asylpg", _asylpg, 0.05, 12_000, "AsyLPG, both ways in low precision"),)


# Blocks by turns: m steps are one of gradient descent, and it converges linearly.


_N, _D = 4, 32


_BCD_FORMS = ClosedForms("bcd")


@_BCD_FORMS.case("closed form BCD")
def turns() -> Verdict:
    """After m K steps by turns the model is that of gradient descent after K steps."""
    problem = Quadratic.strongly_convex(_N, _D, sigma2=0.0, zeta2=1.0)
    step, cycles = ConstantStep(1.0), 12
    blocks = models(BSP(step, BlockInTurn(8)), problem, 8 * cycles)[::8]
    return same(
        "m K steps by turns = K steps of gradient descent on a separable function", blocks.numpy(),
        models(BSP(step), problem, cycles).numpy(), on=problem,
        words=f"Beck, Tetruashvili 2013 (cyclic, linear rate); {cycles} cycles of 8 blocks",
    )  # fmt: skip


def bcd() -> tuple[Verdict, ...]:
    """Turns on separable functions; linear convergence by turns and by lot."""
    return (
        turns(),
        reaches("bcd", lambda s: BSP(s, BlockInTurn(4)), 1.0, 1500, "cyclic block descent"),
        reaches("bcd", lambda s: BSP(s, BlockInTurn(4, lot=0)), 1.0, 1500, "block descent by lot"),
    )


# DIANA converges linearly where compressed SGD stalls; its Lyapunov function; erratum E26.


_RECURSION = 60
_MANY = 64  # a mean r times its bound is refuted by 29 / log r: 64 see 1.6 times the bound


def with_shifts(step: Stepsize) -> Diana:
    """DIANA with QSGD of two levels."""
    return Diana(step, QSGD(2))


def diana_lyapunov(make: Make = with_shifts) -> Verdict:
    """DIANA's whole curve under max(1 - gamma mu, 1 - alpha/2)^T Psi_0, without noise."""
    gamma = diana_step()
    trace = simulated(make, gamma, 3000, replicas=_MANY)
    constants = Diana(ConstantStep(gamma), QSGD(2)).constants(problem())
    bound = diana.bound(constants, ConstantStep(gamma), trace.steps.astype(float))
    return curve_under_bound(
        trace.squared_distance, bound, TEST_ERROR, subject="diana",
        problem="quadratic, no noise, heterogeneous", floor=1e-13,
        claim="E||x_T - x*||^2 <= max(1 - gamma mu, 1 - alpha/2)^T Psi_0",
        provenance=f"{diana.source}; gamma {gamma:.4g}, 3000 steps, {_MANY} replicas",
    )  # fmt: skip


_DIANA_FORMS = ClosedForms("diana", "quadratic, no noise, heterogeneous")


@_DIANA_FORMS.case("shifts", "40 steps, seed 0")
def server_shift(make: Make = with_shifts) -> Verdict:
    """The server's shift is the mean of the workers' after every step: both move by alpha."""
    states = [moment.state for moment in path(make(ConstantStep(diana_step())), problem(), 40)]
    server = torch.stack([state.shift[..., 0, :] for state in states])
    workers = torch.stack([state.shifts.mean(-2) for state in states])
    return same("h = (1/n) sum_i h_i", server.numpy(), workers.numpy())


@_DIANA_FORMS.case("Lyapunov recursion")
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
        star = built.full_gradient(built.x_star[None], moment.context.network.workers)
        shifts = (state.shifts - star).square().sum(-1).mean(-1)
        psi.append((state.x[..., 0, :] - built.x_star).square().sum(-1) + weight * shifts)
    values = torch.stack(psi)
    ratios = (values[1:] / values[:-1]).mean(0).numpy()
    half = float(quantile(TEST_ERROR, _MANY) * ratios.std(ddof=1) / _MANY**0.5)
    mean = float(ratios.mean())
    return supported(
        "E[Psi_{t+1} | t] <= max(1 - gamma mu, 1 - alpha/2) Psi_t", mean - half <= q, mean, q,
        f"mean ratio {mean:.6g} +- {half:.2g} over {_RECURSION} steps, q = {q:.6g}",
        uncertainty=half, resolution=2 * half,
        words=f"{diana.source}; gamma {gamma:.4g}, {_MANY} replicas, error {TEST_ERROR:g}",
    )  # fmt: skip


@demonstrates("E26", "diana", "||x_T - x*||^2/||x_0 - x*||^2 with shifts and without blocks is 0")
def e26() -> Shown:
    """Without noise, shifts without blocks converge, blocks without shifts do not."""
    gamma, steps = 0.1, 4000
    ends = []
    split = Buckets(NormTernary(), 5)
    for make in (lambda s: Diana(s, QSGD(4)), lambda s: BSP(s, split)):
        distance = simulated(make, gamma, steps).squared_distance
        ends.append(float(np.max(distance[:, -1]) / distance[0, 0]))
    return (
        (ends[0], 0.0),
        (ends[1], 0.0),
        f"printed: blocks, here of 5 without shifts; gamma {gamma}, {steps} steps",
    )


def diana_forms() -> tuple[Verdict, ...]:
    """Linear convergence, and the Lyapunov function along runs and in one step."""
    linear = reaches("diana", with_shifts, diana_step(), 3000, "DIANA with QSGD(s=2)")
    return (linear, diana_lyapunov(), diana_recursion(), server_shift())


# Independent blocks: what a step scales ||x||^2 by, its bits, its floor.
#
# IBCD (Mishchenko, Hanzely, Richtarik 2019, arXiv:1901.09437): each of n workers takes tau of m
# blocks, omega = m/tau - 1. On a ||x||^2 / 2 a step scales E||x||^2 by (1 - ga)^2 + omega (ga)^2 /
# n; at tau = m/n, omega/n = (n - 1)/n: n times fewer bits for a step at most half as large (erratum
# E24 says whose bits these are). With minimisers that differ it stalls.


Build = Callable[[Stepsize], Method[Any]]

_BLOCKS = 16
_REPLICAS = 20_000


def _independent(taken: int) -> Build:
    return lambda step: BSP(step, BlockSampling(_BLOCKS, taken))


_IBCD_FORMS = ClosedForms("ibcd")


@_IBCD_FORMS.case("closed form IBCD")
def one_step(gamma: float, taken: int = _BLOCKS // _N, build: Build | None = None) -> Verdict:
    """E||x_1||^2 / ||x_0||^2 for f_i = ||x||^2 / 2, tau = ``taken`` of 16 blocks, 4 workers."""
    a = torch.ones((_N, _D), dtype=torch.float64)
    x0 = torch.linspace(-1.0, 3.0, _D, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=x0)
    make = build or _independent(taken)
    trace = run(
        make(ConstantStep(gamma)), problem, steps=1, seed=taken, replicas=_REPLICAS, points=2
    )
    omega = _BLOCKS / taken - 1
    return mean_is(
        f"E||x||^2 factor = (1-ga)^2 + omega (ga)^2/n at ga={gamma:g}, {taken} of {_BLOCKS} blocks",
        trace.model.square().sum(-1).numpy() / float(x0.square().sum()),
        (1 - gamma) ** 2 + omega * gamma**2 / _N, note=f"omega/n = {omega / _N:g}", on=problem,
        words=f"seed {taken}, {_REPLICAS} replicas, n={_N}",
    )  # fmt: skip


def e24() -> Verdict:
    """A worker's bits: at m/n of m blocks 1/n of gradient descent's, at m blocks all of them."""
    bits = [BlockSampling(400, taken).bits(4000, torch.float64) / (64 * 4000) for taken in (4, 400)]
    return erratum(
        "E24", "ibcd", "m/n blocks of m a worker send 1/n of the bits (m = 400, n = 100)",
        (bits[0], 1 / 100), (bits[1], 1 / 100),
        "omega/n = 0.99 there, so the largest step is more than half of that of gradient descent",
    )  # fmt: skip


def ibcd() -> tuple[Verdict, ...]:
    """At tau = m/n below, at and above the largest stable step; all blocks; E24; a floor."""
    edge = 2 / (1 + (_N - 1) / _N)
    steps = (0.5, 1.0, edge, 1.1 * edge)
    stopped = stalls(
        "ibcd", lambda s: BSP(s, BlockSampling(4)), 0.2, 4000, "IBCD of other minimisers"
    )
    return (*(one_step(gamma) for gamma in steps), one_step(1.0, 1), e24(), stopped)


# LAQ on full gradients converges linearly with fewer uploads.


laq = ClosedForms("laq")
"""Closed forms of laq."""


@laq.case(
    "uploads saved", f"gamma 0.5, n={N}, d={D}, seed 0", on="quadratic, no noise, heterogeneous"
)
def lazy_uploads() -> Verdict:
    """LAQ on full gradients reaches 1e-10 with fewer uploads than one in two steps a worker."""
    steps = 300
    trace = simulated(LAQ, 0.5, steps)
    sent = float(trace.account.sent_messages.double().mean()) / steps
    ratio = float(trace.squared_distance[:, -1].max() / trace.squared_distance[0, 0])
    saved = sent < 0.5 and ratio <= SMALL
    return supported(
        "LAQ converges linearly with fewer than one upload in two steps", saved, sent, 0.5,
        f"{sent:.1%} of the uploads, ratio {ratio:.3g} after {steps} steps",
    )  # fmt: skip


CLOSED_FORMS = (adaptive_quantisation, asylpg, bcd, diana_forms, ibcd)

DEMONSTRATIONS = (("E24", ibcd),)

COVERS = {"diana_forms": ("diana",)}
