"""Special cases and mean estimation: what levels, atoms and centres are in particular settings.

ATOMO with the budgets l1/l2 and l1/linf is QSGD of one level and TernGrad (reference vectors 247 -
169 and 228 - 169); n workers err 1/n times as much as one; TernGrad's clipping is biased.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from algorithms.compressors.atomo import Atomo, Budget
from algorithms.compressors.base import Compressor
from algorithms.compressors.centred import Centred
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.variable_length import VariableLength
from algorithms.key import Key
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.transforms.clipping import ClipEntries
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.exact import exact_law
from proofs_check.instruments.statistics import TEST_ERROR, bound_test
from proofs_check.verdict import Outcome, Verdict
from theory.claims import VarianceBound
from theory.stepsizes import ConstantStep

_V = (3, -4, 0, 12)


def special_cases() -> tuple[Verdict, ...]:
    """The same laws, and the same outcomes from the same draws."""
    verdicts = []
    key = Key.seed(0).fold("atomo")
    x = key.draws(torch.arange(50), torch.arange(4)).normal(30, torch.float64)
    draws = key.fold("compress").draws(torch.arange(50), torch.arange(4))
    for budget, same, second in ((Budget.QSGD, QSGD(1), 247), (Budget.TERNGRAD, TernGrad(), 228)):
        ours = Atomo(budget)
        verdicts.append(
            identity(
                "atomo",
                f"{ours.name} has the error of {same.name} at (3,-4,0,12)",
                [float(exact_law(op, _V).error) for op in (ours, same)],
                second - 169.0,
                check="special case",
                provenance="exact enumeration",
            )
        )
        verdicts.append(
            identity(
                "atomo",
                f"{ours.name} is {same.name}, outcome by outcome",
                ours.compress(x, draws),
                same.compress(x, draws),
                check="special case",
                provenance="200 rows of 30, equal draws",
            )
        )
    return tuple(verdicts)


def estimation(operator: Compressor, row: str, n: int = 16, d: int = 64) -> Verdict:
    """n workers, each its own vector: E||mean of messages - mean||^2 <= omega/n mean||x_i||^2."""
    key = Key.seed(1).fold("estimation", row)
    samples = 2000
    x = key.draws(torch.arange(1), torch.arange(n)).normal(d, torch.float64)
    draws = key.fold("compress").draws(torch.arange(samples), torch.arange(n))
    sent = operator.compress(x.expand(samples, n, d), draws)
    errors = (sent.mean(-2) - x.mean(-2)).square().sum(-1)
    square = float(x.square().sum(-1).mean())
    omega = min(c.omega for c in operator.claims(d) if isinstance(c, VarianceBound))
    ratios = errors * n / square
    test = bound_test(ratios, omega, TEST_ERROR, 1.0)
    return Verdict(
        subject=row, problem=f"mean of {n} vectors of R^{d}", check="mean estimation",
        claim=f"E||mean of messages - mean||^2 <= omega/n mean||x_i||^2, {operator.name}",
        outcome=Outcome.REFUTED if test.refuted else Outcome.SUPPORTED, statistic=test.mean,
        bound=omega, uncertainty=test.half_width, resolution=test.resolution,
        evidence=f"n times the relative error {test.mean:.4g} +- {test.half_width:.2g}, omega "
        f"{omega:.4g}",
        provenance=f"gaussian vectors, {samples} rounds, seed 1, error {TEST_ERROR:g}",
    )  # fmt: skip


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
        outcome=Outcome.PROVED if off > 0.1 else Outcome.REFUTED, statistic=off, bound=0.1,
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


def levels() -> tuple[Verdict, ...]:
    """All of it."""
    return (
        *special_cases(),
        estimation(KLevel(2), "stochastic-binary"),
        estimation(KLevel(5, Span.NORM), "stochastic-binary"),
        estimation(Rotated(KLevel(4)), "rotated-quantisation"),
        estimation(VariableLength(), "variable-length-coding"),
        estimation(Centred(0.25), "randomised-mean"),
        estimation(Centred(0.25, optimal=False), "randomised-mean"),
        estimation(NaturalDithering(4), "natural-dithering"),
        clipping_is_biased(),
        parts_of_terngrad(),
    )


CLOSED_FORMS = (levels,)
