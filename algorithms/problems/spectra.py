"""Spectra and offsets from which quadratics with exact constants are made."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.problems.base import require_int, require_number


def log_spaced(d: int, L: float, mu: float) -> Tensor:
    """d eigenvalues from L down to mu, evenly spaced in logarithm, both ends exact.

    Raises:
        ValueError: d < 1, mu <= 0, mu > L, or d = 1 with mu != L.
    """
    require_int("d", d, 1)
    require_number("L", L, strict=True)
    require_number("mu", mu, strict=True)
    if mu > L or (d == 1 and mu != L):
        wanted = "equal L for a single eigenvalue" if d == 1 else "be at most L"
        raise ValueError(f"mu must {wanted}, got mu={mu} with L={L}")
    a = torch.logspace(math.log10(L), math.log10(mu), d, dtype=torch.float64)
    a[0], a[-1] = L, mu
    return a


def offsets(n: int, active: Tensor, zeta2: float, seed: int) -> Tensor:
    """c ``[n, d]``: mean 0, mean squared norm zeta2, zero where the Hessian is.

    Raises:
        ValueError: zeta2 > 0 with n = 1.
    """
    require_int("n", n, 1)
    require_number("zeta2", zeta2)
    if n == 1 and zeta2 > 0:
        raise ValueError(f"zeta2 must be 0 for a single worker, got zeta2={zeta2} with n=1")
    draws = Key.seed(seed).fold("offsets").draws(torch.tensor(0), torch.arange(n))
    c = draws.normal(active.numel(), torch.float64) * active
    c = c - c.mean(0)
    norm = c.square().sum(-1).mean().sqrt()
    return c * (math.sqrt(zeta2) / norm) if zeta2 > 0 else torch.zeros_like(c)
