"""Misprints of the survey, each shown to fail where the corrected formula holds.

A verdict is PROVED when both are seen: the corrected rule or formula gives the stated value, and
the printed one does not. Numbers are those of the erratum (``theory.survey.rows``).
"""

from __future__ import annotations

import math

import numpy as np
import torch

from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.key import Key
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from proofs_check.closed_forms.auxiliary.error_feedback import sent_and_kept
from proofs_check.instruments.evidence import IDENTITY, mean_value
from proofs_check.instruments.paths import path
from proofs_check.methods.faulty.methods import ForgetfulFeedback, GradientAveragingLocalSGD
from proofs_check.verdict import Outcome, Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.mem_sgd import mem_sgd


def erratum(
    name: str, row: str, claim: str, correct: tuple[float, float], printed: tuple[float, float],
    note: str = "",
) -> Verdict:  # fmt: skip
    """PROVED iff the corrected value is as stated and the printed one is not; pairs (got, want).

    ``printed`` holds what the printed formula or rule gives and what it ought to give.
    """
    fits = abs(correct[0] - correct[1]) <= 1e3 * IDENTITY * max(1.0, abs(correct[1]))
    fails = abs(printed[0] - printed[1]) > 0.01 * max(abs(printed[1]), IDENTITY)
    return Verdict(
        subject=row,
        claim=claim,
        check=f"erratum {name}",
        outcome=Outcome.PROVED if fits and fails else Outcome.REFUTED,
        statistic=correct[0],
        bound=correct[1],
        evidence=f"corrected: {correct[0]:.8g} (stated {correct[1]:.8g}); printed: "
        f"{printed[0]:.8g} where {printed[1]:.8g} is right" + (f"; {note}" if note else ""),
        provenance=f"survey erratum {name}",
    )


def local_gap(method: LocalSGD | GradientAveragingLocalSGD, b: tuple[float, float]) -> float:
    """|x_1 - x_2| after 40 steps from (0, 1), f_i(x) = (x - b_i)^2 / 2, averaging every 4."""
    column = torch.tensor(b, dtype=torch.float64)[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(column), column)
    apart = torch.tensor([[[0.0], [1.0]]], dtype=torch.float64)
    *_, last = path(method, problem, 40, state=LocalSGDState(apart))
    return float((last.state.x[0, 0] - last.state.x[0, 1]).abs())


def e4() -> tuple[Verdict, ...]:
    """Eq. 9 never synchronises."""
    step = ConstantStep(0.1)
    right, wrong = LocalSGD(step, 4), GradientAveragingLocalSGD(step, 4)
    claim = "local SGD averages models: the workers agree after the 40th step; Eq. 9 never does so"
    return (
        erratum(
            "E4", "local-sgd", f"{claim} (one objective, gap 0.9^30)",
            (local_gap(right, (0, 0)), 0.0), (local_gap(wrong, (0, 0)), 0.0),
            f"0.9^30 = {0.9**30:.6g}",
        ),
        erratum(
            "E4", "local-sgd", f"{claim} (two objectives, gap 1)",
            (local_gap(right, (0, 1)), 0.0), (local_gap(wrong, (0, 1)), 0.0),
        ),
    )  # fmt: skip


def e7() -> tuple[Verdict, ...]:
    """The box's residual forgets: 100 steps of (1, 0.4) deliver (100, 0)."""
    g = torch.tensor([1.0, 0.4], dtype=torch.float64)
    right = sent_and_kept(ErrorFeedback(), TopK(1), g, 100)[-1]
    wrong = sent_and_kept(ForgetfulFeedback(), TopK(1), g, 100)[-1]
    return (
        erratum(
            "E7",
            "error-feedback",
            "the residual adds up: what was sent and what is kept make (100, 40)",
            (float(right.sum(0)[1]), 40.0),
            (float(wrong.sum(0)[1]), 40.0),
            f"sent {right[0].tolist()} against {wrong[0].tolist()} as printed",
        ),
    )


def e9() -> tuple[Verdict, ...]:
    """p(t) of natural compression, measured at t = 2.5: down with probability 3/4."""
    count, seed = 1_000_000, 51
    x = torch.full((1, count), 2.5, dtype=torch.float64)
    draws = Key.seed(seed).fold("e9").draws(torch.tensor(0), torch.arange(1))
    sent = NaturalCompression().compress(x, draws)
    printed = 2.0 ** -math.floor(math.log2(2.5)), 2.0 ** -math.floor(math.log2(0.3))
    return (
        mean_value(
            "natural-compression",
            "P(round 2.5 down to 2) = (4 - 2.5)/2 = 3/4, so E C(2.5) = 2.5",
            (sent[0] == 2.0).double().numpy(),
            0.75,
            check="erratum E9",
            provenance=f"seed {seed}",
            note=f"as printed p = {printed[0]:g}, so E = {4 - 2 * printed[0]:g}; "
            f"at t = 0.3 printed p = {printed[1]:g} > 1",
        ),
    )


