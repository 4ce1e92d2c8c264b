"""What the survey prints of schemes, gradients and headers: E2, E11, E35, T1, T2, S7."""

from __future__ import annotations

import math

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.problems.quadratic import Law, Quadratic
from algorithms.synchronisation.barriers import BackupWorkers
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.stale import SSP
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.synchronous.barriers import DRAWN_REPLICAS, WORKERS, drawn
from proofs_check.closed_forms.synchronous.ssp import workers_among
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.dgd import dgd
from theory.theorems.ssp import ssp as ssp_theorem

COVERS = ("backup-workers", "bsp-sgd", "ssp")


def clocks_ahead(schedule: Schedule, replica: int) -> int:
    """By how many clocks at most an update that a worker starts with is ahead of its own."""
    clock, held = np.zeros(WORKERS, int), [np.zeros(WORKERS, int)] * WORKERS
    most = 0
    for t in range(schedule.ticks):
        for i in workers_among(schedule.arrivals[t, replica]):
            clock[i] += 1
        for i in workers_among(schedule.fetches[t, replica]):
            held[i] = clock.copy()
        for i in workers_among(schedule.starts[t, replica]):
            most = max(most, int((held[i] - clock[i]).max()))
    return most


def e2() -> tuple[Verdict, ...]:
    """Others' updates of clocks up to t + s are seen, not only up to t."""
    s = 2
    most = max(clocks_ahead(one, r) for one in drawn(SSP(s)) for r in range(DRAWN_REPLICAS))
    return (
        erratum(
            "E2", "ssp", "clocks by which an update read is ahead of the reader's, s = 2",
            (float(most), float(s)), (0.0, float(most)),
            "four models of time; printed: a window that ends at t",
        ),
    )  # fmt: skip


def e11() -> tuple[Verdict, ...]:
    """G_i is random: with noise of two values every draw is sigma from its mean."""
    one = torch.ones((1, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(one, 0 * one, sigma2=4.0, law=Law.RADEMACHER)
    draws = Key.seed(0).draws(torch.arange(64), torch.arange(1))
    x = one.expand(64, 1, 1)
    off = problem.gradient(x, draws) - problem.full_gradient(x, torch.arange(1))
    return (
        erratum(
            "E11", "bsp-sgd", "E||G_i(x) - grad f_i(x)||^2 = sigma2 = 4, each draw",
            (float(off.square().mean()), 4.0), (0.0, 4.0),
            "defined as an expectation, G_i would have no variance and Eq. 5 no content",
        ),
    )  # fmt: skip


def e35() -> tuple[Verdict, ...]:
    """No gradient that backup workers use is stale, under four models of time; SSP's are."""
    ages = [max(schedule.tau for schedule in drawn(one)) for one in (BackupWorkers(2), SSP(2))]
    return (
        erratum(
            "E35", "backup-workers", "largest age of a gradient that is used",
            (float(ages[0]), 0.0), (float(ages[1]), 0.0), "printed: stale, here as in SSP, s = 2",
        ),
    )  # fmt: skip


def t1() -> tuple[Verdict, ...]:
    """The bound for convex functions falls by 10 where T grows by 100, with its own stepsizes."""
    c = Constants(n=1, lam=0.0, convex=True, lipschitz=3.0, R2=2.0, symmetric=True)
    ends = [float(dgd.bound(c, dgd.stepsize(c, t), np.array([t]))[0]) for t in (10**4, 10**6)]
    strong = Constants(n=1, L=1.0, mu=0.5, sigma2=1.0, R2=1.0)
    step = bsp_strongly_convex.stepsize(strong.state(mu=0.5), 10)
    broken = bsp_strongly_convex.violations(strong.without("mu"), step, 10)
    return (
        erratum(
            "T1", "bsp-sgd", "power of T in the bound for convex Lipschitz functions",
            (math.log(ends[1] / ends[0], 100), -0.5), (-1.0, -0.5), broken[0],
        ),
    )  # fmt: skip


def t2() -> tuple[Verdict, ...]:
    """Ho et al. 2013 ask for convex components."""
    c = ssp_theorem.example
    step = ssp_theorem.stepsize(c, 100)
    other = c.state(convex=False)
    return (
        erratum(
            "T2", "ssp", "the theorem applies to convex functions, not to others",
            (float(ssp_theorem.applies(c, step, 100)), 1.0),
            (float(ssp_theorem.applies(other, step, 100)), 1.0),
            ssp_theorem.violations(other, step, 100)[0],
        ),
    )  # fmt: skip


def s7() -> tuple[Verdict, ...]:
    """Four workers and one with their batch have one floor; one with a worker's has four times."""
    end, step = np.array([1e9]), ConstantStep(0.1)

    def floor(n: int, sigma2: float) -> float:
        c = Constants(n=n, L=1.0, mu=0.5, sigma2=sigma2, R2=1.0)
        return float(bsp_strongly_convex.bound(c, step, end)[0])

    return (
        erratum(
            "S7", "bsp-sgd", "floor of one worker with the batch of four, over that of four",
            (floor(1, 0.25) / floor(4, 1.0), 1.0), (floor(1, 1.0) / floor(4, 1.0), 1.0),
            "printed: the same convergence, whatever the batch",
        ),
    )  # fmt: skip


CLOSED_FORMS = (e2, e11, e35, t1, t2, s7)
DEMONSTRATIONS = (("E2", e2), ("E11", e11), ("E35", e35), ("T1", t1), ("T2", t2), ("S7", s7))
