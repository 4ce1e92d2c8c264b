"""QSGD and TernGrad: closed forms; faults in these, in dithering and in rotation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.compressors.terngrad import TernGrad
from algorithms.core.key import Draws, Key
from algorithms.engine.run import run
from algorithms.kernels import rounding, row_norms
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.clipping import ClipEntries
from proofs_check.compressors.check import EXACT, MONTE_CARLO, WORST_CASE
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.evidence.auxiliary.error_feedback import virtual_iterate
from proofs_check.evidence.variance_reduced.closed_forms import (
    diana_step,
    problem,
    simulated,
    stalls,
)
from proofs_check.instruments.closed_forms import ClosedForms, same, supported
from proofs_check.instruments.erratum import Shown, demonstrates, erratum
from proofs_check.instruments.evidence import mean_value
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.methods.faulty.methods import ForgetfulFeedback
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    wrong_encoding,
)
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex

# QSGD: its virtual iterate, its floor without shifts, and the survey's misprints E17 and E18.


@demonstrates(
    "E17",
    "qsgd",
    "omega = min(d/s^2, sqrt(d)/s) = 1/4 at d = 100, s = 20; printed min(d/s, sqrt(d)/s) "
    "is sqrt(d)/s always",
)
def e17() -> Shown:
    """QSGD's variance: min(d/s^2, sqrt(d)/s), d the dimension."""
    d, s = 100, 20
    correct, printed = min(d / s**2, math.sqrt(d) / s), min(d / s, math.sqrt(d) / s)
    claimed = max(getattr(claim, "omega", 0.0) for claim in QSGD(s).claims(d))
    return (claimed, correct), (printed, correct)


def e18() -> tuple[Verdict, ...]:
    """The noise of QSGD is (1 + omega) B: fine levels leave the gradient's own variance."""
    d, s, seed, replicas = 100, 1000, 52, 20_000
    a = torch.ones((1, d), dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), sigma2=float(d))
    method = BSP(ConstantStep(1.0), QSGD(s))
    trace = run(method, problem, steps=1, seed=seed, replicas=replicas, points=2)
    omega = min(d / s**2, math.sqrt(d) / s)
    fine = compressed_bsp_nonconvex.floors(
        Constants(n=1, L=1.0, sigma2=1.0, zeta2=0.0, omega=omega), 1.0
    )
    return (
        erratum(
            "E18",
            "qsgd",
            "the bound's floor over gamma L B at d = 100, s = 1000: 1 + omega",
            (fine[0], 1 + omega),
            (omega, 1 + omega),
        ),
        mean_value(
            "qsgd",
            "E||C(g)||^2 / B = 1 + (at most omega = 1e-4) at the minimum, d = 100, s = 1000",
            trace.model.square().sum(-1).numpy() / d,
            1.0,
            check="noise of fine levels",
            problem=problem.name,
            provenance=f"seed {seed}, {replicas} replicas",
            note=f"as printed the noise would be {min(d / s**2, math.sqrt(d) / s):g} B",
        ),
    )


def floor_of_plain_compression() -> Verdict:
    """The floor is at most 2 gamma omega zeta*^2 / (n mu)."""
    gamma = diana_step()
    method = BSP(ConstantStep(gamma), QSGD(2))
    c = method.constants(problem())
    bound = 2 * gamma * c.need("omega") * c.need("zeta2") / (c.need("n") * c.need("mu"))
    trace = simulated(lambda step: BSP(step, QSGD(2)), gamma, 4000)
    y = trace.squared_distance[:, -8:]
    return curve_under_bound(
        y, np.full(y.shape[1], bound), TEST_ERROR, subject="qsgd",
        problem="quadratic, no noise, heterogeneous", floor=1e-13,
        claim="E||x - x*||^2 ends below 2 gamma omega zeta*^2/(n mu)",
        provenance=f"derived (reference, CGD); gamma {gamma:.4g}, 4000 steps",
    )  # fmt: skip


def qsgd() -> tuple[Verdict, ...]:
    """With error feedback nothing is lost; without shifts it stalls, and where."""
    plain = "QSGD(s=2) without shifts"
    return (
        virtual_iterate("qsgd", ErrorFeedback(), QSGD(4)),
        stalls("qsgd", lambda step: BSP(step, QSGD(2)), diana_step(), 3000, plain),
        floor_of_plain_compression(),
    )


# TernGrad: clipping is biased, and localising parameters changes no iterate.


terngrad = ClosedForms("terngrad")
"""Closed forms of terngrad."""


@terngrad.case(
    "bias of clipping", "400 entries, seed 2, c = 2.5; deterministic", on="cubed gaussian gradient"
)
def clipping_is_biased() -> Verdict:
    """Bias of clipping a heavy-tailed gradient at 2.5 sigma: its mean is off."""
    draws = Key.seed(2).fold("clip").draws(torch.arange(1), torch.arange(1))
    x = draws.normal(400, torch.float64)
    x = x.sign() * x.abs() ** 3
    clipped = ClipEntries(2.5).apply(x, 1)
    off = float((clipped - x).norm() / x.norm())
    return supported(
        "clipped TernGrad is biased: ||E C(x) - x|| / ||x|| > 0.1", off > 0.1, off, 0.1,
        f"relative bias {off:.3g}: ternaries are unbiased for the clipped gradient only",
        resolution=0.0,
    )  # fmt: skip


