"""Elastic, cooperative, overlapped, redundant and coded methods with one fault each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.mean import mean_rows
from algorithms.methods.base import Method, RunContext
from algorithms.methods.cooperative.cocod import CoCoD, CoCoDState
from algorithms.methods.cooperative.coded_regression import (
    CodedRegression,
    CodedState,
    GradientCoding,
    normal_equations,
)
from algorithms.methods.cooperative.cooperative import Cooperative, Mixing
from algorithms.methods.cooperative.easgd import EASGD, EASGDState
from algorithms.methods.cooperative.easgd_async import AsyncEASGD, AsyncEASGDState
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.cyclic_code import CyclicCode, solved
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.barbell import Barbell
from proofs_check.evidence.cooperative import closed_forms as cocod_sgd
from proofs_check.evidence.cooperative import closed_forms as cooperative_sgd
from proofs_check.evidence.cooperative import closed_forms as easgd
from proofs_check.evidence.cooperative.closed_forms_redundancy import (
    by_the_gap,
    circulant,
    decoded_gradient,
    one_round,
    redundant_bias,
    shards_are_shared,
    steady_variance,
)
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from theory.constants import Constants
from theory.stepsizes import ConstantStep


@final
@dataclass(frozen=True)
class StillVelocity(FaultyMethod):
    """EAMSGD with the gradient at x instead of x + delta v: heavy ball, not Nesterov."""

    right: EASGD

    def step(self, state: EASGDState, t: int, context: RunContext) -> EASGDState:
        still = state._replace(velocity=torch.zeros_like(state.velocity))
        after = self.right.step(still, t, context)
        kept = self.right.momentum * state.velocity
        return after._replace(x=after.x + kept, velocity=after.velocity + kept)


@final
@dataclass(frozen=True)
class ForgottenProgress(FaultyMethod):
    """CoCoD-SGD that takes the old average and drops what was done while it came."""

    right: CoCoD

    def step(self, state: CoCoDState, t: int, context: RunContext) -> CoCoDState:
        after = self.right.step(state, t, context)
        if (t + 1) % self.right.period:
            return after
        x = mean_rows(state.sent, keepdim=True).expand_as(state.x).contiguous()
        return CoCoDState(x, x)


@final
@dataclass(frozen=True)
class Transposed(Mixing):
    """S^T in the place of S: from the wrong side, as one gets who keeps models as rows."""

    right: Mixing

    @property
    def name(self) -> str:
        return f"{self.right.name}, transposed"

    @property
    def auxiliary(self) -> int:
        return self.right.auxiliary

    def constants(self) -> Constants:
        return self.right.constants()

    def check(self, context: RunContext) -> None:
        self.right.check(context)

    def apply(self, x: Tensor, extra: Tensor, t: int, context: RunContext) -> tuple[Tensor, Tensor]:
        size, n = x.shape[-2] + self.auxiliary, x.shape[-2]
        unit = torch.eye(size, dtype=x.dtype).expand(*x.shape[:-2], size, size)
        rows = self.right.apply(unit[..., :n, :], unit[..., n:, :], t, context)
        s = torch.cat(rows, -2)  # S^T: rows of I S
        mixed = s.mT @ torch.cat((x, extra), -2)
        return mixed[..., :n, :].contiguous(), mixed[..., n:, :].contiguous()


def from_the_left(right: Cooperative) -> Cooperative:
    """Cooperative SGD that mixes with S^T."""
    return replace(right, mixing=Transposed(right.mixing))


def own_shard_twice(base: Quadratic, shards: int) -> Quadratic:
    """Its own shard counts twice where a worker holds others: (2 f_i + f_{i+1} + ...)/(q+1)."""
    if shards == 1:
        return base
    weights = (circulant(base.n, shards) * shards + np.eye(base.n)) / (shards + 1)
    w = torch.from_numpy(weights)
    return replace(base, a=w @ base.a, c=w @ base.c)


def undivided(right: LocalSGD, shards: int) -> Method[Any]:
    """RI-SGD on the sum over the shards held instead of their mean: a stepsize q times."""
    longer = ConstantStep(shards * right.step_rule(0))
    return OnMoreShards(replace(right, step_rule=longer), shards)


@final
@dataclass(frozen=True)
class Misdecoded(FaultyMethod):
    """Gradient coding whose server adds what arrived with coefficients of its own."""

    right: GradientCoding
    coefficients: Callable[[CyclicCode, Tensor, Tensor], Tensor]

    def step(self, state: CodedState, t: int, context: RunContext) -> CodedState:
        subset, key = state.schedule.tick(t).arrivals, context.key.fold("gradient", t)
        code = CyclicCode(context.network.n, self.right.spare)
        coded = torch.zeros(())
        for s in range(code.spare + 1):
            draws = key.draws(context.replicas, (subset + s) % code.n)
            coded = coded + code.shares(subset, s, state.x) * context.problem.gradient(
                state.x, draws
            )
        total = (self.coefficients(code, subset, coded) * coded).sum(-2, keepdim=True)
        return state._replace(x=state.x - self.right.step_rule(t) / code.n * total)


@final
@dataclass(frozen=True)
class Uncoded(FaultyMethod):
    """One round of normal equations without a code: those of the workers that came in time."""

    right: CodedRegression

    def step(self, state: CodedState, t: int, context: RunContext) -> CodedState:
        if t:
            return state
        d, subset = context.problem.d, state.schedule.tick(0).arrivals
        mean = mean_rows(normal_equations(context.problem, subset))
        hessian = mean[..., : d * d].reshape(*mean.shape[:-1], d, d)
        x = solved(hessian, mean[..., d * d :, None]).transpose(-1, -2)
        return state._replace(x=context.published(x, t))

    def seconds(self, state: CodedState, t: int) -> Tensor | None:
        return self.right.seconds(state, t)


def of_whom_it_should(code: CyclicCode, subset: Tensor, like: Tensor) -> Tensor:
    """The right coefficients."""
    return code.decoding(subset, like)


def of_the_first(code: CyclicCode, subset: Tensor, like: Tensor) -> Tensor:
    """Coefficients for workers 0, 1, ..., whoever arrived."""
    return code.decoding(torch.arange(subset.shape[-1]).expand(subset.shape), like)


def of_a_mean(code: CyclicCode, subset: Tensor, like: Tensor) -> Tensor:
    """n / (n - s), as if what arrived were plain gradients."""
    return torch.full((*subset.shape, 1), code.n / subset.shape[-1], dtype=like.dtype)


@wrong_step("EASGD pushing its centre", judge=easgd.mean_and_centre)
def pushed_centre(own: EASGD, state: EASGDState, t: int, context: RunContext) -> EASGDState:
    """the centre moves away from the workers"""
    after = own.step(state, t, context)
    return after._replace(centre=2 * state.centre - after.centre)


@wrong_step("EASGD with a late centre", judge=easgd.mean_and_centre)
def late_centre(own: EASGD, state: EASGDState, t: int, context: RunContext) -> EASGDState:
    """the centre is pulled by the models after their step"""
    after = own.step(state, t, context)
    if t % own.period:
        return after
    beta = own.beta
    used = context.network.n * own.alpha if beta is None else beta
    mean = mean_rows(after.x, keepdim=True)
    return after._replace(centre=state.centre + used * (mean - state.centre))


@wrong_step("EASGD with an early centre", judge=easgd.elastic_replay)
def early_centre(own: EASGD, state: EASGDState, t: int, context: RunContext) -> EASGDState:
    """models are pulled by the centre after its own step"""
    after = own.step(state, t, context)
    moved = after.centre - state.centre
    return after._replace(x=after.x + own.alpha * moved)


@wrong_step("EASGD by the server's clock", judge=easgd.asynchronous_replay)
def clock_of_server(
    own: AsyncEASGD, state: AsyncEASGDState, t: int, context: RunContext
) -> AsyncEASGDState:
    """tau divides the server's tick, not the worker's clock"""
    return own.step(state._replace(made=torch.full_like(state.made, t)), t, context)


@wrong_step("CoCoD-SGD with a fresh average", judge=cocod_sgd.overlap_replay)
def fresh_overlap(own: CoCoD, state: CoCoDState, t: int, context: RunContext) -> CoCoDState:
    """no overlap: the models just made are averaged"""
    after = LocalSGD(own.step_rule, own.period)
    held = after.init(torch.zeros_like(state.x[0, 0]), context)._replace(x=state.x)
    x = after.step(held, t, context).x
    return CoCoDState(x, x)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "effective neighbours by the gap", "1 + (n - 1) gap in the place of n_W",
        lambda: steady_variance(Barbell(6), by_the_gap), lambda: steady_variance(Barbell(6)),
    ),
    MethodMutant(
        "EAMSGD without looking ahead", "the gradient is taken at x, not at x + delta v",
        lambda: easgd.elastic_replay(StillVelocity, 0.6),
        lambda: easgd.elastic_replay(momentum=0.6),
    ),
    fault(
        "cooperative SGD from the wrong side", "S^T X in the place of X S, S not symmetric",
        cooperative_sgd.columns_are_mixed, from_the_left,
    ),
    fault(
        "CoCoD-SGD without local progress", "what was done while the average came is dropped",
        cocod_sgd.overlap_mean_is_bsp, ForgottenProgress,
    ),
    fault(
        "redundancy counting its own shard twice", "(2 f_i + f_{i+1} + ...)/(q + 1)",
        shards_are_shared, own_shard_twice,
    ),
    fault(
        "redundancy without division", "the sum over the shards held in the place of their mean",
        redundant_bias, undivided,
    ),
    MethodMutant(
        "decoding for other workers", "coefficients of workers 0, 1, ... whoever arrived",
        lambda: decoded_gradient(lambda right: Misdecoded(right, of_the_first)),
        lambda: decoded_gradient(lambda right: Misdecoded(right, of_whom_it_should)),
    ),
    fault(
        "one round without a code", "normal equations of those who came in time",
        one_round, Uncoded,
    ),
    fault(
        "coded gradients averaged", "messages are averaged as if they were plain gradients",
        decoded_gradient, lambda right: Misdecoded(right, of_a_mean),
    ),
)  # fmt: skip
