"""Atoms, natural compression, mean estimation, printed levels: closed forms, and faults."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.atomo import AtomBudget, Atomo
from algorithms.compressors.base import Compressor
from algorithms.compressors.centred import Centred
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.entries import entries_of
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.ternary import UnitTernary
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.variable_length import VariableLength
from algorithms.core.key import Draws, Key
from algorithms.kernels import rounding
from proofs_check.compressors.check import EXACT
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.exact import exact_law
from proofs_check.instruments.statistics import TEST_ERROR, bound_test
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    OperatorMutant,
    wrong_encoding,
)
from proofs_check.verdict import Outcome, Verdict
from theory import bits
from theory.claims import VarianceBound

# ATOMO with the budgets l1/l2 and l1/linf is QSGD of one level and TernGrad.
#
# Reference vectors 247 - 169 and 228 - 169.


_V = (3, -4, 0, 12)


_ATOMO_FORMS = ClosedForms("atomo")


@_ATOMO_FORMS.case("special case")
def special_cases() -> Iterator[Verdict]:
    """The same laws, and the same outcomes from the same draws."""
    key = Key.seed(0).fold("atomo")
    x = key.draws(torch.arange(50), torch.arange(4)).normal(30, torch.float64)
    draws = key.fold("compress").draws(torch.arange(50), torch.arange(4))
    for budget, known, second in (
        (AtomBudget.QSGD, QSGD(1), 247),
        (AtomBudget.TERNGRAD, TernGrad(), 228),
    ):
        ours = Atomo(budget)
        yield same(
            f"{ours.name} has the error of {known.name} at (3,-4,0,12)",
            [float(exact_law(op, _V).error) for op in (ours, known)], second - 169.0,
            words="exact enumeration",
        )  # fmt: skip
        yield same(
            f"{ours.name} is {known.name}, outcome by outcome", ours.compress(x, draws),
            known.compress(x, draws), words="200 rows of 30, equal draws",
        )  # fmt: skip


# Mean estimation: n workers err 1/n times as much as one, for every quantiser of vectors.


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


# Natural compression: the probability of rounding down (erratum E9).


_NATURAL_COMPRESSION_FORMS = ClosedForms("natural-compression")


@_NATURAL_COMPRESSION_FORMS.case("probability of rounding down")
def rounding_down() -> Iterator[Verdict]:
    """p(t) of natural compression, measured at t = 2.5: down with probability 3/4."""
    count, seed = 1_000_000, 51
    x = torch.full((1, count), 2.5, dtype=torch.float64)
    draws = Key.seed(seed).fold("e9").draws(torch.tensor(0), torch.arange(1))
    sent = NaturalCompression().compress(x, draws)
    printed = 2.0 ** -math.floor(math.log2(2.5)), 2.0 ** -math.floor(math.log2(0.3))
    yield mean_is(
        "P(round 2.5 down to 2) = (4 - 2.5)/2 = 3/4, so E C(2.5) = 2.5",
        (sent[0] == 2.0).double().numpy(), 0.75,
        note=f"as printed p = {printed[0]:g}, so E = {4 - 2 * printed[0]:g}; "
        f"at t = 0.3 printed p = {printed[1]:g} > 1",
        words=f"seed {seed}",
    )  # fmt: skip


# Levels and lengths of quantisers as the survey prints them: E8, E9, E10, E27, T10.


@demonstrates(
    "E8",
    "qsgd",
    "E C(v)_1 = 3 for v = (3, -4, 0, 12), s = 2",
    covers=("natural-compression", "natural-dithering", "qsgd", "terngrad"),
)
def e8() -> Shown:
    """Without the level 0 a coordinate below ||v||/s is sent as ||v||/s at least."""
    s, norm = 2, 13
    law = exact_law(QSGD(s), _V)
    return (float(law.mean[0]), 3.0), (norm / s, 3.0), "printed: 0 < l < s leaves l = 1 alone"


@demonstrates(
    "E9",
    "natural-compression",
    "E C(2.5) = 2.5, by the whole law",
    covers=("natural-compression", "natural-dithering", "qsgd", "terngrad"),
)
def e9() -> Shown:
    """p = 2^-floor rounds 2.5 down every other time, so that its mean is 3."""
    law = exact_law(NaturalCompression(), (Fraction(5, 2),))
    down = 2.0 ** -math.floor(math.log2(2.5))
    return (
        (float(law.mean[0]), 2.5),
        (2 * down + 4 * (1 - down), 2.5),
        f"at 0.3 the printed p is {2.0 ** -math.floor(math.log2(0.3)):g}",
    )


@demonstrates(
    "E10",
    "natural-dithering",
    "the largest level, over the norm, is 1",
    covers=("natural-compression", "natural-dithering", "qsgd", "terngrad"),
)
def e10() -> Shown:
    """s = 3: levels of three vectors with rational norms are 0, 1/4, 1/2 and 1 of it."""
    levels = {
        abs(end) / norm
        for a, b, norm in ((3, 4, 5), (5, 12, 13), (9, 40, 41))
        for cell in NaturalDithering(3).exact_cells((Fraction(a), Fraction(b)))
        for end in cell
    }
    return (
        (float(max(levels)), 1.0),
        (2 ** (3 - 1) / 3, 1.0),
        f"levels {', '.join(map(str, sorted(levels)))}; printed 1/3, 2/3, 4/3",
    )


@demonstrates(
    "E27",
    "qsgd",
    "32 d over the bound of Theorem 3.2, d = 10^6, s = 1",
    covers=("natural-compression", "natural-dithering", "qsgd", "terngrad"),
)
def e27() -> Shown:
    """One level and Elias's code: a row of 10^5 normal entries in 800 times fewer bits."""
    d = 100_000
    key, operator = Key.seed(0).fold("e27"), EliasQSGD(1)
    x, draws = (key.fold(use).draws(torch.tensor(0), torch.arange(1)) for use in ("x", "send"))
    sent = operator.compress(x.normal(d, torch.float64), draws)
    used = float(operator.stated_lengths(sent, 32).most.sum())
    bound = bits.qsgd_elias(10**6, 1)
    return (
        (round(32e6 / bound, 4), 1641.1972),
        (32.0, 32e6 / bound),
        f"a row of {d} entries was sent in {used:.0f} bits, {32 * d / used:.0f} times fewer",
    )


