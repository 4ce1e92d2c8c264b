"""Closed forms: atomo, mean estimation, natural compression, printed levels, qsgd, terngrad."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import torch

from algorithms.compressors.atomo import AtomBudget, Atomo
from algorithms.compressors.base import Compressor
from algorithms.compressors.centred import Centred
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.ternary import UnitTernary
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.variable_length import VariableLength
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.transforms.clipping import ClipEntries
from proofs_check.evidence.auxiliary.closed_forms_error_feedback import virtual_iterate
from proofs_check.evidence.variance_reduced.closed_forms import diana_step, played, problem, stalls
from proofs_check.instruments.erratum import erratum
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.exact import exact_law
from proofs_check.instruments.statistics import TEST_ERROR, bound_test
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Outcome, Verdict
from theory import bits
from theory.claims import VarianceBound
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex

# ATOMO with the budgets l1/l2 and l1/linf is QSGD of one level and TernGrad.
#
# Reference vectors 247 - 169 and 228 - 169.


_V = (3, -4, 0, 12)


def special_cases() -> tuple[Verdict, ...]:
    """The same laws, and the same outcomes from the same draws."""
    verdicts = []
    key = Key.seed(0).fold("atomo")
    x = key.draws(torch.arange(50), torch.arange(4)).normal(30, torch.float64)
    draws = key.fold("compress").draws(torch.arange(50), torch.arange(4))
    for budget, same, second in (
        (AtomBudget.QSGD, QSGD(1), 247),
        (AtomBudget.TERNGRAD, TernGrad(), 228),
    ):
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


def rounding_down() -> tuple[Verdict, ...]:
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
            check="probability of rounding down",
            provenance=f"seed {seed}",
            note=f"as printed p = {printed[0]:g}, so E = {4 - 2 * printed[0]:g}; "
            f"at t = 0.3 printed p = {printed[1]:g} > 1",
        ),
    )


# Levels and lengths of quantisers as the survey prints them: E8, E9, E10, E27, T10.


def e8() -> tuple[Verdict, ...]:
    """Without the level 0 a coordinate below ||v||/s is sent as ||v||/s at least."""
    s, norm = 2, 13
    law = exact_law(QSGD(s), _V)
    return (
        erratum(
            "E8", "qsgd", "E C(v)_1 = 3 for v = (3, -4, 0, 12), s = 2",
            (float(law.mean[0]), 3.0), (norm / s, 3.0), "printed: 0 < l < s leaves l = 1 alone",
        ),
    )  # fmt: skip


def e9() -> tuple[Verdict, ...]:
    """p = 2^-floor rounds 2.5 down every other time, so that its mean is 3."""
    law = exact_law(NaturalCompression(), (Fraction(5, 2),))
    down = 2.0 ** -math.floor(math.log2(2.5))
    return (
        erratum(
            "E9", "natural-compression", "E C(2.5) = 2.5, by the whole law",
            (float(law.mean[0]), 2.5), (2 * down + 4 * (1 - down), 2.5),
            f"at 0.3 the printed p is {2.0 ** -math.floor(math.log2(0.3)):g}",
        ),
    )  # fmt: skip


def e10() -> tuple[Verdict, ...]:
    """s = 3: levels of three vectors with rational norms are 0, 1/4, 1/2 and 1 of it."""
    levels = {
        abs(end) / norm
        for a, b, norm in ((3, 4, 5), (5, 12, 13), (9, 40, 41))
        for cell in NaturalDithering(3).exact_cells((Fraction(a), Fraction(b)))
        for end in cell
    }
    return (
        erratum(
            "E10", "natural-dithering", "the largest level, over the norm, is 1",
            (float(max(levels)), 1.0), (2 ** (3 - 1) / 3, 1.0),
            f"levels {', '.join(map(str, sorted(levels)))}; printed 1/3, 2/3, 4/3",
        ),
    )  # fmt: skip


def e27() -> tuple[Verdict, ...]:
    """One level and Elias's code: a row of 10^5 normal entries in 800 times fewer bits."""
    d = 100_000
    key, operator = Key.seed(0).fold("e27"), EliasQSGD(1)
    x, draws = (key.fold(use).draws(torch.tensor(0), torch.arange(1)) for use in ("x", "send"))
    sent = operator.compress(x.normal(d, torch.float64), draws)
    used = float(operator.stated_lengths(sent, 32).most.sum())
    bound = bits.qsgd_elias(10**6, 1)
    return (
        erratum(
            "E27", "qsgd", "32 d over the bound of Theorem 3.2, d = 10^6, s = 1",
            (round(32e6 / bound, 4), 1641.1972), (32.0, 32e6 / bound),
            f"a row of {d} entries was sent in {used:.0f} bits, {32 * d / used:.0f} times fewer",
        ),
    )  # fmt: skip


def t10() -> tuple[Verdict, ...]:
    """Sums of n ternaries take all 2 n + 1 values."""
    n, replicas = 3, 2000
    draws = Key.seed(0).draws(torch.arange(replicas), torch.arange(n))
    x = torch.tensor([0.5, -0.5, 1.0], dtype=torch.float64).expand(replicas, n, 3)
    found = set(UnitTernary().compress(x, draws).sum(-2)[..., :2].flatten().tolist())
    return (
        erratum(
            "T10", "terngrad", "bits of a sum of 3 ternaries: log2 of the values that occur",
            (math.log2(len(found)), math.log2(2 * n + 1)), (math.log2(3), math.log2(len(found))),
            f"{len(found)} values; n = 64: {math.log2(2 * 64 + 1):.2f} bits",
        ),
    )  # fmt: skip


# QSGD: its virtual iterate, its floor without shifts, and the survey's misprints E17 and E18.


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
    trace = played(lambda step: BSP(step, QSGD(2)), gamma, 4000)
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


CLOSED_FORMS = (
    special_cases,
    mean_estimation,
    rounding_down,
    e8,
    e9,
    e10,
    e27,
    t10,
    qsgd,
    e17,
    e18,
    terngrad,
)

DEMONSTRATIONS = (
    ("E8", e8),
    ("E9", e9),
    ("E10", e10),
    ("E27", e27),
    ("T10", t10),
    ("E17", e17),
    ("E18", e18),
)

COVERS = {
    "e10": (
        "natural-compression",
        "natural-dithering",
        "qsgd",
        "terngrad",
    ),
    "e17": ("qsgd",),
    "e18": ("qsgd",),
    "e27": (
        "natural-compression",
        "natural-dithering",
        "qsgd",
        "terngrad",
    ),
    "e8": (
        "natural-compression",
        "natural-dithering",
        "qsgd",
        "terngrad",
    ),
    "e9": (
        "natural-compression",
        "natural-dithering",
        "qsgd",
        "terngrad",
    ),
    "mean_estimation": (
        "natural-dithering",
        "randomised-mean",
        "rotated-quantisation",
        "stochastic-binary",
        "variable-length-coding",
    ),
    "rounding_down": ("natural-compression",),
    "special_cases": ("atomo",),
    "t10": (
        "natural-compression",
        "natural-dithering",
        "qsgd",
        "terngrad",
    ),
}
