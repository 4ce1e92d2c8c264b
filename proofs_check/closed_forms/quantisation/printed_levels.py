"""Levels and lengths of quantisers as the survey prints them: E8, E9, E10, E27, T10."""

from __future__ import annotations

import math
from fractions import Fraction

import torch

from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.ternary import UnitTernary
from algorithms.core.key import Key
from proofs_check.closed_forms.erratum import erratum
from proofs_check.instruments.exact import exact_law
from proofs_check.verdict import Verdict
from theory import bits

COVERS = ("natural-compression", "natural-dithering", "qsgd", "terngrad")

_V = (3, -4, 0, 12)


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


CLOSED_FORMS = (e8, e9, e10, e27, t10)
DEMONSTRATIONS = (("E8", e8), ("E9", e9), ("E10", e10), ("E27", e27), ("T10", t10))
