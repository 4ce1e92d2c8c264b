"""Closed forms of signs, one bit and thresholds; faults of those, of low precision and votes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.dorefa import DoReFa
from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.compressors.strom import Strom
from algorithms.compressors.three_lc import ThreeLC
from algorithms.core.key import Draws, Key
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.compressors.check import EXACT, MONTE_CARLO, WORST_CASE
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.evidence.auxiliary.error_feedback import sent_and_kept, virtual_iterate
from proofs_check.evidence.sparsification.closed_forms import draws_of
from proofs_check.instruments.closed_forms import ClosedForms, at_most, same
from proofs_check.instruments.erratum import Shown, demonstrates, erratum
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.methods.faulty.methods import ForgetfulFeedback
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    fault,
    wrong_encoding,
)
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

# EF-signSGD: nothing is lost. Counterexample 2 is beside plain signs, in ``signsgd``.


def ef_signsgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of EF-signSGD is SGD."""
    return (virtual_iterate("ef-signsgd", ErrorFeedback(), ScaledSign()),)


# 1-bit SGD: the residual adds up, and decoded gradients are averaged (E5, E6).


@demonstrates("E5", "one-bit-sgd", "100 gradients of 1: sent and kept add up to 100")
def e5() -> Shown:
    """Columns of (1, 0.4, -0.2): what one bit leaves out comes later, or never."""
    g = torch.tensor([1.0, 0.4, -0.2], dtype=torch.float64)
    right, wrong = (
        float(sent_and_kept(memory, OneBit(), g, 100)[-1].sum(0)[0])
        for memory in (ErrorFeedback(), ForgetfulFeedback())
    )
    return (right, 100.0), (wrong, 100.0), "printed: delta = G - Q^-1(Q(G + delta))"


@demonstrates("E6", "one-bit-sgd", "the server's step along the first coordinate")
def e6() -> Shown:
    """Signs and means of (4, -1) and (-2, 6) averaged decode to (5, 5); the mean is (1, 2.5)."""
    g = torch.tensor([[4.0, -1.0], [-2.0, 6.0]], dtype=torch.float64)
    flat, origin = torch.zeros_like(g), torch.zeros(2, dtype=torch.float64)
    problem = Quadratic(name="linear", a=flat, c=-g, x_star=origin, x0=origin)
    moved = -models(BSP(ConstantStep(1.0), OneBit()), problem, 1)[-1, 0]
    draws = Key.seed(0).draws(torch.tensor(0), torch.arange(1))
    codes = OneBit().encode(g, Key.seed(0).draws(torch.tensor(0), torch.arange(2)))
    means, negative = (code.double().mean(0, keepdim=True) for code in codes)
    printed = OneBit().decode((means, negative.round().to(torch.uint8)), 2, g.dtype, draws)
    return (
        (float(moved[0]), float(g[:, 0].mean())),
        (float(printed[0, 0]), float(g[:, 0].mean())),
        f"the average of what was encoded decodes to {printed[0].tolist()}",
    )


# Plain signs: where they go wrong, and what error feedback repairs.
#
# Karimireddy et al. 2019 (arXiv:1901.09847), counterexamples 1 and 2.


_DRAWS = Key.seed(0).draws(torch.tensor(0), torch.arange(1))


def sent_for(operator: Compressor, *values: float) -> Tensor:
    """Message of ``operator`` for a row with the given values."""
    return operator.compress(torch.tensor([values], dtype=torch.float64), _DRAWS)[0]


def drift(operator: Compressor) -> Fraction:
    """E C(g) for g = 4 with probability 1/4, else -1."""
    up, down = (Fraction(float(sent_for(operator, g)[0])) for g in (4.0, -1.0))
    return Fraction(1, 4) * up + Fraction(3, 4) * down


_SIGNSGD_FORMS = ClosedForms("signsgd")


@_SIGNSGD_FORMS.case(
    "closed form", "Karimireddy et al. 2019, counterexample 1", on="x/4 on [-1, 1]"
)
def first_counterexample() -> Verdict:
    """Signs climb: f = x/4, E g = 1/4, but E sign(g) = -1/2: f rises by gamma/8 a step on
    average."""
    return same(
        "E sign(g) = -1/2 where E g = 1/4, so E f rises by gamma/8 a step",
        [float(drift(Sign())), -0.25 * float(drift(Sign()))], [-0.5, 0.125],
    )  # fmt: skip


