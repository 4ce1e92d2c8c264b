r"""ATOMO: the best unbiased sparsification of an atomic decomposition.

Wang et al. 2018 (arXiv:1806.04090): :math:`x = \sum_i l_i a_i` with orthonormal atoms;
atom i is kept with probability :math:`p_i` and scaled by :math:`1/p_i`. The least
:math:`\sum l_i^2/p_i` for :math:`\sum p_i \le s` is at :math:`p_i = \min(1, |l_i|/\sqrt\theta)`;
where none reaches 1, :math:`E\|\hat x\|^2 = \|l\|_1^2/s`. :math:`s = \|l\|_1/\|l\|_2` is QSGD with
one level, :math:`s = \|l\|_1/\|l\|_\infty` TernGrad.

With d atoms :math:`\omega = \frac ds - 1`: no worse than equal probabilities, and equal to them at
equal :math:`|l_i|`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.bits import index_bits
from theory.claims import Confidence, Source
from theory.theorem import MeanEstimation


@final
@dataclass(frozen=True)
class AtomicSparsification(MeanEstimation):
    """See the file's docstring. ``budget`` = s atoms in the mean.

    Raises:
        ValueError: budget not positive; from :meth:`omega`, more atoms than d.
    """

    budget: float = 1.0

    name = "atomic_sparsification"
    title = "Mean estimation by atomic sparsification"
    source = Source("Wang et al.", 2018, "1806.04090", "constant derived")
    confidence = Confidence.DERIVED
    statement = r"E\|\hat x\|^2 = \|l\|_1^2/s, \quad \omega \le d/s - 1"

    def __post_init__(self) -> None:
        if not self.budget > 0:
            raise ValueError(f"budget must be positive, got budget={self.budget}")

    def omega(self, d: int) -> float:
        """omega = d/s - 1, the bound for rows of d numbers.

        Raises:
            ValueError: the budget s is larger than d.
        """
        if self.budget > d:
            raise ValueError(f"budget must be at most d, got budget={self.budget} with d={d}")
        return d / self.budget - 1

    def bits(self, d: int, float_bits: int = 32) -> float:
        """Mean length, s (32 + log d)."""
        return self.budget * (float_bits + index_bits(d))


atomic_sparsification = AtomicSparsification()
