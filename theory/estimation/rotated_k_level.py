r"""k levels after a random rotation.

Suresh et al. 2017 (arXiv:1611.00429), Theorem 3: :math:`z = \frac1{\sqrt d} H D x` with random
signs D and the Hadamard matrix H, d a power of two, is quantised to k levels over its own range and
rotated back: :math:`\omega = \frac{2\ln d + 2}{(k-1)^2}`, in expectation over D as well. A rotation
keeps squares, so the constant of k levels without it holds for every D too; the smaller is given.
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
class RotatedKLevel(MeanEstimation):
    """See the file's docstring for the statement.

    Attributes:
        k: number of levels.

    Raises:
        ValueError: k < 2.
    """

    k: int = 16

    name = "rotated_k_level"
    title = "Mean estimation with k levels after a random rotation"
    source = Source("Suresh et al.", 2017, "1611.00429", "Theorem 3")
    confidence = Confidence.CERTAIN
    statement = r"E\|\bar Y - \bar x\|^2 \le \frac{2\ln d + 2}{n(k-1)^2} \frac1n \sum_i \|x_i\|^2"

    def __post_init__(self) -> None:
        KLevelEstimation(self.k)

    def omega(self, d: int) -> float:
        rotated = (2 * math.log(d) + 2) / (self.k - 1) ** 2
        return min(rotated, KLevelEstimation(self.k).omega(d))

    def bits(self, d: int, float_bits: int = 32) -> float:
        return KLevelEstimation(self.k).bits(d, float_bits)


rotated_k_level = RotatedKLevel()
