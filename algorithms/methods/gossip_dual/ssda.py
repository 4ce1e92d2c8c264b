"""SSDA: Nesterov's accelerated gradient on the dual of the consensus problem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.parts.dual_ascent import (
    DualAscent,
    DualState,
    ascended,
    dual_start,
    minimised,
)
from algorithms.methods.parts.over_laplacian import multiplier


@final
@dataclass(frozen=True)
class SSDA(DualAscent[DualState]):
    r"""\theta_i = \nabla f_i^*(x_i), y^{t+1} = x^t - \eta W \theta, x^{t+1} = y^{t+1} + \mu
    (y^{t+1} - y^t).

    \eta = \alpha/\lambda_1(W), \mu = (\sqrt{\kappa_l} - \sqrt\gamma)/(\sqrt{\kappa_l} +
    \sqrt\gamma), y_0 = x_0 = 0; W the graph's Laplacian with \lambda_1 = 1. (Scaman, Bach, Bubeck,
    Lee, Massoulie 2017, arXiv:1702.08704, Algorithm 2.) One local minimisation and one round of
    messages a step. Where f_i is not strongly convex it works on surrogates: see
    :class:`LocalModel`.
    """

    kind = "SSDA"

    @property
    def momentum(self) -> float:
        """mu, the factor of the extrapolation of the duals."""
        return nesterov_momentum(self.local.kappa / self.laplacian.gamma)

    def init(self, x0: Tensor, context: RunContext) -> DualState:
        return dual_start(x0, self.topology, context)

    def step(self, state: DualState, t: int, context: RunContext) -> DualState:
        state = minimised(state, self.local, t, context)
        incoming = multiplier(self.laplacian, t, context)(state.theta, 0)
        return ascended(state, self.local.alpha * incoming, self.momentum)

    def models(self, state: DualState) -> Tensor:
        return state.theta


def nesterov_momentum(condition: float) -> float:
    r"""(\sqrt{q} - 1) / (\sqrt{q} + 1) for a condition number q >= 1."""
    root = math.sqrt(condition)
    return (root - 1) / (root + 1)
