"""TernGrad: clipping is biased, and localising parameters changes no iterate."""

from __future__ import annotations

from collections.abc import Callable

import torch

from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.clipping import ClipEntries
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep


def clipping_is_biased() -> Verdict:
    """What clipping at 2.5 sigma leaves of a heavy-tailed gradient: its mean is off."""
    draws = Key.seed(2).fold("clip").draws(torch.arange(1), torch.arange(1))
    x = draws.normal(400, torch.float64)
    x = x.sign() * x.abs() ** 3
    clipped = ClipEntries(2.5).apply(x, 1)
    off = float((clipped - x).norm() / x.norm())
    return Verdict(
        subject="terngrad", problem="cubed gaussian gradient", check="bias of clipping",
        claim="clipped TernGrad is biased: ||E C(x) - x|| / ||x|| > 0.1",
        outcome=Outcome.SUPPORTED if off > 0.1 else Outcome.REFUTED, statistic=off, bound=0.1,
        resolution=0.0,
        evidence=f"relative bias {off:.3g}: ternaries are unbiased for the clipped gradient only",
        provenance="400 entries, seed 2, c = 2.5; deterministic",
    )  # fmt: skip


def parts_of_terngrad(
    localised: Callable[..., TernGradSGD] = TernGradSGD,
) -> Verdict:
    """Parameter localisation changes what crosses, not the iterates."""
    problem = Quadratic.strongly_convex(4, 20, zeta2=1.0)
    step = ConstantStep(0.05)
    ends = [
        run(method, problem, steps=30, points=2).model
        for method in (localised(step), TernGradSGD(step, localise=False))
    ]
    return identity(
        "terngrad", "with and without parameter localisation the iterates are the same",
        ends[0], ends[1], check="localisation", problem=problem.name, provenance="30 steps",
    )  # fmt: skip


def terngrad() -> tuple[Verdict, ...]:
    """Clipping and localisation."""
    return (clipping_is_biased(), parts_of_terngrad())


CLOSED_FORMS = (terngrad,)
