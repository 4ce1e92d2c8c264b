"""One setting that states everything, shared by the tests of the theorems."""

from __future__ import annotations

import numpy as np

from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem

FULL = Constants(
    n=4, d=10, L=2.0, mu=0.5, sigma2=5.0, zeta2=0.0, G2=7.0, initial_gap=3.0, R2=6.0, lam=0.6,
    beta=1.2, omega=3.0, delta=0.25, H=5, tau=3, convex=True, initial_potential=0.0,
    alpha=0.01, delta_up=0.5, delta_down=0.3, absolute_error=0.0, L_one=9.0, sigma_one=0.0,
    symmetric_noise=True, lead=2, lipschitz=3.0, diameter=2.0,
)  # fmt: skip


def at(theorem: Theorem, c: Constants, step: Stepsize, t: float) -> float:
    return float(theorem.bound(c, step, np.array([t]))[0])


def top_one(z: np.ndarray) -> np.ndarray:
    """The largest entry of every row."""
    out = np.zeros_like(z)
    rows = np.arange(len(z)), np.abs(z).argmax(-1)
    out[rows] = z[rows]
    return out
