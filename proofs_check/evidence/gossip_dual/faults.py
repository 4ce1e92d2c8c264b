"""Dual and primal-dual gossip with one fault each: signs, momentum, polynomials, linear terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.methods.base import RunContext
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding, SlidingState
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated, FistaState
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD, MSPDState
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.parts.dual_ascent import DualState
from algorithms.methods.parts.over_laplacian import multiplier
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.topologies.laplacian import Laplacian, Multiply
from proofs_check.evidence.gossip_dual.closed_forms import (
    conjugates,
    fista_modes,
    msda_modes,
    mspd_inner,
    mspd_recursion,
    polynomial,
    ssda_modes,
)
from proofs_check.evidence.gossip_dual.closed_forms_nonsmooth import (
    sliding_inner,
    sliding_recursion,
    ssda_cone,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.mutants.method_mutant import MethodMutant, fault


@final
@dataclass(frozen=True, eq=False)
class WithoutMomentum(FaultyMethod):
    """x_{t+1} = y_{t+1}: gradient ascent on the dual."""

    right: SSDA | MSDA

    def step(self, state: DualState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        return after._replace(x=after.y)


@final
@dataclass(frozen=True, eq=False)
class WithoutDualMomentum(FaultyMethod):
    """Dual accelerated whose duals are not extrapolated: gradient ascent on the dual."""

    right: DualAccelerated

    def step(self, state: FistaState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        return after._replace(dual=after.dual._replace(x=after.dual.y))


@final
@dataclass(frozen=True, eq=False)
class MomentumOfThePrimal(FaultyMethod):
    """mu from kappa_l alone, as if the network were complete."""

    right: SSDA

    def step(self, state: DualState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        root = self.right.local.kappa**0.5
        return after._replace(x=after.y + (root - 1) / (root + 1) * (after.y - state.y))


@final
@dataclass(frozen=True, eq=False)
class WrongSign(FaultyMethod):
    """The Laplacian's sign is that of A - D: duals go up the gradient."""

    right: SSDA

    def step(self, state: DualState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        y = 2 * state.x - after.y
        return after._replace(y=y, x=y + self.right.momentum * (y - state.y))


@final
@dataclass(frozen=True, eq=False)
class MixingInsteadOfLaplacian(FaultyMethod):
    """Duals move along the averaged models I - W, not along W: their sum drifts."""

    right: SSDA

    def step(self, state: DualState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        heard = self.right.local.alpha * after.theta - (state.x - after.y)
        y = state.x - heard
        return after._replace(y=y, x=y + self.right.momentum * (y - state.y))


@final
@dataclass(frozen=True, eq=False)
class FistaWithoutCurvature(FaultyMethod):
    """alpha_{k+1}^2 = (1 - alpha_{k+1}) alpha_k^2 where the dual is strongly concave."""

    right: DualAccelerated

    def step(self, state: FistaState, t: int, context: RunContext) -> Any:
        flat = DualAccelerated(self.right.topology, self.right.local, strong=False)
        if t == 0:
            state = flat.init(context.problem.start(), context)
        return flat.step(state, t, context)


@final
@dataclass(frozen=True)
class NoLinearTerm:
    """argmin of h_i alone: the dual is left out of the local problem."""

    local: LocalModel

    def argmin(
        self, problem: Problem, y: Tensor, centre: Tensor, workers: Tensor, start: Tensor
    ) -> Tensor:
        """As :meth:`LocalModel.argmin` without its linear term."""
        return self.local.argmin(problem, torch.zeros_like(y), centre, workers, start)


@final
@dataclass(frozen=True)
class MinusLinearTerm:
    """argmin of h_i + <y, x>: the dual's sign turned.

    Attributes:
        local: the genuine local model h_i.
    """

    local: LocalModel

    def argmin(
        self, problem: Problem, y: Tensor, centre: Tensor, workers: Tensor, start: Tensor
    ) -> Tensor:
        """As :meth:`LocalModel.argmin` with the linear term's sign turned."""
        return self.local.argmin(problem, -y, centre, workers, start)


def single_coefficient(x: Tensor, multiply: Multiply, gamma: float, degree: int) -> Tensor:
    """x_{k+1} = c_2 x_k (I - c_3 W) - x_{k-1}: Chebyshev's recurrence without its factor 2."""
    c2, c3 = (1 + gamma) / (1 - gamma) if gamma < 1 else 1.0, 2 / (1 + gamma)
    before, z, a_before, a = x, c2 * (x - c3 * multiply(x, 0)), 1.0, c2
    for k in range(1, degree):
        before, z = z, c2 * (z - c3 * multiply(z, k)) - before
        a_before, a = a, c2 * a - a_before
    return x - z / a


def powers_of_the_shifted(x: Tensor, multiply: Multiply, gamma: float, degree: int) -> Tensor:
    """x - (I - c_3 W)^K x: K plain rounds where Chebyshev's polynomial is meant."""
    z = x
    for k in range(degree):
        z = z - 2 / (1 + gamma) * multiply(z, k)
    return x - z


@final
@dataclass(frozen=True, eq=False)
class PlainRounds(FaultyMethod):
    """MSDA with K plain rounds of gossip instead of Chebyshev's."""

    right: MSDA

    def step(self, state: DualState, t: int, context: RunContext) -> Any:
        after, w = self.right.step(state, t, context), Laplacian(self.right.topology)
        multiply = multiplier(w, t, context)
        heard = powers_of_the_shifted(after.theta, multiply, w.gamma, w.degree)
        y = state.x - self.right.dual_step * heard
        return after._replace(y=y, x=y + self.right.momentum * (y - state.y))


@final
@dataclass(frozen=True, eq=False)
class WithoutExtrapolation(FaultyMethod):
    """MSPD exchanging x_k instead of 2 x_k - x_{k-1} (Arrow and Hurwicz)."""

    right: MSPD

    def step(self, state: MSPDState, t: int, context: RunContext) -> Any:
        return self.right.step(state._replace(before=state.x), t, context)


@final
@dataclass(frozen=True, eq=False)
class CountedFromOne(FaultyMethod):
    """MSPD's inner weights (m+1)/(m+3) and 2/(m+3): m counted from 1."""

    right: MSPD

    def step(self, state: MSPDState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        m = t % self.right.period
        origin = state.x if m == 0 else state.inner
        pulled = (after.inner - m / (m + 2) * origin) * (m + 2) / 2
        inner = (m + 1) / (m + 3) * origin + 2 / (m + 3) * pulled
        return after._replace(inner=inner)


@final
@dataclass(frozen=True, eq=False)
class OldPull(FaultyMethod):
    """Sliding with the neighbours' duals of the round before."""

    right: CommunicationSliding

    def step(self, state: SlidingState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        i = t % self.right.period + 1
        k = t // self.right.period + 1
        scale = self.right.rule.eta(k) * (1 + self.right.rule.beta(k, i))
        u = after.u + (after.pull - state.pull) / scale
        last = i == self.right.period
        return after._replace(u=u, x=u if last else after.x, mean=u if last else after.mean)


@final
@dataclass(frozen=True, eq=False)
class PlainMean(FaultyMethod):
    """Sliding whose inner mean weighs all iterates alike."""

    right: CommunicationSliding

    def step(self, state: SlidingState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        i = t % self.right.period + 1
        mean = after.u if i == 1 else state.mean + (after.u - state.mean) / i
        return after._replace(mean=mean)


@final
@dataclass(frozen=True, eq=False)
class HearsEverybody(FaultyMethod):
    """Models are pulled to the mean of all workers', which no message to neighbours brings."""

    right: SSDA

    def step(self, state: DualState, t: int, context: RunContext) -> Any:
        after = self.right.step(state, t, context)
        mean = context.network.mean_over_workers(after.theta)[..., None, :]
        return after._replace(theta=0.5 * (after.theta + mean))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault("SSDA without momentum", "x_{t+1} = y_{t+1}", ssda_modes, WithoutMomentum),
    fault(
        "SSDA with the primal's momentum", "mu from kappa_l, not kappa_l/gamma",
        ssda_modes, MomentumOfThePrimal,
    ),
    fault("SSDA up the gradient", "the Laplacian with the wrong sign", ssda_modes, WrongSign),
    fault(
        "SSDA mixing with I - W", "averaging weights where a Laplacian belongs",
        ssda_modes, MixingInsteadOfLaplacian,
    ),
    fault(
        "SSDA peeking at the mean", "an observer's mean enters the models",
        ssda_cone, HearsEverybody,
    ),
    fault("MSDA without momentum", "x_{t+1} = y_{t+1}", msda_modes, WithoutMomentum),
    fault("MSDA with plain rounds", "(I - c_3 W)^K instead of T_K", msda_modes, PlainRounds),
    fault(
        "Chebyshev without its 2", "x_{k+1} = c_2 x_k (I - c_3 W) - x_{k-1}, a_k likewise",
        polynomial, single_coefficient,
    ),
    fault(
        "plain powers for Chebyshev", "(I - c_3 W)^K instead of T_K",
        polynomial, powers_of_the_shifted,
    ),
    fault(
        "FISTA blind to curvature", "q = 0 in the sequence of a strongly concave dual",
        fista_modes, FistaWithoutCurvature,
    ),
    fault(
        "conjugate without its linear term", "argmin f_i instead of argmin f_i - <y, .>",
        conjugates, NoLinearTerm,
    ),
    fault("conjugate of the wrong sign", "argmin f_i + <y, .>", conjugates, MinusLinearTerm),
    fault(
        "MSPD without extrapolation", "x_k is exchanged, not 2 x_k - x_{k-1}",
        mspd_recursion, WithoutExtrapolation,
    ),
    fault(
        "MSPD counting inner steps from 1", "(m+1)/(m+3) and 2/(m+3)",
        mspd_inner, CountedFromOne,
    ),
    fault(
        "sliding with old duals", "w_i from the neighbours' y of the round before",
        sliding_recursion, OldPull,
    ),
    fault("sliding with a plain mean", "weights 1 instead of lambda_i", sliding_inner, PlainMean),
)  # fmt: skip
