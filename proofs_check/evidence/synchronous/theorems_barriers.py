"""Order statistics and SSP: derivations; BSP-SGD under its bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from algorithms.compressors.identity import Identity
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.base import Problem
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.stale import SSP, EagerSSP
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    ALIGNED,
    EQUAL_CURVATURES,
    LOGREG,
    MILD,
    NONCONVEX,
    PL,
    SC,
    aligned,
    bsp,
    entry,
    equal_curvatures,
    logreg,
    mild,
    near_minimum,
    of_row,
)
from proofs_check.evidence.synchronous.proofs import R2, T, gamma
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.proofs.norms import root_sum, telescope
from proofs_check.verdict import Verdict
from theory.stepsizes import ScaledStep, Stepsize
from theory.theorems.asysg_con import asysg_con
from theory.theorems.asysg_incon import asysg_incon
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_pl import bsp_pl
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.ssp import ssp
from theory.theorems.ssp_constant_step import ssp_constant_step

x, D, scale, length, n = sp.symbols("x D scale l n", positive=True)
# Step times: order statistics of exponential times, the deadline, a round robin of two.


order_statistics_n, b = sp.symbols("n b", integer=True, positive=True)
BACKUP = sp.harmonic(order_statistics_n) - sp.harmonic(b)
LATE = sp.exp(-D)
TURN = sp.Rational(2, 3)


def kth(workers: int, k: int) -> Any:
    """E of the k-th of ``workers`` exponential times, by its density."""
    density = (
        k * sp.binomial(workers, k)
        * (1 - sp.exp(-x)) ** (k - 1) * sp.exp(-x * (workers - k + 1))
    )  # fmt: skip
    return sp.integrate(sp.expand(x * density), (x, 0, sp.oo))


def deadline(workers: int) -> Any:
    """E min(max, D) + E (min - D)^+, integrals of tails."""
    within = sp.integrate(sp.expand(1 - (1 - sp.exp(-x)) ** workers), (x, 0, D))
    return within + sp.integrate(sp.exp(-workers * x), (x, D, sp.oo))


def in_turn() -> Any:
    """Two workers in turn: seconds of an update, by what the second has left when the first is in.

    y is the time between the last two updates: the next comes (X - y)^+ later. It is 0 with
    probability p, else exponential with mean 1 (no memory), so 1 - p = E exp(-y).
    """
    p = sp.symbols("p")
    (zero,) = sp.solve(1 - p - (p + (1 - p) * sp.integrate(sp.exp(-2 * x), (x, 0, sp.oo))), p)
    return 1 - zero


def prove_order_statistics(claimed: Any = BACKUP, turn: Any = TURN) -> Verdict:
    """The first n - b of n exponential times are in after ``claimed`` seconds in the mean."""
    steps: list[DerivationStep] = []
    for workers in (1, 2, 3, 5):
        for spare in range(workers):
            told = claimed.subs({order_statistics_n: workers, b: spare})
            steps.append(
                equality(f"n = {workers}, b = {spare}", kth(workers, workers - spare), told)
            )
    for workers in (1, 2, 3):
        closed = sum((1 - LATE) ** k / sp.Integer(k) for k in range(1, workers + 1))
        told = closed + LATE**workers / workers
        steps.append(equality(f"deadline, n = {workers}", sp.expand(deadline(workers)), told))
    return settled(
        "order statistics",
        f"the first n - b of n: {claimed}",
        "derived; Renyi 1953, Chen et al. 2016, arXiv:1604.00981",
        *steps,
        equality("two in turn", in_turn(), turn),
    )


# SSP: the regret of views that lack or lead by at most s clocks of every other worker.


s = sp.symbols("s", nonnegative=True)
SSP_AMOUNT = D**2 / (2 * scale) + 4 * (s + 1) * n * scale * length**2


def windows(lead: int) -> int:
    """Clocks of one other worker that an update is missing at or early at, at most.

    At clock c a worker is sure of others' clocks up to c - lead - 1 and may see up to c + lead - 1;
    in clock order the updates of clock c itself come before it or after, whoever is first.
    """
    first = 5 * lead
    clocks = range(first - 4 * lead - 1, first + 4 * lead + 2)
    missing = sum(c >= first >= c - lead for c in clocks)
    early = sum(c < first <= c + lead - 1 for c in clocks)
    return missing + early


def prove_ssp(claimed: Any = SSP_AMOUNT, late: Any = (2 * s + 1) * (n - 1)) -> Verdict:
    r"""(1/T) sum f_t(view_t) - f_t(x*) <= ``claimed`` / sqrt(T) for gamma_t = scale/sqrt(t + 1).

    With x_{t+1} = x_t - gamma_t g_t and D_t = ||x_t - x*||^2/2, <view_t - x*, g_t> is
    (D_t - D_{t+1})/gamma_t + gamma_t ||g_t||^2/2 + <view_t - x_t, g_t>. The first telescopes below
    D^2/(2 gamma_T). Updates missing from a view are charged to themselves, early ones to the view,
    whose stepsize is larger: ``late`` l^2 sum gamma_t in all.
    """
    w = sp.symbols("w", nonnegative=True)
    sums = 2 * scale  # of gamma_t, over sqrt(T)
    total = D**2 / (2 * scale) + sums * length**2 / 2 + late * sums * length**2
    paper = (D / sp.sqrt(2)) / (length * sp.sqrt(2 * (s + 1) * n))
    theirs = 4 * D / sp.sqrt(2) * length * sp.sqrt(2 * (s + 1) * n)
    at_paper = sp.simplify(SSP_AMOUNT.subs(scale, paper) / theirs)
    room = sp.expand((claimed - total).subs(n, 1 + w))
    return settled(
        "ssp",
        f"average regret <= ({claimed})/sqrt(T)",
        "Ho et al. 2013, NIPS, Theorem 1",
        root_sum(),
        truth("2 s + 1 views of each other", all(windows(k) <= 2 * k + 1 for k in range(6))),
        nonnegative("the three sums fit", room, s, w, scale, length, D),
        equality("three quarters of the paper's at its stepsize", at_paper, sp.Rational(3, 4)),
        equality(
            "the best one is that over sqrt(2)",
            sp.diff(SSP_AMOUNT, scale).subs(scale, paper / sp.sqrt(2)),
            0,
        ),
        evaluates(ssp, claimed.subs({s: symbol("lead"), D: symbol("diameter")}) / sp.sqrt(TIME)),
    )


# SSP with a constant stepsize: one step, and what late and early updates add.


SSP_CONSTANT_STEP_AMOUNT = R2 / (2 * gamma * T) + (2 * s + 1) * n * gamma * length**2


def prove_ssp_constant_step(claimed: Any = SSP_CONSTANT_STEP_AMOUNT) -> Verdict:
    r"""(1/T) sum f_t(view_t) - f_t(x*) <= ``claimed`` for the stepsize gamma.

    With x_{t+1} = x_t - gamma g_t, <view_t - x*, g_t> is (d_t - d_{t+1})/(2 gamma) + gamma
    ||g_t||^2/2 + <view_t - x_t, g_t>, d_t = ||x_t - x*||^2. The first telescopes below
    R2/(2 gamma), the last is at most gamma l^2 times the updates that the view lacks or has early.
    """
    w = sp.symbols("w", nonnegative=True)
    late = (2 * s + 1) * (n - 1)
    total = R2 / (2 * gamma * T) + gamma * length**2 / 2 + late * gamma * length**2
    best = sp.sqrt(R2 / (2 * (2 * s + 1) * n * length**2 * T))
    return settled(
        "ssp_constant_step",
        f"average regret <= {claimed}",
        "derived; setting of Ho et al. 2013, NIPS, Theorem 1",
        telescope("one step"),
        truth("2 s + 1 of each other worker", all(windows(k) <= 2 * k + 1 for k in range(6))),
        nonnegative(
            "the sums fit",
            sp.expand((claimed - total).subs(n, 1 + w)),
            s,
            w,
            gamma,
            length,
            R2,
        ),
        equality(
            "the best stepsize", sp.diff(SSP_CONSTANT_STEP_AMOUNT, gamma).subs(gamma, best), 0
        ),
        evaluates(ssp_constant_step, claimed.subs(s, symbol("lead"))),
    )


PROOFS = (prove_order_statistics, prove_ssp, prove_ssp_constant_step)

COVERS = {"prove_order_statistics": ("backup-workers", "r2sp")}


# BSP-SGD under its bounds.


def _stale(barrier: Barrier) -> Make:
    """Each of n gradients moves the server by ``step`` itself, which the row divides by n.

    A worker sees its own updates at once and others' by the barrier: reads that lack any of the
    last tau updates.
    """

    def make(step: Stepsize, problem: Problem, steps: int) -> ParameterServer:
        whole = ScaledStep(step, problem.n, 1.0)
        return ParameterServer(whole, steps, Exponential(), barrier, Weighting.ALL)

    return make


def _summed(barrier: Barrier, by_clock: bool = False) -> Make:
    """Each gradient is added undivided; worker i of n takes 1 + i/n seconds for each."""

    def make(step: Stepsize, problem: Problem, steps: int) -> ParameterServer:
        times = Constant(tuple(1 + i / problem.n for i in range(problem.n)))
        return ParameterServer(step, steps, times, barrier, Weighting.SUM, by_clock=by_clock)

    return make


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("bsp-sgd", SC, bsp_nonconvex, entry(SC), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", PL, bsp_nonconvex, entry(PL), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", PL, bsp_pl, entry(PL), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", NONCONVEX, bsp_nonconvex, entry(NONCONVEX), bsp(Identity()), 400),
    BoundCheck("bsp-sgd", SC, bsp_strongly_convex, entry(SC), bsp(Identity()), 500),
    BoundCheck("bsp-sgd", SC, bsp_strongly_convex_decreasing, entry(SC), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", LOGREG, bsp_strongly_convex_decreasing, logreg(8), bsp(Identity()), 400),
    *(
        BoundCheck(
            "bsp-sgd",
            EQUAL_CURVATURES,
            theorem,
            partial(equal_curvatures, 4),
            bsp(Identity()),
            1000,
        )
        for theorem in (bsp_pl, bsp_strongly_convex, bsp_strongly_convex_decreasing)
    ),
    BoundCheck("r2sp", MILD, asysg_con, partial(mild, 4, 0.0), of_row("r2sp"), 800),
    BoundCheck("ssp", MILD, asysg_incon, partial(mild, 4, 0.0), _stale(SSP(3)), 800),
    BoundCheck("ssp", ALIGNED, ssp, partial(aligned, 4), _summed(SSP(1), True), 1600, near_minimum),
    BoundCheck("ssp", ALIGNED, ssp_constant_step, partial(aligned, 4), _summed(SSP(1)), 1600),
    BoundCheck("essp", ALIGNED, ssp_constant_step, partial(aligned, 4), _summed(EagerSSP(1)), 1600),
    BoundCheck("essp", MILD, asysg_incon, partial(mild, 4, 0.0), _stale(EagerSSP(3)), 800),
)
