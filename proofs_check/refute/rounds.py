"""Networks that change from round to round, within the gap that a theorem is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.topologies.base import Periodic, StaticTopology, Topology, checked, product
from theory.arrays import Floats
from theory.constants import Constants, Kind, Statement
from theory.networks.mixing import spectrum


class RoundReading(Enum):
    """Which lam a theorem means where matrices W_t change."""

    WORST = "the largest of all rounds"
    BEST = "that of the round that mixes most"
    PERIOD = "that of the product over a period, taken for each round's"


@final
@dataclass(frozen=True, eq=False)
class RoundSequence(Periodic, Topology):
    """Doubly stochastic matrices in turn, whose lam is told as the theorem reads it.

    Attributes:
        matrices: W_0, ..., W_{p-1}.
        word: their order, in letters.
        reading: which lam the constants state.

    Raises:
        MixingError: see :func:`theory.networks.mixing.check_sequence`.
    """

    matrices: tuple[ArrayLike, ...]
    word: str
    reading: RoundReading = RoundReading.WORST

    @property
    def n(self) -> int:
        """Number of workers that mix."""
        return len(np.asarray(self.matrices[0]))

    @property
    def period(self) -> int:
        return len(self.matrices)

    @property
    def name(self) -> str:
        return f"rounds {self.word}(n={self.n})"

    def build_period(self) -> tuple[Floats, ...]:
        return checked(tuple(np.asarray(w, dtype=np.float64) for w in self.matrices))

    def constants(self) -> Constants:
        """n, lam and beta of all rounds; every matrix is symmetric."""
        every = [spectrum(self.matrix(t)) for t in range(self.period)]
        told = {
            RoundReading.WORST: max(one.lam for one in every),
            RoundReading.BEST: min(one.lam for one in every),
            RoundReading.PERIOD: spectrum(product(self)).lam,
        }[self.reading]
        known = Statement(Kind.UPPER, "every step", self.reading.value)
        symmetric = all(np.allclose(w, w.T, rtol=0, atol=1e-15) for w in self.build_period())
        return Constants(n=self.n).state(
            known, lam=told, lam_n=min(one.lam_n for one in every),
            beta=max(one.beta for one in every), symmetric=symmetric,
        )  # fmt: skip

    def each_step(self) -> Constants:
        return self.constants()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RoundSequence) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[bytes, str, RoundReading]:
        return np.asarray(self.matrices).tobytes(), self.word, self.reading


_LONG = 31
WORDS = ("ab", "aaab", "a" * _LONG + "b", "wwwj", "w" * _LONG + "j", "awbw")
"""Orders: a and b mix pairs, other ones each, and all a little; w mixes all a little; j at once."""

ROUNDS_AT = tuple(
    (1 + (k + 0.5) / len(WORDS)) / 2 for k, word in enumerate(WORDS) if len(word) > _LONG
)
"""Numbers that mean the longest orders."""


def in_rounds(number: float, given: StaticTopology, reading: RoundReading) -> Topology:
    """``given`` itself for numbers up to a half; above, rounds that mix all as much as it or more.

    Where W leaves lam of what lies apart, a is lam M + (1 - lam) J for the averaging M over a
    matching, b the same with another matching, w is lam I + (1 - lam) J and j is J: none leaves
    more than lam.
    """
    if number <= 0.5 or given.n < 2:
        return given
    word = WORDS[min(int((2 * number - 1) * len(WORDS)), len(WORDS) - 1)]
    lam, n = spectrum(given.matrix(0)).lam, given.n
    mean = np.ones((n, n)) / n
    parts = {"a": _matching(n, 0), "b": _matching(n, 1), "w": np.eye(n), "j": mean}
    rounds = tuple(lam * parts[one] + (1 - lam) * mean for one in word)
    return RoundSequence(rounds, word, reading)


def _matching(n: int, which: int) -> Floats:
    """The mean of each pair; of 0 and 1, 2 and 3, ..., or of 0 and 2, 1 and 3 for four workers, 1
    and 2, 3 and 4, ... for others."""
    if which == 0:
        pairs = [(k, k + 1) for k in range(0, n - 1, 2)]
    else:
        pairs = [(0, 2), (1, 3)] if n == 4 else [(k, k + 1) for k in range(1, n - 1, 2)]
    w = np.eye(n)
    for i, j in pairs:
        w[np.ix_((i, j), (i, j))] = 0.5
    return w
