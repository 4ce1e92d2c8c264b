"""Consensus ADMM on a star, its master under any barrier (Zhang and Kwok 2014, ICML)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.devices import put
from algorithms.kernels.mean import mean_rows
from algorithms.methods.base import RunContext
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize


class StarState(NamedTuple):
    """The master's z ``[..., 1, d]`` and what each worker sent last ``[..., n + 1, d]``; the
    workers' x, dual y and the z they read ``[..., m + 1, d]``; the plan.

    Last rows are for nobody and for workers elsewhere.

    Attributes:
        schedule: the plan of arrivals, the same throughout the run.
    """

    z: Tensor
    sent: Tensor
    x: Tensor
    y: Tensor
    read: Tensor
    schedule: Schedule


@final
@dataclass(frozen=True)
class StarADMM(Scheduled[StarState]):
    r"""x_i = \arg\min f_i(x) + y_i^T (x - z) + \frac\rho2 \|x - z\|^2, y_i \mathrel{+}= \rho
    (x_i - z), z = prox_{R/\rho}(\frac1n \sum_i x_i + y_i/\rho).

    \rho = 1/\gamma_t. A worker that arrives used the z it read last; the master renews z with what
    it heard last of every worker (Zhang, Kwok 2014, ICML, Algorithms 1 and 2, under the partial
    barrier of ``synchronisation.barriers``); ``times`` are those of local solves. ``Bulk()`` is
    the synchronous method: the cycle z, x, y, where Boyd et al. 2011, Section 7.1, turn x, z, y.
    The objective is
    \frac1n \sum f_i + R, R by its ``proximal``.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        times: how long the gradients of each worker take [seconds].
        proximal: the common regulariser R, known by its proximal map.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: ticks < 1; those of a schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    barrier: Barrier = field(default_factory=Bulk)
    proximal: Proximal = field(default_factory=NoProximal)
    schedule_seed: int = 0
    replicas: int = 64

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)

    @property
    def name(self) -> str:
        return f"consensus ADMM, {self.barrier.name}, {self.proximal.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> StarState:
        schedule = self.plan(context)
        rows = context.rows(x0, len(context.network.workers) + 1)
        sent = context.rows(x0, context.network.n + 1)
        return StarState(
            context.rows(x0, 1), sent, rows, torch.zeros_like(rows), rows.clone(), schedule
        )

    def step(self, state: StarState, t: int, context: RunContext) -> StarState:
        network, tick, rho = context.network, state.schedule.tick(t), 1 / self.step_rule(t)
        subset = put(tick.arrivals, state.z.device)
        mine = places(subset, network, state.x)
        z, y = state.read.gather(-2, mine), state.y.gather(-2, mine)
        x = self._solved(z, y, state.x.gather(-2, mine), subset, rho, context)
        y = self._dual(y, x, z, rho)
        u = context.checked(x + y / rho, t, subset)
        arrived = context.uploaded(Identity(), u, subset, t, "send")
        index = subset[..., None].expand(arrived.shape)
        sent = state.sent.scatter(-2, index, arrived)
        mean = mean_rows(sent[..., :-1, :], keepdim=True)
        new = self.proximal.apply(mean, 1 / rho, t)
        fetches = put(tick.fetches, new.device)
        incoming = places(fetches, network, state.read)
        return StarState(
            new,
            sent,
            state.x.scatter(-2, mine, x),
            state.y.scatter(-2, mine, y),
            state.read.scatter(-2, incoming, context.answered(new, fetches, t)),
            state.schedule,
        )

    def _solved(
        self, z: Tensor, y: Tensor, start: Tensor, subset: Tensor, rho: float, context: RunContext
    ) -> Tensor:
        """The local minimisers ``[..., k, d]`` of those who arrive, if one of them is here."""
        if not context.asks_nobody and not bool(context.network.is_local(subset).any()):
            return start
        real = subset.clamp_max(context.network.n - 1)
        weight = torch.full_like(real, rho, dtype=z.dtype)
        return context.problem.proximal_point(z - y / rho, weight, real, start)

    def _dual(self, y: Tensor, x: Tensor, z: Tensor, rho: float) -> Tensor:
        return y + rho * (x - z)

    def models(self, state: StarState) -> Tensor:
        return state.z
