"""Effects of gossip by duals, and faults: signs, momentum, polynomials, linear terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import torch
from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding, SlidingState
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated, FistaState
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD, MSPDState
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.parts.dual_ascent import DualState
from algorithms.methods.parts.over_laplacian import multiplier
from algorithms.methods.parts.sliding_rules import ConvexSliding
from algorithms.problems.absolute_data import diabetes
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.nesterov_chain import NesterovChain
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.laplacian import Laplacian, Multiply
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
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
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import EffectCheck, StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.stepsizes import InverseRootStep


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
@dataclass(frozen=True)
class NoLinearTerm:
    """argmin of h_i alone: the dual is left out of the local problem."""

    local: LocalModel

    def argmin(
        self, problem: Problem, y: Tensor, centre: Tensor, workers: Tensor, start: Tensor
    ) -> Tensor:
        """Variant of :meth:`LocalModel.argmin` without its linear term."""
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
        """Variant of :meth:`LocalModel.argmin` with the linear term's sign turned."""
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
        incoming = powers_of_the_shifted(after.theta, multiply, w.gamma, w.degree)
        y = state.x - self.right.dual_step * incoming
        return after._replace(y=y, x=y + self.right.momentum * (y - state.y))


@wrong_step("SSDA with the primal's momentum", judge=ssda_modes)
def momentum_of_the_primal(own: SSDA, state: DualState, t: int, context: RunContext) -> Any:
    """mu from kappa_l, not kappa_l/gamma"""
    after = own.step(state, t, context)
    root = own.local.kappa**0.5
    return after._replace(x=after.y + (root - 1) / (root + 1) * (after.y - state.y))


@wrong_step("SSDA up the gradient", judge=ssda_modes)
def wrong_sign(own: SSDA, state: DualState, t: int, context: RunContext) -> Any:
    """the Laplacian with the wrong sign"""
    after = own.step(state, t, context)
    y = 2 * state.x - after.y
    return after._replace(y=y, x=y + own.momentum * (y - state.y))


@wrong_step("SSDA mixing with I - W", judge=ssda_modes)
def mixing_instead_of_laplacian(own: SSDA, state: DualState, t: int, context: RunContext) -> Any:
    """averaging weights where a Laplacian belongs"""
    after = own.step(state, t, context)
    incoming = own.local.alpha * after.theta - (state.x - after.y)
    y = state.x - incoming
    return after._replace(y=y, x=y + own.momentum * (y - state.y))


@wrong_step("SSDA peeking at the mean", judge=ssda_cone)
def hears_everybody(own: SSDA, state: DualState, t: int, context: RunContext) -> Any:
    """an observer's mean enters the models"""
    after = own.step(state, t, context)
    mean = context.network.mean_over_workers(after.theta)[..., None, :]
    return after._replace(theta=0.5 * (after.theta + mean))


@wrong_step("FISTA blind to curvature", judge=fista_modes)
def fista_without_curvature(
    own: DualAccelerated, state: FistaState, t: int, context: RunContext
) -> Any:
    """q = 0 in the sequence of a strongly concave dual"""
    flat = DualAccelerated(own.topology, own.local, strong=False)
    if t == 0:
        state = flat.init(context.problem.start(), context)
    return flat.step(state, t, context)


@wrong_step("MSPD without extrapolation", judge=mspd_recursion)
def without_extrapolation(own: MSPD, state: MSPDState, t: int, context: RunContext) -> Any:
    """x_k is exchanged, not 2 x_k - x_{k-1}"""
    return own.step(state._replace(before=state.x), t, context)


@wrong_step("MSPD counting inner steps from 1", judge=mspd_inner)
def counted_from_one(own: MSPD, state: MSPDState, t: int, context: RunContext) -> Any:
    """(m+1)/(m+3) and 2/(m+3)"""
    after = own.step(state, t, context)
    m = t % own.period
    origin = state.x if m == 0 else state.inner
    pulled = (after.inner - m / (m + 2) * origin) * (m + 2) / 2
    inner = (m + 1) / (m + 3) * origin + 2 / (m + 3) * pulled
    return after._replace(inner=inner)


@wrong_step("sliding with old duals", judge=sliding_recursion)
def old_pull(own: CommunicationSliding, state: SlidingState, t: int, context: RunContext) -> Any:
    """w_i from the neighbours' y of the round before"""
    after = own.step(state, t, context)
    i = t % own.period + 1
    k = t // own.period + 1
    scale = own.rule.eta(k) * (1 + own.rule.beta(k, i))
    u = after.u + (after.pull - state.pull) / scale
    last = i == own.period
    return after._replace(u=u, x=u if last else after.x, mean=u if last else after.mean)


