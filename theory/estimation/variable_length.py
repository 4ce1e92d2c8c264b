r"""k = sqrt(d) + 1 levels with a code of variable length.

Suresh et al. 2017 (arXiv:1611.00429), Theorem 4: levels over :math:`\sqrt2\|x\|` written by
arithmetic coding of their histogram take :math:`d (2 + \log_2(\frac{(k-1)^2}{2d} + \frac54))` bits
up to terms that grow slower than d. With :math:`k = \lfloor\sqrt d\rfloor + 1` that is O(d), and
the error O(1/n); no scheme does better than :math:`\Theta(\min(1, d/c))` for c bits in all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.estimation.k_level import KLevelEstimation
from theory.theorem import MeanEstimation


@final
@dataclass(frozen=True)
class VariableLengthEstimation(MeanEstimation):
    """See the file's docstring for the statement."""

    name = "variable_length"
    title = "Mean estimation with sqrt(d) + 1 levels in a variable-length code"
    source = Source("Suresh et al.", 2017, "1611.00429", "Theorem 4; constant derived")
    confidence = Confidence.DERIVED
    statement = r"E\|\bar Y - \bar x\|^2 \le \frac{d-1}{2n(k-1)^2} \frac1n \sum_i \|x_i\|^2"

    def levels(self, d: int) -> int:
        """k = floor(sqrt d) + 1."""
        return math.isqrt(d) + 1

    def omega(self, d: int) -> float:
        return KLevelEstimation(self.levels(d), by_norm=True).omega(d)

    def bits(self, d: int, float_bits: int = 32) -> float:
        """The leading term and two floats."""
        cells = (self.levels(d) - 1) ** 2
        return d * (2 + math.log2(cells / (2 * d) + 1.25)) + 2 * float_bits


variable_length = VariableLengthEstimation()
