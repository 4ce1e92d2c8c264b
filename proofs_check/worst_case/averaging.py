"""Averaging matrices of a given spectrum, for any number of agents that are all alike.

One symmetric W with W 1 = 1 and its other eigenvalues in [lo, hi]; the conditions are necessary for
every such W (Colla, Hendrickx 2023, IEEE Transactions on Automatic Control 68, arXiv:2103.14396,
Theorem 1 and Section IV), so that what they allow is a bound from above.
"""

from __future__ import annotations

from typing import final

from proofs_check.worst_case.gram import DEVIATION, Vector
from proofs_check.worst_case.programme import Programme


@final
class AnyAveraging:
    """Y = W X for one W, whichever has its spectrum in a range.

    ``pose`` asks the programme for what is true of all the averages that were taken.

    Raises:
        ValueError: the range does not lie in [-1, 1].
    """

    def __init__(self, programme: Programme, lo: float, hi: float) -> None:
        if not -1 <= lo <= hi <= 1:
            raise ValueError(f"a spectral range must lie in [-1, 1], got [{lo}, {hi}]")
        self._programme, self._lo, self._hi = programme, lo, hi
        self._taken: list[tuple[Vector, Vector]] = []

    def __call__(self, x: Vector) -> Vector:
        """W x: the mean stays, the deviation is a new one (or lo times that, where lo = hi)."""
        off = x.part(DEVIATION)
        if self._lo == self._hi:
            return x - off + self._lo * off
        new = self._programme.vector(DEVIATION)
        self._taken.append((off, new))
        return x - off + new

    def pose(self) -> None:
        """Ask for W to be symmetric and its spectrum to lie in the range."""
        taken = self._taken
        for k, (x, y) in enumerate(taken):
            for u, v in taken[:k]:
                self._programme.equate(x @ v - u @ y)
        if taken:
            self._programme.negative(
                [[(y - self._lo * x) @ (v - self._hi * u) for u, v in taken] for x, y in taken]
            )
