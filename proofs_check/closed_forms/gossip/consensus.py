"""Consensus from normal starts: the problem whose gossip is followed mode by mode."""

from __future__ import annotations

import torch

from algorithms.problems.quadratic import Quadratic


def consensus_problem(n: int, d: int, seed: int) -> Quadratic:
    """f_i(x) = ||x - b_i||^2 / 2 with standard normal b_i: gossip starts from b_i."""
    generator = torch.Generator().manual_seed(seed)
    b = torch.randn((n, d), generator=generator, dtype=torch.float64)
    return Quadratic.from_arrays(torch.ones_like(b), b)
