"""Table 2 of survey 000: communication rounds of periodic averaging, and whether speedup is linear.

The formulas are lost in the survey's text as it is at hand; these are those of the papers it cites,
as powers of the steps T and the workers n at which the error still falls like that of mini-batch
SGD.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, final

from theory.claims import Confidence, Source


@final
class Rounds(NamedTuple):
    """One line: rounds T^steps n^workers / K^period; ``speedup`` and ``condition`` as printed.

    ``key`` is the row's. ``speedup`` None: the survey says nothing.

    Attributes:
        source: the paper behind the line.
        confidence: how surely the statement is known.
    """

    key: str
    source: Source
    steps: Fraction
    workers: Fraction
    speedup: bool | None
    condition: str = ""
    period: Fraction = Fraction(0)
    confidence: Confidence = Confidence.CERTAIN

    def __call__(self, T: float, n: float, K: float = 1.0) -> float:
        """Rounds of T steps with n workers (every K steps, where that is free).

        Raises:
            ValueError: T, n or K below 1.
        """
        if min(T, n, K) < 1:
            raise ValueError(f"T, n and K must be at least 1, got T={T}, n={n}, K={K}")
        return float(T**self.steps * n**self.workers / K**self.period)

    @property
    def exponents(self) -> tuple[float, float]:
        """Powers of T and n in the number of rounds."""
        return float(self.steps), float(self.workers)

    def longest_period(self, T: float, n: float) -> float:
        """Local steps between two rounds at most, T over the rounds.

        Raises:
            ValueError: T or n below 1.
        """
        return T / self(T, n)


_QUARTER = Fraction(1, 4)
_THIRD = Fraction(1, 3)

TABLE_2: tuple[Rounds, ...] = (
    Rounds(
        "bsp-sgd", Source("Dekel et al.", 2012, "1012.1367"), Fraction(1), Fraction(0), True
    ),
    Rounds(
        "one-shot-averaging", Source("Zinkevich et al.", 2010, "", "NIPS"),
        Fraction(0), Fraction(0), None,
    ),
    Rounds(
        "k-avg", Source("Zhou, Cong", 2018, "1708.01012"),
        Fraction(1), Fraction(0), None, period=Fraction(1),
    ),
    Rounds(
        "pr-sgd", Source("Yu, Yang, Zhu", 2018, "1807.06629"),
        3 * _QUARTER, 3 * _QUARTER, True, "a condition on T and n, lost",
    ),
    Rounds(
        "local-sgd", Source("Stich", 2018, "1805.09767"), 2 * _QUARTER, 2 * _QUARTER, True
    ),
    Rounds(
        "ri-sgd", Source("Haddadpour et al.", 2019, "", "ICML"),
        3 * _QUARTER, 3 * _QUARTER, None, confidence=Confidence.ORDER,
    ),
    Rounds("lupa-sgd", Source("Haddadpour et al.", 2019, "1910.13598"), _THIRD, _THIRD, True),
    Rounds(
        "cocod-sgd", Source("Shen et al.", 2019, "1906.12043"),
        3 * _QUARTER, 3 * _QUARTER, True,
    ),
)  # fmt: skip
"""In the survey's order. RI-SGD: as PR-SGD, fewer with redundancy; only the order is known."""


def rounds(key: str) -> Rounds:
    """The table's line of the row ``key``.

    Raises:
        KeyError: the table has none.
    """
    return {line.key: line for line in TABLE_2}[key]