def e17() -> tuple[Verdict, ...]:
    """QSGD's variance: min(d/s^2, sqrt(d)/s), d the dimension."""
    d, s = 100, 20
    correct, printed = min(d / s**2, math.sqrt(d) / s), min(d / s, math.sqrt(d) / s)
    claimed = max(getattr(claim, "omega", 0.0) for claim in QSGD(s).claims(d))
    return (
        erratum(
            "E17",
            "qsgd",
            "omega = min(d/s^2, sqrt(d)/s) = 1/4 at d = 100, s = 20; printed min(d/s, sqrt(d)/s) "
            "is sqrt(d)/s always",
            (claimed, correct),
            (printed, correct),
        ),
    )


def e18() -> tuple[Verdict, ...]:
    """The noise of QSGD is (1 + omega) B: fine levels leave the gradient's own variance."""
    d, s, seed, replicas = 100, 1000, 52, 20_000
    a = torch.ones((1, d), dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), sigma2=float(d))
    method = BSP(ConstantStep(1.0), QSGD(s))
    trace = run(method, problem, steps=1, seed=seed, replicas=replicas, points=2)
    return (
        mean_value(
            "qsgd",
            "E||C(g)||^2 / B = 1 + (at most omega = 1e-4) at the minimum, d = 100, s = 1000",
            trace.model.square().sum(-1).numpy() / d,
            1.0,
            check="erratum E18",
            problem=problem.name,
            provenance=f"seed {seed}, {replicas} replicas",
            note=f"as printed the noise would be {min(d / s**2, math.sqrt(d) / s):g} B",
        ),
    )


def e19() -> tuple[Verdict, ...]:
    """Sparsified descent on ||x||^2/2 with gamma = 1 ends after d/k steps: slower for smaller k."""
    d, kept = 16, np.array([1, 2, 4, 8, 16])
    x0 = torch.arange(1.0, d + 1, dtype=torch.float64)
    flat = torch.ones((1, d), dtype=torch.float64)
    problem = Quadratic.from_arrays(flat, torch.zeros_like(flat), x0=x0)
    steps = []
    for k in kept.tolist():
        trace = run(BSP(ConstantStep(1.0), TopK(k)), problem, steps=d + 1, points=100)
        steps.append(float(np.argmax(trace.squared_distance[0] == 0.0)))
    exponent = float(np.polyfit(np.log(kept), np.log(steps), 1)[0])
    return (
        erratum(
            "E19",
            "top-k",
            "the slowdown of top-k is d/k: it grows as k decreases",
            (exponent, -1.0),
            (1.0, -1.0),
            f"steps to the minimum {steps} for k = {kept.tolist()} of {d}; exponents of k",
        ),
    )


def e20() -> tuple[Verdict, ...]:
    """MEM-SGD is O(G^2/(mu T)) in its leading term only: (d/k)^2/T^2 follows."""
    c, horizon = Constants(L=1.0, mu=1.0, G2=1.0, R2=0.0), np.array([1e4])
    step = mem_sgd.stepsize(c.state(delta=1e-3), int(horizon[0]))
    whole, tenth, least = (
        float(mem_sgd.bound(c.state(delta=delta), step, horizon)[0]) for delta in (1.0, 1e-2, 1e-3)
    )
    return (
        erratum(
            "E20",
            "top-k",
            "beside G^2/(mu T) the bound of MEM-SGD has a term (d/k)^2: d/k = 1000 against 100",
            ((least - whole) / (tenth - whole), (1e6 - 1) / (1e4 - 1)),
            (1.0, least / whole),
            f"at T = 1e4 the whole bound is {least / whole:.4g} times that of k = d",
        ),
    )


def e21() -> tuple[Verdict, ...]:
    """CHOCO-SGD, strongly convex: the second term is squared."""
    T, gap, delta = 1e4, 0.1, 0.1
    c = Constants(n=1, sigma2=0.0, G2=1.0, R2=0.0, L_max=1.0, mu_min=1.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    step, late = choco_sgd_strongly_convex.stepsize(c, 1), np.array([1e19, 1e20])
    bound = choco_sgd_strongly_convex.bound(c, step, late)
    return (
        erratum(
            "E21",
            "choco-sgd",
            "without noise the bound falls as T^-2, not T^-1",
            (math.log10(bound[1] / bound[0]), -2.0),
            (1 / (T * gap**2 * delta), 1 / (T * gap**2 * delta) ** 2),
            "at T = 1e4, gap = delta = 0.1 the squared term is 0.01, as printed 0.1",
        ),
    )


def e22() -> tuple[Verdict, ...]:
    """CHOCO-SGD, non-convex: the second term grows with n."""
    n, T, gap, delta = 16, 1e6, 0.1, 0.1
    c = Constants(n=1, L_max=1.0, sigma2=0.0, G2=1.0, initial_gap=0.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    one, many = (choco_sgd_nonconvex.printed(c.state(n=m), int(T)) for m in (1, n))
    return (
        erratum(
            "E22",
            "choco-sgd",
            "the term n/(gap^4 delta^2 T) is 16 at n = 16, T = 1e6, 0.1, 0.1",
            (many / one * 1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
            (1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
            "Theorem 4.1 of the paper has 24 G^2 n L / (c^2 (T+1))",
        ),
    )


def errata() -> tuple[Verdict, ...]:
    """E4, E7, E9 and E17 to E22."""
    parts = (e4(), e7(), e9(), e17(), e18(), e19(), e20(), e21(), e22())
    return tuple(verdict for part in parts for verdict in part)


CLOSED_FORMS = (errata,)
