"""Static exponential graph: worker i hears from i + 1, i + 2, i + 4, ... (mod n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.topologies.base import PushTopology, StaticTopology, need_workers
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks import spectra


@final
@dataclass(frozen=True)
class StaticExponential(StaticTopology, PushTopology):
    r"""Directed circulant of Ying, Yuan, Chen, Hu, Pan, Yin 2021, arXiv:2110.13363.

    $W = \frac{1}{1+\tau} (I + \sum_{j<\tau} P^{2^j})$, $\tau = \lceil \log_2 n \rceil$, with the
    cyclic shift $(Px)_i = x_{i+1 \bmod n}$: doubly stochastic and normal, not symmetric.

    Raises:
        ValueError: n < 1.
    """

    n: int

    def __post_init__(self) -> None:
        need_workers(self.n)

    @property
    def name(self) -> str:
        return f"static exponential(n={self.n})"

    def stated_lam(self) -> float | None:
        odd = self.n > 1 and self.n % 2
        return None if odd else spectra.static_exponential(self.n)

    def build(self) -> Floats:
        hops = (self.n - 1).bit_length()
        workers = np.arange(self.n)
        w = np.eye(self.n)
        for j in range(hops):
            w[workers, (workers + (1 << j)) % self.n] += 1.0
        return w / (1.0 + hops)


def of_workers(n: int, weights: Weights) -> tuple[StaticExponential, ...]:
    """The one of n workers, for the gallery; its weights are its own."""
    return (StaticExponential(n),)