@wrong_step("sliding with a plain mean", judge=sliding_inner)
def plain_mean(own: CommunicationSliding, state: SlidingState, t: int, context: RunContext) -> Any:
    """weights 1 instead of lambda_i"""
    after = own.step(state, t, context)
    i = t % own.period + 1
    mean = after.u if i == 1 else state.mean + (after.u - state.mean) / i
    return after._replace(mean=mean)


_MEAN_MODEL = " of the mean model"
_ROUNDS = 128

DCS = contrast(
    "dcs", "gradients between rounds of messages save rounds",
    Setting(
        "quadratic-sc, kappa = 1000, no noise",
        partial(Quadratic.strongly_convex, mu=1e-3, sigma2=0.0, zeta2=1e-3, R2=4.0), 8,
        16 * _ROUNDS // 2, (4.0, 8.0, 12.0, 16.0, 24.0, 32.0), points=200, d=20,
        note="ring, zeta2 = 0.001, gamma of communication sliding is a scale",
    ),
    Reading("sent_bits", "distance_of_workers", budget=_ROUNDS * 2 * 20 * 32),
    method="communication sliding, 16 gradients between",
    baseline=arm(
        "D-PSGD", lambda it: DPSGD(it.step, Ring(it.problem.n)), steps=_ROUNDS,
        step=(0.16, 0.32, 0.64),  # beyond 2/3 workers part, though their mean does not
    ),
    without=arm(
        "one gradient between exchanges",
        lambda it: replace(it.own, period=1, rule=ConvexSliding(it.step(0))),
        steps=_ROUNDS // 2, step=(1.0, 2.0, 4.0, 8.0),
    ),
    at_most=0.7, source="Lan, Lee, Zhou 2017, arXiv:1701.03961, Theorem 3 and Table 1",
    tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

MSPD_EFFECT = contrast(
    "mspd",
    "several subgradients and one fast average save messages where f is not smooth",
    Setting(
        "lad-diabetes-sorted", diabetes, 8, 512, (0.25, 0.5, 1.0, 2.0), points=600, d=Fixed.DATA,
        note="ring, gamma of MSPD is a scale",
    ),
    Reading("sent_bits", budget=81920.0, of=_MEAN_MODEL),
    method="MSPD, eight subgradients between exchanges",
    baseline=arm(
        "decentralised subgradients", lambda it: DPSGD(it.step, Ring(it.problem.n)), steps=130,
        step=FromProblem("gamma_t = 0.125/sqrt(t + 1)", lambda _: InverseRootStep(0.125)),
    ),
    without=arm(
        "one subgradient between exchanges", lambda it: replace(it.own, period=1), steps=70,
        step=(0.125, 0.25, 0.5, 1.0),
    ),
    at_most=0.5, source="Scaman, Bach, Bubeck, Lee, Massoulie 2018, arXiv:1806.00291, Theorem 3",
    tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip


def _fewer_rounds(
    key: str, effect: str, method: str, source: str, slow: Callable[[Any], Method[Any]]
) -> EffectCheck:
    """That the row reaches the optimum of the lower bound's own instance for fewer bits than
    D-squared; ``slow`` takes its momentum."""
    beta = 400.0
    return contrast(
        key, effect,
        Setting(
            "relay, kappa = 400, d = 12", lambda n, d: NesterovChain(n, d, 1.0, beta), 8, 500,
            None, d=12, note="ring, beta = 400",
        ),
        Reading("sent_bits", "distance_of_workers", target=1e-6),
        method=method,
        baseline=arm(
            "D-squared", lambda it: D2(it.step, Lazy(Ring(it.problem.n))), steps=2500,
            step=tuple(c / beta for c in (1.0, 1.5, 2.0, 3.0)),
        ),
        without=arm("no momentum on the dual", lambda it: slow(it.own)),
        at_most=0.4, source=source, scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
        float_bits=64,
    )  # fmt: skip


DUAL_ACCELERATED = _fewer_rounds(
    "dual-accelerated", "FISTA on the dual reaches the optimum in fewer rounds",
    "dual accelerated", "Uribe, Lee, Gasnikov, Nedic 2018, arXiv:1809.00710, Theorem 3",
    WithoutDualMomentum,
)  # fmt: skip

SSDA_MSDA = _fewer_rounds(
    "ssda-msda", "accelerated duals reach the optimum in fewer rounds", "MSDA",
    "Scaman, Bach, Bubeck, Lee, Massoulie 2017, arXiv:1702.08704, Theorems 2 and 4",
    WithoutMomentum,
)  # fmt: skip


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault("SSDA without momentum", "x_{t+1} = y_{t+1}", ssda_modes, WithoutMomentum),
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
        "conjugate without its linear term", "argmin f_i instead of argmin f_i - <y, .>",
        conjugates, NoLinearTerm,
    ),
    fault("conjugate of the wrong sign", "argmin f_i + <y, .>", conjugates, MinusLinearTerm),
)  # fmt: skip
