"""Compressed gradients, error feedback and EF21: one step of each as a programme.

The operator is any that keeps |C(u) - u|^2 <= eps |u|^2, eps = 1 - delta, at every use (Berg
Thomsen, Taylor, Dieuleveut 2025, arXiv:2506.05271, with their closed forms for one worker).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from proofs_check.worst_case.functions import SampledPoint, Smooth
from proofs_check.worst_case.gram import Expression, Vector, total
from proofs_check.worst_case.lyapunov import LyapunovSearch
from proofs_check.worst_case.operators import contracted
from proofs_check.worst_case.programme import Programme, WorstCase


@final
@dataclass(frozen=True)
class FeedbackOptimum:
    """The best stepsize of error feedback and of EF21, and the factor per step at it.

    Attributes:
        eta: the stepsize.
        rate: the factor.
    """

    eta: float
    rate: float


def feedback_optimum(eps: float, mu: float, L: float) -> FeedbackOptimum:
    """The closed form (arXiv:2506.05271, Theorems 1 and 2).

    Raises:
        ValueError: eps outside [0, 1), or mu outside (0, L).
    """
    if not 0 <= eps < 1 or not 0 < mu < L:
        raise ValueError(f"eps must lie in [0, 1), mu in (0, L), got {eps}, {mu}, {L}")
    s = math.sqrt(eps)
    eta = 2 / (L + mu) * (1 - s) / (1 + s)
    root = math.sqrt((L - mu) ** 2 + 16 * L * mu * s / (1 + s) ** 2)
    m = eta / (L + mu) * ((1 - s) * (L - mu) + (1 + s) * root)
    return FeedbackOptimum(eta, s + (1 + s) * (L - mu) * m / 4)


def compressed_optimum(eps: float, mu: float, L: float) -> FeedbackOptimum:
    """Of compressed gradients of one worker: f - f* falls by the factor (the same, Theorem 3)."""
    s = math.sqrt(eps)
    high, low = (1 + s) * L, (1 - s) * mu
    return FeedbackOptimum(2 / (low + high), ((high - low) / (high + low)) ** 2)


def error_feedback(eps: float, mu: float, L: float, eta: float) -> LyapunovSearch:
    """x+ = x - c, c = C(e + eta g), e+ = e + eta g - c, with the state (x - x*, e)."""
    p = Programme()
    x, e, g = p.vector(), p.vector(), p.vector()
    f = p.value()
    p.function(Smooth(L, mu), [_origin(p), SampledPoint(x, g, f)])
    u = e + eta * g
    c = contracted(p, u, eps)
    return LyapunovSearch(p, [x, e], [x - c, u - c])


def ef21(eps: float, mu: float, L: float, eta: float) -> LyapunovSearch:
    """x+ = x - eta d, d+ = d + C(g+ - d), with the state (d, g)."""
    p = Programme()
    x, d, g, g_next = p.vector(), p.vector(), p.vector(), p.vector()
    moved = x - eta * d
    p.function(
        Smooth(L, mu),
        [_origin(p), SampledPoint(x, g, p.value()), SampledPoint(moved, g_next, p.value())],
    )
    return LyapunovSearch(p, [d, g], [d + contracted(p, g_next - d, eps), g_next])


def compressed_descent(eps: float, mu: float, L: float, eta: float) -> WorstCase:
    """The largest f(x+) - f* where f(x) - f* <= 1, of x+ = x - eta C(g)."""
    p = Programme()
    x, g = p.vector(), p.vector()
    before, after = p.value(), p.value()
    moved = x - eta * contracted(p, g, eps)
    p.at_most(before, 1.0)
    p.function(
        Smooth(L, mu),
        [_origin(p), SampledPoint(x, g, before), SampledPoint(moved, p.vector(), after)],
    )
    return p.largest(after)


def ef21_workers(eps: float, mu: Sequence[float], L: Sequence[float], eta: float) -> WorstCase:
    r"""One step of EF21 with workers, worst factor of V = (s/n) |sum g_i|^2 + (1/n) sum_i (S/s_i)
    |g_i - d_i|^2, s_i = L_i + mu_i, S = sum s_i, s = sqrt eps (for n workers: 2026)."""
    p, n, s = Programme(), len(mu), math.sqrt(eps)
    sums = [a + b for a, b in zip(mu, L, strict=True)]
    x, d = p.vector(), [p.vector() for _ in mu]
    moved = x - (eta / n) * _sum(d)
    at_star = [p.vector() for _ in mu[1:]]
    at_star.append(-_sum(at_star) if at_star else p.zero())
    old, new = [p.vector() for _ in mu], [p.vector() for _ in mu]
    for k in range(n):
        p.function(Smooth(L[k], mu[k]), [
            SampledPoint(p.zero(), at_star[k], p.value()), SampledPoint(x, old[k], p.value()),
            SampledPoint(moved, new[k], p.value()),
        ])  # fmt: skip

    def potential(g: list[Vector], d: list[Vector]) -> Expression:
        own = [(sum(sums) / one / n) * (u - v).square
               for one, u, v in zip(sums, g, d, strict=True)]  # fmt: skip
        return (s / n) * _sum(g).square + total(own)

    p.at_most(potential(old, d), 1.0)
    sent = [u + contracted(p, v - u, eps) for u, v in zip(d, new, strict=True)]
    return p.largest(potential(new, sent))


def feedback_workers(eps: float, mu: Sequence[float], L: Sequence[float], eta: float) -> WorstCase:
    r"""One step of error feedback, all f_i minimal at one x*, worst factor of V = n |x - x*|^2 - 2
    <x - x*, sum e_i> + sum |e_i|^2 + |sum e_i|^2/(n s), s = sqrt eps (for n workers: 2026)."""
    p, n, s = Programme(), len(mu), math.sqrt(eps)
    x, e = p.vector(), [p.vector() for _ in mu]

    def potential(x: Vector, e: list[Vector]) -> Expression:
        own = total([one.square for one in e])
        return n * x.square - 2 * (x @ _sum(e)) + own + _sum(e).square / (n * s)

    p.at_most(potential(x, e), 1.0)
    sent, kept = [], []
    for k in range(n):
        g = p.vector()
        p.function(Smooth(L[k], mu[k]), [_origin(p), SampledPoint(x, g, p.value())])
        u = e[k] + eta * g
        sent.append(contracted(p, u, eps))
        kept.append(u - sent[k])
    return p.largest(potential(x - _sum(sent) / n, kept))


def _origin(p: Programme) -> SampledPoint:
    """The minimum of a function of its own: at 0, of value 0."""
    return SampledPoint(p.zero(), p.zero(), 0.0 * p.value())


def _sum(given: Sequence[Vector]) -> Vector:
    return sum(given[1:], given[0])
