"""One-peer exponential graph: at step t worker i hears from i + 2^(t mod log2 n) only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.topologies.base import Periodic, PushTopology, Topology, checked
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks import spectra


@final
@dataclass(frozen=True)
class OnePeerExponential(Periodic, Topology, PushTopology):
    r"""Ying, Yuan, Chen, Hu, Pan, Yin 2021, arXiv:2110.13363.

    $W_t = \frac12 (I + P^{2^{t \bmod \tau}})$, $\tau = \log_2 n$, $(Px)_i = x_{i+1 \bmod n}$. One
    message per worker and step, and $\tau$ steps average exactly: the product is J. A
    single step contracts nothing in the worst case; ``constants`` speaks of whole periods.

    Raises:
        ValueError: n < 1, or not a power of two.
    """

    n: int

    def __post_init__(self) -> None:
        spectra.log2_exact(self.n)

    @property
    def name(self) -> str:
        return f"one-peer exponential(n={self.n})"

    @property
    def period(self) -> int:
        return max(1, spectra.log2_exact(self.n))

    def build_period(self) -> tuple[Floats, ...]:
        eye = np.eye(self.n)
        return checked([(eye + np.roll(eye, 1 << j, axis=1)) / 2.0 for j in range(self.period)])

    def stated_lam(self) -> float:
        return 0.0


def of_workers(n: int, weights: Weights) -> tuple[OnePeerExponential, ...]:
    """The one of n workers, for the gallery; none where n is no power of two."""
    return (OnePeerExponential(n),) if n & (n - 1) == 0 else ()
