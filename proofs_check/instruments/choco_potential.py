"""The potential in which CHOCO-Gossip contracts. (Koloskova, Stich, Jaggi 2019, Theorem 2.)"""

from __future__ import annotations

from torch import Tensor

from algorithms.methods.gossip.choco import ChocoState


def potential(state: ChocoState) -> Tensor:
    """sum_i ||x_i - xbar||^2 + ||x_i - xhat_i||^2 of states ``[..., n, d]``, shape ``[...]``."""
    apart = (state.x - state.x.mean(-2, keepdim=True)).square()
    return (apart + (state.x - state.public).square()).sum((-2, -1))