@demonstrates(
    "T10",
    "terngrad",
    "bits of a sum of 3 ternaries: log2 of the values that occur",
    covers=("natural-compression", "natural-dithering", "qsgd", "terngrad"),
)
def t10() -> Shown:
    """Sums of n ternaries take all 2 n + 1 values."""
    n, replicas = 3, 2000
    draws = Key.seed(0).draws(torch.arange(replicas), torch.arange(n))
    x = torch.tensor([0.5, -0.5, 1.0], dtype=torch.float64).expand(replicas, n, 3)
    found = set(UnitTernary().compress(x, draws).sum(-2)[..., :2].flatten().tolist())
    return (
        (math.log2(len(found)), math.log2(2 * n + 1)),
        (math.log2(3), math.log2(len(found))),
        f"{len(found)} values; n = 64: {math.log2(2 * 64 + 1):.2f} bits",
    )


CLOSED_FORMS = (special_cases, mean_estimation, rounding_down)


COVERS = {
    "mean_estimation": (
        "natural-dithering",
        "randomised-mean",
        "rotated-quantisation",
        "stochastic-binary",
        "variable-length-coding",
    ),
    "rounding_down": ("natural-compression",),
    "special_cases": ("atomo",),
}


@final
@dataclass(frozen=True)
class UncappedAtomo(FaultyCompressor):
    """p_j = s |x_j| / ||x||_1 without the cap: what should be kept for sure is scaled down."""

    right: Atomo

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        s = self.right.budget
        assert isinstance(s, int)
        level = x.abs().sum(-1, keepdim=True) / s
        taken = draws.uniform(x.shape[-1], torch.float64) < x.abs() / level
        none = torch.zeros_like(taken)
        one, other = entries_of(none), entries_of(taken)
        signs = other.pick((x < 0).to(torch.int64))
        return (
            level, one.count, one.positions, one.pick(x), other.count, other.positions, signs,
        )  # fmt: skip


@final
@dataclass(frozen=True)
class PrintedNatural(FaultyCompressor):
    """Natural compression with p = 2^(ceil - floor) / 2^ceil = 2^-floor, as printed (E9)."""

    right: NaturalCompression

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        mantissa, exponent = torch.frexp(x)
        down = torch.ldexp(torch.ones_like(x), 1 - exponent)
        uniforms = draws.uniform(x.shape[-1], x.dtype)
        up = (uniforms >= down) & (mantissa.abs() != 0.5)
        power = torch.ldexp(torch.sign(x) * 0.5, exponent) * (1 + up.to(x.dtype))
        return (rounding.exponents(power, torch.zeros_like(power)),)


@wrong_encoding("centre counted twice", Centred(0.25, optimal=False), check=EXACT)
def off_centre(own: Centred, x: Tensor, draws: Draws) -> Symbols:
    """mu is added again

    Randomised mean that divides by p without keeping the centre's share.
    """
    centre, count, positions, values = own.encode(x, draws)
    return centre, count, positions, torch.where(values != 0, values + centre, values)


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "ATOMO without a cap", UncappedAtomo(Atomo(2)), "probabilities above 1", EXACT
    ),
    OperatorMutant(
        "printed natural compression",
        PrintedNatural(NaturalCompression()),
        "natural compression with p(t) as printed (E9)",
        EXACT,
    ),
)  # fmt: skip
