"""Mean estimation: n workers err 1/n times as much as one, for every quantiser of vectors."""

from __future__ import annotations

import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.centred import Centred
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.variable_length import VariableLength
from algorithms.core.key import Key
from proofs_check.instruments.statistics import TEST_ERROR, bound_test
from proofs_check.verdict import Outcome, Verdict
from theory.claims import VarianceBound

COVERS = (
    "natural-dithering",
    "randomised-mean",
    "rotated-quantisation",
    "stochastic-binary",
    "variable-length-coding",
)


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


def mean_estimation() -> tuple[Verdict, ...]:
    """Levels, rotated levels, codes of varying length, centres, natural dithering."""
    return (
        estimation(KLevel(2), "stochastic-binary"),
        estimation(KLevel(5, Span.NORM), "stochastic-binary"),
        estimation(Rotated(KLevel(4)), "rotated-quantisation"),
        estimation(VariableLength(), "variable-length-coding"),
        estimation(Centred(0.25), "randomised-mean"),
        estimation(Centred(0.25, optimal=False), "randomised-mean"),
        estimation(NaturalDithering(4), "natural-dithering"),
    )


CLOSED_FORMS = (mean_estimation,)
