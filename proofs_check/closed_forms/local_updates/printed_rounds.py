"""Rounds, bits and assumptions of local SGD as printed: E16, E38, T5, T9."""

from __future__ import annotations

import torch

from algorithms.engine.run import run
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.erratum import erratum
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep
from theory.survey.speedup_rounds import rounds
from theory.theorem import Metric
from theory.theorems.pqasgd import pqasgd

COVERS = ("local-sgd", "lupa-sgd", "pqasgd", "pr-sgd")


def e16() -> tuple[Verdict, ...]:
    """A strongly convex function has gradients of any length: 1000 times as far, as long."""
    problem, workers = Quadratic.strongly_convex(1, 4, sigma2=0.0), torch.arange(1)
    near = torch.ones((1, 4), dtype=torch.float64)
    lengths = [float(problem.full_gradient(x, workers).norm()) for x in (near, 1000 * near)]
    return (
        erratum(
            "E16", "pr-sgd", "||grad f|| at 1000 x over that at x, for x* = 0",
            (lengths[1] / lengths[0], 1000.0), (1.0, 1000.0),
            "printed: one bound for all x; the problem states G2 = "
            f"{problem.constants().uniform('G2').G2} on R^d",
        ),
    )  # fmt: skip


def e38() -> tuple[Verdict, ...]:
    """(pT)/3 would be more rounds than steps."""
    T, p = 10**6, 8
    needed = rounds("lupa-sgd")(T, p)
    return (
        erratum(
            "E38", "lupa-sgd", "rounds of 10^6 steps of 8 workers: (pT)^{1/3}",
            (needed, 200.0), (p * T / 3, 200.0), f"printed {p * T / 3:.3g} rounds in {T} steps",
        ),
    )  # fmt: skip


def t5() -> tuple[Verdict, ...]:
    """What is stated of quantised local SGD speaks of squared gradients."""
    return (
        erratum(
            "T5", "pqasgd", "the rate is one of squared gradients, for non-convex functions",
            (float(pqasgd.metric is Metric.AVERAGE_SQUARED_GRADIENT), 1.0),
            (float(pqasgd.metric is Metric.WEIGHTED_SUBOPTIMALITY), 1.0), str(pqasgd),
        ),
    )  # fmt: skip


def t9() -> tuple[Verdict, ...]:
    """The server of local SGD hears n models every H steps."""
    n, d, steps, period = 4, 6, 16, 8
    problem = Quadratic.strongly_convex(n, d)
    heard = run(LocalSGD(ConstantStep(0.1), period), problem, steps=steps).account.sent_bits
    bits = float(heard.sum())
    return (
        erratum(
            "T9", "local-sgd", "bits that reach the server, by the ledger: n d T / H floats",
            (bits, 64.0 * n * d * steps / period), (64.0 * d * steps / period, bits),
            f"{n} workers, d = {d}, {steps} steps, H = {period}",
        ),
    )  # fmt: skip


CLOSED_FORMS = (e16, e38, t5, t9)
DEMONSTRATIONS = (("E16", e16), ("E38", e38), ("T5", t5), ("T9", t9))