def second_path(operator: Compressor, memory: Memory[Tensor], steps: int) -> Tensor:
    """x_0 + x_1 along f = eps |x_0 + x_1| + |x_0 - x_1| from (1, 1), gamma = 0.1, eps = 0.5."""
    eps, gamma = 0.5, 0.1
    x = torch.ones((1, 1, 2), dtype=torch.float64)
    state = memory.init(x.shape, x.dtype, x.device)
    sums = [float(x.sum())]
    for _ in range(steps):
        total, gap = x.sum(-1, keepdim=True), x[..., :1] - x[..., 1:]
        side = torch.where(gap < 0, -1.0, 1.0)  # a subgradient of |.| at 0 is 1
        g = eps * total.sign() + torch.cat((side, -side), -1)
        step = gamma * g if memory.holds_steps else g
        wanted = memory.before(state, step)
        sent = operator.compress(wanted, _DRAWS)
        state = memory.after(state, Round(step, wanted, sent, sent))
        x = x - (sent if memory.holds_steps else gamma * sent)
        sums.append(float(x.sum()))
    return torch.tensor(sums, dtype=torch.float64)


def second_counterexample(memory: Memory[Tensor] | None = None) -> tuple[Verdict, ...]:
    """Signs never move along (1, 1), so the minimum is out of reach; error feedback gets there."""
    stuck = second_path(Sign(), NoMemory(), 60)
    freed = second_path(ScaledSign(), memory or ErrorFeedback(), 200)
    left = float(freed[-20:].abs().mean())
    return (
        identity(
            "signsgd", "x_0 + x_1 = 2 for ever", stuck, 2.0, check="closed form",
            problem="eps|x_0+x_1| + |x_0-x_1|", provenance="counterexample 2, 60 steps",
        ),
        Verdict(
            subject="ef-signsgd", problem="eps|x_0+x_1| + |x_0-x_1|", check="closed form",
            claim="error feedback leaves the line: |x_0 + x_1| ends below 0.5",
            outcome=Outcome.SUPPORTED if left < 0.5 else Outcome.REFUTED, statistic=left, bound=0.5,
            resolution=0.0,
            evidence=f"mean of the last 20 of 200 steps {left:.4g}, from 2", provenance="gamma 0.1",
        ),
    )  # fmt: skip


@_SIGNSGD_FORMS.case("closed form", "gamma 0.3, deterministic", on="x^2/2")
def limit_cycle() -> Verdict:
    """A limit cycle: f = x^2/2 from 1 with gamma = 0.3: 1, .7, .4, .1, -.2, .1, -.2, ..."""
    one = torch.ones((1, 1), dtype=torch.float64)
    problem = Quadratic(name="parabola", a=one, c=0 * one, x_star=0 * one[0], x0=one[0])
    path = models(BSP(ConstantStep(0.3), Sign()), problem, 7).reshape(-1)
    return same(
        "x_t = 1, .7, .4, .1, -.2, .1, -.2, .1", path, [1.0, 0.7, 0.4, 0.1, -0.2, 0.1, -0.2, 0.1]
    )


def signsgd() -> tuple[Verdict, ...]:
    """Two counterexamples, the second with error feedback beside it, and a limit cycle."""
    return (first_counterexample(), *second_counterexample(), limit_cycle())


# How often a majority of signs errs (Bernstein et al. 2018, arXiv:1802.04434).


def vote_error(n: int, q: Fraction) -> Fraction:
    """Probability that the vote of n workers is wrong when each is with probability q, exactly."""
    wrong = Fraction(0)
    for pattern in itertools.product((1.0, -1.0), repeat=n):
        votes = torch.stack([sent_for(Sign(), vote) for vote in pattern]).mean(0)
        if float(sent_for(Sign(), float(votes))[0]) < 0:
            missed = sum(vote < 0 for vote in pattern)
            wrong += q**missed * (1 - q) ** (n - missed)
    return wrong


