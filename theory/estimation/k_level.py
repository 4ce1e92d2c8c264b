r"""k-level quantisation of a mean.

Suresh et al. 2017 (arXiv:1611.00429), Theorem 2: k equal levels from the row's smallest value on,
over a span of at least its range, rounding at random to a neighbour; with the span
:math:`\sqrt2\|x\|` the mean is off by at most :math:`\frac{d}{2n(k-1)^2}\frac1n\sum\|x_i\|^2`.

Derived here, as a coordinate varies by at most a quarter of its squared cell and one on a level not
at all: :math:`\omega = \frac{d-1}{2(k-1)^2}` for the span :math:`\sqrt2\|x\|` (attained for every
k), :math:`\frac{d-2}{2(k-1)^2}` for the range itself (attained for even k).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.theorem import MeanEstimation


@final
@dataclass(frozen=True)
class KLevelEstimation(MeanEstimation):
    """See the file's docstring. ``by_norm``: the span is sqrt(2) ||x||, not max - min.

    Attributes:
        k: number of levels.

    Raises:
        ValueError: k < 2.
    """

    k: int = 16
    by_norm: bool = False

    name = "k_level"
    title = "Mean estimation with k levels a row"
    source = Source("Suresh et al.", 2017, "1611.00429", "Theorem 2; constants derived")
    confidence = Confidence.DERIVED
    statement = r"E\|\bar Y - \bar x\|^2 \le \frac{d-1}{2n(k-1)^2} \frac1n \sum_i \|x_i\|^2"

    def __post_init__(self) -> None:
        if self.k < 2:
            raise ValueError(f"k must be at least 2 levels, got k={self.k}")

    def omega(self, d: int) -> float:
        exact = 1 if self.by_norm else 2  # coordinates that lie on a level
        return max(d - exact, 0) / (2 * (self.k - 1) ** 2)

    def bits(self, d: int, float_bits: int = 32) -> float:
        return float(d * (self.k - 1).bit_length() + 2 * float_bits)


k_level = KLevelEstimation()
