"""AsyLPG: asynchronous low-precision proximal gradient (Yu, Wu, Huang 2019, arXiv:1805.10111)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.max_levels import MaxLevels
from algorithms.kernels.devices import put
from algorithms.methods.base import RunContext
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.pipeline.anchored_events import AnchoredEventBlock, AnchoredEvents
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.events import event_block
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize


class AsyLPGState(NamedTuple):
    """The server's iterate z, the sum of those since the anchor, the anchor and its full gradient
    ``[..., 1, d]``; the low-precision model each worker read ``[..., m + 1, d]``, the last row for
    workers elsewhere; the plan.

    Attributes:
        total: sum of the iterates z since the anchor ``[..., 1, d]``; zero where theta = 1.
        schedule: the plan of arrivals, the same throughout the run.
    """

    z: Tensor
    total: Tensor
    anchor: Tensor
    full: Tensor
    read: Tensor
    schedule: Schedule


@final
@dataclass(frozen=True)
class AsyLPG(Scheduled[AsyLPGState]):
    r"""Both directions in low precision, around an anchor \tilde x renewed every ``epoch`` ticks.

    Who arrives has read x_q = \tilde x + Q_d(y - \tilde x) some ticks ago, so that E\|x_q - y\|^2
    <= \mu \|y - \tilde x\|^2 with \mu the omega of Q_d (the paper's condition on the model's
    precision). It sends Q(g(x_q) - g(\tilde x)), both on the same sample; the server steps with
    u = that + \nabla f(\tilde x): z = prox(z - \gamma u). ``theta`` = 1: y = z, and the next anchor
    is z (AsyLPG). Below, y = \tilde x + \theta (z - \tilde x), the next anchor is
    (1 - \theta) \tilde x + \theta \bar z with \bar z the mean of the iterates since the last one,
    and z goes on from where it is: Acc-AsyLPG, whose momentum lies in z, which moves 1/\theta times
    as far as y does (Zhou, Shang, Cheng 2018, arXiv:1806.11027).

    ``compressor`` may be any unbiased operator, a sparsifier for Sparse-AsyLPG, blocks by lot for
    asynchronous accelerated SGD. At an anchor all workers send their full gradients and hear the
    model, uncompressed. Who arrives when is a schedule as a parameter server has it.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        times: how long the gradients of each worker take [seconds].
        downlink: Q_d, the operator of the server's models.
        proximal: the regulariser R of the objective, known by its proximal map.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: epoch or ticks < 1, theta outside (0, 1]; those of a schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    epoch: int = 100
    compressor: Compressor = field(default_factory=MaxLevels)
    downlink: Compressor = field(default_factory=lambda: MaxLevels(127))
    theta: float = 1.0
    proximal: Proximal = field(default_factory=NoProximal)
    barrier: ClassVar[Barrier] = Asynchronous()
    schedule_seed: int = 0
    replicas: int = 64

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.epoch < 1:
            raise ValueError(f"epoch must be at least 1 tick, got epoch={self.epoch}")
        if not 0 < self.theta <= 1:
            raise ValueError(f"theta must lie in (0, 1], got theta={self.theta}")
        require_int("ticks", self.ticks, 1)

    @property
    def name(self) -> str:
        notes = [f"up {self.compressor.name}", f"down {self.downlink.name}"]
        notes += [f"theta={self.theta:g}"] if self.theta < 1 else []
        return f"AsyLPG({', '.join(notes)}, anchor every {self.epoch})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(self.staleness(problem.n))

    def init(self, x0: Tensor, context: RunContext) -> AsyLPGState:
        schedule = self.plan(context)
        x = context.rows(x0, 1)
        read = context.rows(x0, len(context.network.workers) + 1)
        zero = torch.zeros_like(x)
        return AsyLPGState(x, zero, x, zero, read, schedule)

    def step(self, state: AsyLPGState, t: int, context: RunContext) -> AsyLPGState:
        if t % self.epoch == 0:
            state = self._anchored(state, t, context)
        network = context.network
        active = put(state.schedule.tick(t).arrivals, state.z.device)
        place = places(active, network, state.read)
        draws = context.key.fold("gradient", t).draws(context.replicas, active)
        here = context.problem.gradient(state.read.gather(-2, place), draws)
        there = context.problem.gradient(state.anchor, draws)
        g = context.checked(here - there, t, active)
        arrived = context.uploaded(self.compressor, g, active, t)
        gamma = self.step_rule(t)
        u = arrived.sum(-2, keepdim=True) + state.full
        z = self.proximal.apply(state.z - gamma * u, gamma, t)
        answer = self._answered(state, z, active, t, context)
        state.read.scatter_(-2, place, answer)
        total = state.total if self.theta == 1 else state.total + z
        return state._replace(z=z, total=total)

    def _point(self, state: AsyLPGState, z: Tensor) -> Tensor:
        """y: where gradients are asked for."""
        return z if self.theta == 1 else state.anchor + self.theta * (z - state.anchor)

    def _answered(
        self, state: AsyLPGState, z: Tensor, active: Tensor, t: int, context: RunContext
    ) -> Tensor:
        """The low-precision models ``[..., k, d]`` that the active workers read."""
        difference = self._point(state, z) - state.anchor
        return state.anchor + context.answered(difference, active, t, self.downlink)

    def _anchored(self, state: AsyLPGState, t: int, context: RunContext) -> AsyLPGState:
        """A new anchor: its full gradient, and every worker holds it."""
        anchor = context.published(self._next_anchor(state, t), t, "model at the anchor")
        everyone = context.network.workers
        gradients = context.checked(context.problem.full_gradient(anchor, everyone), t, everyone)
        full, _ = context.network.average(context.pack(Identity(), gradients, t, purpose="anchor"))
        z = anchor if self.theta == 1 else state.z
        read = anchor.expand_as(state.read).clone()
        zero = torch.zeros_like(state.total)
        return state._replace(z=z, total=zero, anchor=anchor, full=full, read=read)

    def _next_anchor(self, state: AsyLPGState, t: int) -> Tensor:
        """The anchor ``[..., 1, d]`` from step t on."""
        if self.theta == 1 or t == 0:
            return state.z
        return state.anchor + self.theta * (state.total / self.epoch - state.anchor)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        parts = AnchoredEvents(
            self.step_rule, self.compressor, self.downlink, self.proximal, self.epoch, self.theta
        )
        return event_block(AnchoredEventBlock, context, parts)

    def models(self, state: AsyLPGState) -> Tensor:
        return self._point(state, state.z)