def majority() -> tuple[Verdict, ...]:
    """Error rate of the majority, a binomial tail: 0.104 for three workers that are wrong one time
    in five, 0.01958144 for nine."""
    q, verdicts = Fraction(1, 5), []
    for n, stated in ((3, 0.104), (9, 0.01958144)):
        tail = sum(comb(n, k) * q**k * (1 - q) ** (n - k) for k in range((n + 1) // 2, n + 1))
        verdicts.append(
            identity(
                "signsgd-majority",
                f"{n} workers err with probability {stated} for q = 1/5",
                [float(vote_error(n, q)), float(tail)],
                stated,
                check="closed form",
                provenance="all patterns of votes through sign up and sign down; binomial tail",
            )
        )
    return tuple(verdicts)


# Strom's threshold: its residual, and what the survey prints of it (erratum E28).


_STROM_THRESHOLD_FORMS = ClosedForms("strom-threshold")


@_STROM_THRESHOLD_FORMS.case(
    "residual",
    "uniform gradients in [-tau, tau], seed 3; proof in compressors/strom.py",
    on="bounded gradients",
)
def bounded_residual(tau: float = 0.5) -> Verdict:
    """Strom with error feedback: while |g| <= tau, no residual exceeds tau."""
    key = Key.seed(3).fold("strom")
    rows = key.draws(torch.arange(400), torch.arange(4)).uniform(50, torch.float64)
    residual = torch.zeros_like(rows[0])
    worst = 0.0
    for g in (2 * rows - 1) * tau:
        wanted = residual + g
        residual = wanted - Strom(tau).compress(wanted, _DRAWS)
        worst = max(worst, float(residual.abs().max()))
    return at_most(
        "|g| <= tau keeps every residual within tau", worst, tau,
        f"largest residual {worst:.6g} over 400 steps of 4 x 50 coordinates",
    )  # fmt: skip


def e28() -> Verdict:
    """Strom at tau = 5: (-8) must send -5; "less than T becomes 0" sends nothing."""
    x = torch.tensor([[-8.0, 3.0, 8.0]], dtype=torch.float64)
    right = Strom(5.0).compress(x, draws_of(1, "none"))[0]
    printed = torch.where(x < 5.0, 0.0, 5.0)[0]
    return erratum(
        "E28", "strom-threshold", "-tau is sent of what lies below -tau; printed, it becomes 0",
        (float(right[0]), -5.0), (float(printed[0]), -5.0),
    )  # fmt: skip


def strom_threshold() -> tuple[Verdict, ...]:
    """The residual, and what is sent below -tau."""
    return (bounded_residual(), e28())


@final
@dataclass(frozen=True)
class UnditheredDoReFa(FaultyCompressor):
    """DoReFa without its noise: rounds to the nearest and claims to be unbiased."""

    right: DoReFa

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale = x.abs().amax(-1, keepdim=True)
        top = (1 << self.right.k) - 1
        place = torch.where(scale > 0, (x / scale + 1) / 2 * top, top / 2)
        return scale, (place + 0.5).floor().clamp(0, top).to(torch.uint8)


@final
@dataclass(frozen=True)
class ThreeValuedSign(FaultyCompressor):
    """Scaled sign with sgn(0) = 0, which no one-bit symbol can say."""

    right: ScaledSign

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, negative = self.right.encode(x, draws)
        return scale, torch.where(x == 0, 2, negative)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, code = symbols
        return torch.where(code == 2, 0, torch.where(code == 1, -scale, scale))


@wrong_encoding("sign without scale", ScaledSign(), check=MONTE_CARLO)
def forgotten_scale(own: ScaledSign, x: Tensor, draws: Draws) -> Symbols:
    """the scale is not sent

    Scaled sign that sends 1 for its scale.
    """
    scale, negative = own.encode(x, draws)
    return torch.ones_like(scale), negative


@wrong_encoding("1-bit with one mean", OneBit(), check=WORST_CASE)
def one_mean(own: OneBit, x: Tensor, draws: Draws) -> Symbols:
    """one mean for both signs"""
    means, negative = own.encode(x, draws)
    return x.mean(-1, keepdim=True).expand(means.shape), negative


@wrong_encoding("3LC with another multiplier", ThreeLC(1.0), check=WORST_CASE)
def sparse_three_l_c(own: ThreeLC, x: Tensor, draws: Draws) -> Symbols:
    """s = 1.9 posing as s = 1"""
    return ThreeLC(1.9).encode(x, draws)


CLOSED_FORMS = (ef_signsgd, signsgd, majority, strom_threshold)


DEMONSTRATIONS = (("E28", strom_threshold),)


COVERS = {"majority": ("signsgd-majority",), "signsgd": ("ef-signsgd",)}


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "DoReFa without noise", UnditheredDoReFa(DoReFa(2)), "rounds to the nearest", EXACT
    ),
    OperatorMutant(
        "three-valued sign", ThreeValuedSign(ScaledSign()), "sgn(0) = 0 in one bit", LENGTHS
    ),
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "scaled sign without memory", "error feedback left out",
        second_counterexample, NoMemory(),
    ),
)  # fmt: skip
