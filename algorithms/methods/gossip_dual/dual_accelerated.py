"""Dual accelerated gradients with the sequence of FISTA (Uribe et al.)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
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


class FistaState(NamedTuple):
    r"""The duals and models of :class:`DualState`, and alpha_k ``[]`` (float64).

    Attributes:
        dual: duals and models, each ``[..., m, d]``.
        alpha: \alpha_k, a number (float64).
    """

    dual: DualState
    alpha: Tensor


@final
@dataclass(frozen=True)
class DualAccelerated(DualAscent[FistaState]):
    r"""z_i^{k+1} = \tilde z_i^k - \frac{\mu}{\lambda_1(W)} \sum_j W_{ij} x_j^*(\tilde z_j^k),
    \tilde z^{k+1} = z^{k+1} + \beta_k (z^{k+1} - z^k), x_i^*(z) = \arg\max_x <z, x> - f_i(x).

    \alpha_{k+1}^2 = (1 - \alpha_{k+1}) \alpha_k^2 + q \alpha_{k+1}, \beta_k = \alpha_k (1 -
    \alpha_k)/(\alpha_k^2 + \alpha_{k+1}), where q = \gamma/\kappa_l is the dual's inverse condition
    number, q = 0 where it is not strongly concave (f_i not smooth: ``strong`` is False); \alpha_0
    solves \alpha^2 = 1 - \alpha + q \alpha. (Uribe, Lee, Gasnikov, Nedic 2018, arXiv:1809.00710,
    the algorithms for strongly convex f_i.) For the other classes the paper adds a small quadratic;
    here see :class:`LocalModel`.
    """

    kind = "dual accelerated"
    strong: bool = True

    @property
    def q(self) -> float:
        """Inverse condition number of the dual that the sequence counts on."""
        return self.laplacian.gamma / self.local.kappa if self.strong else 0.0

    def init(self, x0: Tensor, context: RunContext) -> FistaState:
        return FistaState(dual_start(x0, self.topology, context), _number(following(1.0, self.q)))

    def step(self, state: FistaState, t: int, context: RunContext) -> FistaState:
        dual = minimised(state.dual, self.local, t, context)
        restarts = self.local.moves_at(t)
        alpha = following(1.0, self.q) if restarts else float(state.alpha)
        ahead = following(alpha, self.q)
        beta = alpha * (1 - alpha) / (alpha**2 + ahead)
        incoming = multiplier(self.laplacian, t, context)(dual.theta, 0)
        return FistaState(ascended(dual, self.local.alpha * incoming, beta), _number(ahead))

    def models(self, state: FistaState) -> Tensor:
        return state.dual.theta


def following(alpha: float, q: float) -> float:
    r"""The root in (0, 1) of a^2 = (1 - a) \alpha^2 + q a (1 if q = \alpha = 1)."""
    b = alpha**2 - q
    return (math.sqrt(b * b + 4 * alpha**2) - b) / 2


def _number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
