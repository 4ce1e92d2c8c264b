r"""DCD-PSGD's growth for two workers, ECD-PSGD's estimates in closed form."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

COVERS = ("dcd-psgd", "ecd-psgd")

s, v, omega = sp.symbols("s v omega", positive=True)
ESTIMATE = sp.Rational(2, 3) * (2 * s - 3) / ((s - 1) * (s - 2)) * v
GROWTH = omega / 2


def two_workers(claimed: Any) -> DerivationStep:
    """W = J, models a and -a: z_i = C(-x_i), x_i+ = x_i + z_i is the error alone."""
    a, e, f = sp.symbols("a e f", real=True)
    apart = sp.expand((e - (e + f) / 2) ** 2 + (f - (e + f) / 2) ** 2)
    moments = {(2, 0): omega * a**2, (0, 2): omega * a**2}
    mean = sum(k * moments.get(powers, 0) for powers, k in sp.Poly(apart, e, f).terms())
    return equality("two workers: E||.||^2 times omega/2", mean / (2 * a**2), claimed)


def recursion(claimed: Any) -> tuple[DerivationStep, ...]:
    """e^{s+1} = (1 - 2/s)^2 e^s + (2/s)^2 v, e^3 = v."""
    after = (1 - 2 / s) ** 2 * claimed + (2 / s) ** 2 * v
    return (
        equality("one step of the estimate", after, claimed.subs(s, s + 1)),
        equality("its start", claimed.subs(s, 3), v),
        equality("its tail: s e^s -> 4v/3", sp.limit(s * claimed, s, sp.oo), 4 * v / 3),
    )


def prove(estimate: Any = ESTIMATE, growth: Any = GROWTH) -> Verdict:
    r"""E15 and E||\tilde x^s - x^s||^2 = ``estimate``; v is the second moment of one message."""
    return settled(
        "difference_compression",
        f"DCD-PSGD multiplies the disagreement of two workers by {growth}; ECD-PSGD's estimate of "
        f"x^s is off by {estimate}",
        "Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Algorithms 1 and 2; derived",
        two_workers(growth),
        *recursion(estimate),
    )
