"""MSDA: SSDA with Chebyshev-accelerated gossip between two local minimisations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.gossip_dual.ssda import nesterov_momentum
from algorithms.methods.parts.dual_ascent import (
    DualAscent,
    DualState,
    ascended,
    dual_start,
    minimised,
)
from algorithms.methods.parts.over_laplacian import multiplier
from algorithms.topologies.laplacian import accelerated_gossip, shrinkage


@final
@dataclass(frozen=True)
class MSDA(DualAscent[DualState]):
    r"""\theta_i = \nabla f_i^*(x_i), y^{t+1} = x^t - \eta P_K(W) \theta, x^{t+1} = y^{t+1} + \mu
    (y^{t+1} - y^t).

    With c = c_1^K, c_1 = (1 - \sqrt\gamma)/(1 + \sqrt\gamma), K = \lfloor 1/\sqrt\gamma \rfloor:
    \eta = \alpha (1 + c^2)/(1 + c)^2 and \mu = ((1 + c)\sqrt{\kappa_l} - 1 + c)/((1 + c)
    \sqrt{\kappa_l} + 1 - c). (Scaman et al. 2017, arXiv:1702.08704, Algorithm 3.) One local
    minimisation and K rounds of messages a step, by which the gap no longer slows the dual.
    Where f_i is not strongly convex it works on surrogates: see :class:`LocalModel`.
    """

    kind = "MSDA"

    @property
    def momentum(self) -> float:
        """mu, the factor of the extrapolation of the duals."""
        c = shrinkage(self.laplacian.gamma, self.laplacian.degree)
        return nesterov_momentum(self.local.kappa * ((1 + c) / (1 - c)) ** 2)

    @property
    def dual_step(self) -> float:
        """eta of the update [f / x^2]."""
        c = shrinkage(self.laplacian.gamma, self.laplacian.degree)
        return self.local.alpha * (1 + c**2) / (1 + c) ** 2

    def init(self, x0: Tensor, context: RunContext) -> DualState:
        return dual_start(x0, self.topology, context)

    def step(self, state: DualState, t: int, context: RunContext) -> DualState:
        state, w = minimised(state, self.local, t, context), self.laplacian
        incoming = accelerated_gossip(state.theta, multiplier(w, t, context), w.gamma, w.degree)
        return ascended(state, self.dual_step * incoming, self.momentum)

    def models(self, state: DualState) -> Tensor:
        return state.theta
