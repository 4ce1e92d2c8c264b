"""CR-PSGD's Catalyst form by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep


def catalyst_by_hand(make: Callable[..., Method[Any]] = CatalystPSGD) -> Verdict:
    """f = x^2/2 from x = 1, theta = 2, gamma = 1/4, y renewed every two steps: in fractions."""
    problem = Quadratic.strongly_convex(1, 1, L=1.0, mu=1.0, sigma2=0.0, R2=1.0)
    x, trail = Fraction(1), [Fraction(1)]
    for _ in range(3):
        y = x
        for _ in range(2):
            x -= (x + 2 * (x - y)) / 4
            trail.append(x)
    method = make(ConstantStep(0.25), FixedBatch(1), 2, 2.0)
    return identity(
        "cr-psgd", "Catalyst: x - gamma (grad f(x) + theta (x - y)), y renewed with every stage",
        models(method, problem, 6)[:, 0, 0], [float(v) for v in trail], check="exact arithmetic",
        problem="x^2/2", provenance="Yu, Jin 2019, Algorithm 2; three stages of two steps",
    )  # fmt: skip


def cr_psgd() -> tuple[Verdict, ...]:
    """Three stages in fractions."""
    return (catalyst_by_hand(),)


CLOSED_FORMS = (cr_psgd,)