@terngrad.case("localisation", "30 steps")
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
    return same(
        "with and without parameter localisation the iterates are the same", ends[0], ends[1],
        on=problem,
    )  # fmt: skip


CLOSED_FORMS = (qsgd, e18)

DEMONSTRATIONS = (("E18", e18),)

COVERS = {"e18": ("qsgd",)}


@final
@dataclass(frozen=True)
class UnturnedRotation(FaultyCompressor):
    """A rotation that the receiver does not invert."""

    right: Rotated

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        turned = self.right.inner.decode(symbols, symbols[-1].shape[-1], dtype, draws)
        return turned[..., :d].contiguous()


def _codes(level: Tensor, x: Tensor, width: int) -> Tensor:
    return level.to(torch.int64) | ((x < 0).to(torch.int64) << width)


@final
@dataclass(frozen=True)
class SignsAlone(FaultyCompressor):
    """Random signs without the Hadamard matrix: no coordinate is mixed with another."""

    right: Rotated

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.inner.encode(x * self._signs(x, draws), draws.fold("levels"))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        levels = self.right.inner.decode(symbols, d, dtype, draws.fold("levels"))
        return levels * self._signs(levels, draws)

    def _signs(self, x: Tensor, draws: Draws) -> Tensor:
        return (1 - 2 * draws.fold("rotation").integers(2, x.shape[-1])).to(x.dtype)


@final
@dataclass(frozen=True)
class Shuffled(FaultyCompressor):
    """Triplets of the shuffled matrix: its entries are there, its low rank is not."""

    right: SpectralAtomo

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x[..., _order(x.shape[-1])], draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, draws)[..., _order(d).argsort()]


def _order(d: int) -> Tensor:
    """Places 0 to d - 1 in an order of chance, always the same."""
    return normal_rows(1, d, "shuffled")[0].argsort()


@wrong_encoding("natural dithering at twice its scale", NaturalDithering(4), check=MONTE_CARLO)
def even_dithering(own: NaturalDithering, x: Tensor, draws: Draws) -> Symbols:
    """levels that are not normalised (E10)"""
    scale, codes = own.encode(x, draws)
    return scale * 2, codes


@wrong_encoding("Elias gaps off by one", EliasQSGD(4), check=LENGTHS)
def shifted_gaps(own: EliasQSGD, x: Tensor, draws: Draws) -> Symbols:
    """distances from 0

    Elias-coded QSGD whose distances start from 0 instead of -1: the first is one short.
    """
    scale, count, gaps, negative, level = own.encode(x, draws)
    short = gaps.clone()
    short[..., :1] = (short[..., :1] - 1).clamp_min(0)
    return scale, count, short, negative, level


@wrong_encoding("flipped QSGD", QSGD(2), check=EXACT)
def flipped_qsgd(own: QSGD, x: Tensor, draws: Draws) -> Symbols:
    """QSGD rounds up with probability 1 - p"""
    scale, s = own.scale(x), own.s
    place = torch.where(scale > 0, x.abs() / scale * s, 0)
    below = place.floor()
    uniforms = draws.uniform(x.shape[-1], x.dtype)
    level = below + ((uniforms >= place - below) & (place > below)).to(x.dtype)
    return scale, _codes(level, x, own.width)


@wrong_encoding("QSGD without zero", QSGD(4), check=EXACT)
def no_zero_qsgd(own: QSGD, x: Tensor, draws: Draws) -> Symbols:
    """QSGD with 0 < l < s as printed (E8)"""
    scale, s = own.scale(x), own.s
    place = torch.where(scale > 0, x.abs() / scale * s, 0)
    below = place.floor().clamp(1, max(1, s - 1))
    uniforms = draws.uniform(x.shape[-1], x.dtype)
    level = below + (uniforms < place - below).to(x.dtype)
    return scale, _codes(level, x, own.width)


@wrong_encoding("Euclidean TernGrad", TernGrad(), check=WORST_CASE)
def euclidean_terngrad(own: TernGrad, x: Tensor, draws: Draws) -> Symbols:
    """TernGrad scaled by the Euclidean norm"""
    scale = row_norms.norms(x)
    uniforms = draws.uniform(x.shape[-1], x.dtype)
    return scale, rounding.levels(x, scale, 1, uniforms, own.width)


@wrong_encoding("tilted TernGrad", TernGrad(), check=EXACT)
def tilted_terngrad(own: TernGrad, x: Tensor, draws: Draws) -> Symbols:
    """rounds up with probability p/0.99"""
    scale = own.scale(x)
    uniforms = 0.99 * draws.uniform(x.shape[-1], x.dtype)
    return scale, rounding.levels(x, scale, 1, uniforms, own.width)


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "rotation left in", UnturnedRotation(Rotated()), "the receiver does not turn back",
        MONTE_CARLO,
    ),
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "EF without its old residual, virtual iterate", "the same on noisy runs of four workers",
        lambda: virtual_iterate("qsgd", ForgetfulFeedback(), QSGD(4)),
        lambda: virtual_iterate("qsgd", ErrorFeedback(), QSGD(4)),
    ),
)  # fmt: skip
