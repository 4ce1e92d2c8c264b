"""Coded shards: full gradients, or least squares in one round, in spite of stragglers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.devices import put
from algorithms.kernels.mean import sum_rows
from algorithms.methods.base import RunContext
from algorithms.methods.parts.cyclic_code import CyclicCode, solved
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.problems.base import Problem
from algorithms.synchronisation.barriers import BackupWorkers
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize

_AFFINE = 1e-9


class CodedState(NamedTuple):
    """The model ``[..., 1, d]`` and the plan of arrivals.

    Attributes:
        x: the model ``[..., 1, d]``.
        schedule: the plan of arrivals, the same throughout the run.
    """

    x: Tensor
    schedule: Schedule


def exchange(
    code: CyclicCode, of: Callable[[Tensor], Tensor], subset: Tensor, t: int, context: RunContext
) -> Tensor:
    """Mean over all n shards of ``of(shards)`` ``[..., k, D]`` from workers ``subset`` ``[...,
    k]``.

    Worker i computes it for shards i, ..., i+s and sends one combination; the server decodes the
    mean ``[..., 1, D]``.
    """
    total: Tensor | None = None
    for shift in range(code.spare + 1):
        part = of((subset + shift) % code.n)
        part = code.shares(subset, shift, part) * part
        total = part if total is None else total + part
    assert total is not None
    coded = context.checked(total, t, subset)
    arrived = context.uploaded(Identity(), coded, subset, t)
    return sum_rows(code.decoding(subset, arrived) * arrived, keepdim=True) / code.n


class Coded(Scheduled[CodedState]):
    """The server needs the first n - ``spare`` workers alone; the rest drop what they compute."""

    spare: int

    shared_model: ClassVar[bool] = True

    @property
    def barrier(self) -> Barrier:
        """Of all n, whoever is late."""
        return BackupWorkers(self.spare)

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> CodedState:
        _ = CyclicCode(context.network.n, self.spare)
        return CodedState(context.rows(x0, 1), self.plan(context))

    def models(self, state: CodedState) -> Tensor:
        return state.x


@final
@dataclass(frozen=True)
class GradientCoding(Coded):
    r"""x_{t+1} = x_t - \gamma_t \frac1n\sum_j g_j(x_t), decoded from the first n - s workers.

    Every worker holds ``spare`` s shards beside its own and sends \sum_j B_{ij} g_j, B a
    :class:`CyclicCode`; whoever holds shard j draws the same samples from it, so the step is that
    of BSP-SGD on all shards, not on those that arrived. ``times`` say who the first are; the rest
    drop what they compute. (Tandon, Lei, Dimakis, Karampatziakis 2017, ICML, arXiv:1612.03301.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: spare outside [0, n - 1]; those of a schedule of ``ticks`` steps.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    spare: int = 1
    schedule_seed: int = 0
    replicas: int = 64

    @property
    def name(self) -> str:
        return f"gradient coding, s={self.spare}"

    def step(self, state: CodedState, t: int, context: RunContext) -> CodedState:
        x, key = state.x, context.key.fold("gradient", t)
        subset = put(state.schedule.tick(t).arrivals, x.device)

        def gradient(shards: Tensor) -> Tensor:
            return context.problem.gradient(x, key.draws(context.replicas, shards))

        mean = exchange(CyclicCode(context.network.n, self.spare), gradient, subset, t, context)
        return state._replace(x=context.published(x - self.step_rule(t) * mean, t))


@final
@dataclass(frozen=True)
class CodedRegression(Coded):
    r"""Least squares in one round: H = \frac1n\sum_j H_j and b = \frac1n\sum_j b_j are decoded from
    the first n - s workers, then x_1 = H^{-1} b. Later steps do nothing.

    \nabla f_j(x) = H_j x - b_j; a worker finds H_j and b_j of the s + 1 shards it holds from exact
    gradients at 0 and at the unit vectors, and sends \sum_j B_{ij} (H_j, b_j), d^2 + d numbers.
    (That redundancy solves linear regression in one round: survey 000, Section 3.1.2, of Haddadpour
    et al.; that the statistics are coded with the gradient code of Tandon et al. 2017,
    arXiv:1612.03301, is ours. Coding the data rows would not do: A^T A is not linear in A.)

    Attributes:
        times: how long the gradients of each worker take [seconds]; the first n - s to end are
            decoded.
        spare: s, shards that a worker holds beside its own.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: gradients are not affine; spare outside [0, n - 1]; H is singular.
    """

    times: ComputeTimes
    spare: int = 1
    schedule_seed: int = 0
    replicas: int = 64

    ticks: ClassVar[int] = 1

    @property
    def name(self) -> str:
        return f"coded regression, s={self.spare}"

    def unfit(self, problem: Problem) -> str:
        return super().unfit(problem) or unless_affine(problem)

    def step(self, state: CodedState, t: int, context: RunContext) -> CodedState:
        """The whole solution at step 0; later steps change nothing.

        Raises:
            ValueError: the mean Hessian is singular.
        """
        if t:
            return state
        d, subset = state.x.shape[-1], put(state.schedule.tick(0).arrivals, state.x.device)

        def statistics(shards: Tensor) -> Tensor:
            return normal_equations(context.problem, shards)

        code = CyclicCode(context.network.n, self.spare)
        mean = exchange(code, statistics, subset, t, context)[..., 0, :]
        hessian, b = mean[..., : d * d].reshape(*mean.shape[:-1], d, d), mean[..., d * d :]
        x = solved(hessian, b[..., None]).transpose(-1, -2)
        if not bool(torch.isfinite(x).all()):
            raise ValueError(
                f"the mean Hessian of {context.problem.name} must be invertible, got one that is "
                "singular; more samples or fewer columns would do"
            )
        return state._replace(x=context.published(x, t))


def unless_affine(problem: Problem) -> str:
    """Reason one round fails, in words; empty where the mean gradient is affine along a line
    that no axis is parallel to, at 0, 1 and 2 times a point (odd slopes are not at -1, 0 and 1)."""
    p = torch.linspace(-2, 3, problem.d, dtype=problem.dtype, device=problem.device)
    zero, once, twice = problem.mean_gradient(torch.stack((torch.zeros_like(p), p, 2 * p)))
    if float((zero + twice - 2 * once).norm()) <= _AFFINE * (1 + float((twice - zero).norm())):
        return ""
    return "coded regression needs gradients that are affine in x; gradient coding would do"


def normal_equations(problem: Problem, shards: Tensor) -> Tensor:
    """(H_j, b_j) of ``shards`` ``[..., k]``, flat ``[..., k, d * d + d]``, from exact gradients.

    Raises:
        ValueError: gradients are not affine in x.
    """
    d = problem.d
    zero = torch.zeros((1, d), dtype=problem.dtype, device=problem.device)
    b = -problem.full_gradient(zero, shards)
    unit = torch.eye(d, dtype=problem.dtype, device=problem.device)
    columns = [problem.full_gradient(unit[j, None], shards) + b for j in range(d)]
    hessian = torch.stack(columns, -1)
    point = torch.linspace(-2, 3, d, dtype=problem.dtype, device=problem.device)[None]
    stated, seen = (hessian * point).sum(-1) - b, problem.full_gradient(point, shards)
    if bool((stated - seen).abs().amax() > _AFFINE * (1 + seen.abs().amax())):
        raise ValueError(
            f"coded regression needs gradients that are affine in x, got {problem.name}; gradient "
            "coding would do"
        )
    return torch.cat((hessian.flatten(-2), b), -1)
