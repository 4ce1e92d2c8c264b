r"""Randomised mean estimation: accuracy against communication.

Konecny and Richtarik 2016 (arXiv:1611.07555): coordinate j of row i is sent with probability
:math:`p_{ij}` as :math:`\mu_i + (x_{ij} - \mu_i)/p_{ij}`, else read as :math:`\mu_i`. Exactly

.. math:: E\|\bar Y - \bar x\|^2 = \frac1{n^2}\sum_{ij}\left(\frac1{p_{ij}} - 1\right)
   (x_{ij} - \mu_i)^2.

For a budget :math:`\sum_j p_{ij} \le B` the best are :math:`p_{ij} = \min(1, |x_{ij} - \mu_i|/
\sqrt\theta)` (water-filling). Both with p = B/d and with the best p,
:math:`\omega = \frac dB - 1` for :math:`\mu_i = 0`, attained at equal coordinates; with the mean
of the row as its centre it is no larger, the squares being least there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.bits import index_bits
from theory.claims import Confidence, Source
from theory.theorem import MeanEstimation


@final
@dataclass(frozen=True)
class RandomisedMean(MeanEstimation):
    """See the file's docstring. ``share`` = B/d is the mean probability.

    Raises:
        ValueError: share outside (0, 1].
    """

    share: float = 0.25

    name = "randomised_mean"
    title = "Mean estimation by random coordinates around a centre"
    source = Source("Konecny, Richtarik", 2016, "1611.07555", "exact error")
    confidence = Confidence.DERIVED
    statement = (
        r"E\|\bar Y - \bar x\|^2 = \frac1{n^2} \sum_{ij} (1/p_{ij} - 1)(x_{ij} - \mu_i)^2 \le "
        r"\frac{d/B - 1}{n} \frac1n \sum_i \|x_i\|^2"
    )

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"share must lie in (0, 1], got share={self.share}")

    def omega(self, d: int) -> float:
        return 1 / self.share - 1

    def bits(self, d: int, float_bits: int = 32) -> float:
        """Mean length: B values with their positions, and the centre."""
        return self.share * d * (float_bits + index_bits(d)) + float_bits


randomised_mean = RandomisedMean()
