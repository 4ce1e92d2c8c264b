r"""Stochastic binary quantisation of a mean.

Suresh et al. 2017 (arXiv:1611.00429), Lemma 2: a coordinate becomes the row's largest value with
probability :math:`(x_j - m)/(M - m)`, else its smallest. The error of the mean of n messages is
:math:`\frac1{n^2}\sum_i\sum_j (M_i - x_{ij})(x_{ij} - m_i) \le \frac{d}{2n}\frac1n\sum\|x_i\|^2`.

Derived here: :math:`\omega = \frac{d-2}2` (0 for d <= 2) and no less, attained at
:math:`(1, -1, 0, \dots, 0)`. With a, -b the ends and :math:`z_j` the others,
:math:`\omega\|x\|^2 - \sum_j (a - z_j)(z_j + b) = \frac12\sum_j (a - b - z_j)^2 + (d-1) z_j^2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.theorem import MeanEstimation


@final
@dataclass(frozen=True)
class StochasticBinary(MeanEstimation):
    """See the file's docstring for the statement."""

    name = "stochastic_binary"
    title = "Mean estimation with two levels a row"
    source = Source("Suresh et al.", 2017, "1611.00429", "Lemma 2, Theorem 1; constant derived")
    confidence = Confidence.DERIVED
    statement = r"E\|\bar Y - \bar x\|^2 \le \frac{d-2}{2n} \frac1n \sum_i \|x_i\|^2"

    def omega(self, d: int) -> float:
        return max(d - 2, 0) / 2

    def bits(self, d: int, float_bits: int = 32) -> float:
        return float(d + 2 * float_bits)


stochastic_binary = StochasticBinary()
