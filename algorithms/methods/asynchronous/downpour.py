"""Downpour SGD: pushes and fetches at periods of their own (Dean et al. 2012, NIPS)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.kernels.client_events import DOWNPOUR_EVENTS
from algorithms.kernels.devices import put
from algorithms.kernels.mean import sum_rows
from algorithms.kernels.row_parts import RowPart, filled_in, ready
from algorithms.methods.base import RunContext, dense_bits
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.optimizers.base import SGD, Optimizer
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps, rows_of, stacked, unstacked
from algorithms.pipeline.events import EventBlock, all_rows, event_block, unchanging
from algorithms.pipeline.server import own
from algorithms.problems.base import Problem
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize


class DownpourState(NamedTuple):
    """The server's model ``[..., 1, d]``; the workers' models and what they accrued
    ``[..., m + 1, d]``, the last row for nobody and for workers elsewhere; gradients that each
    worker has made ``[..., n + 1]``; the optimizer's state; the plan.

    Attributes:
        x: the server's model ``[..., 1, d]``.
        local: the workers' models ``[..., m + 1, d]``.
        schedule: the plan of arrivals, the same throughout the run.
    """

    x: Tensor
    local: Tensor
    accrued: Tensor
    made: Tensor
    optimizer: Any
    schedule: Schedule


@final
@dataclass(frozen=True)
class Downpour(Scheduled[DownpourState]):
    r"""Client i: a_i \mathrel{+}= g_i(x_i), x_i \mathrel{-}= \gamma g_i; every n_push gradients a_i
    is pushed and cleared; every n_fetch the server's model replaces x_i.

    The server takes what is pushed as one gradient: x \mathrel{-}= \gamma \sum a_i through the
    ``optimizer`` (Adagrad in the paper). A worker fetches before its gradients 0, n_fetch,
    2 n_fetch ... and pushes after its gradients n_push - 1, 2 n_push - 1 ...; the paper's client
    pushes after the first of each n_push instead (``push_first``). A tick is one worker's
    gradient; n_push = n_fetch = 1 is the asynchronous parameter server. Local models move by plain
    SGD. (Dean et al. 2012, NIPS, Algorithm 7.1, no arXiv number; survey 002, Section III-C.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        times: how long the gradients of each worker take [seconds].
        compressor: the operator that pushed sums of gradients go through.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.
        barrier: lets one worker arrive at a tick: asynchronous, or what was recorded.

    Raises:
        ValueError: ticks, n_push or n_fetch < 1; those of a schedule.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    n_push: int = 1
    n_fetch: int = 1
    push_first: bool = False
    compressor: Compressor = field(default_factory=Identity)
    optimizer: Optimizer[Any] = field(default_factory=SGD)
    schedule_seed: int = 0
    replicas: int = 64
    barrier: Barrier = field(default_factory=Asynchronous)

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("ticks", "n_push", "n_fetch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {name}={getattr(self, name)}")

    @property
    def name(self) -> str:
        parts = [f"Downpour, push every {self.n_push}, fetch every {self.n_fetch}"]
        parts += [] if isinstance(self.compressor, Identity) else [self.compressor.name]
        parts += [] if isinstance(self.optimizer, SGD) else [self.optimizer.name]
        return ", ".join(parts)

    def constants(self, problem: Problem) -> Constants:
        stated = problem.constants()
        if self.n_push > 1 or self.n_fetch > 1 or not isinstance(self.optimizer, SGD):
            return stated  # nothing of a delay bound: theorems are about pushes of one gradient
        own = operator_constants(self.compressor, problem.d)
        return stated.merge(own).merge(self.staleness(problem.n))

    def init(self, x0: Tensor, context: RunContext) -> DownpourState:
        schedule = self.plan(context)
        x, local = context.rows(x0, 1), context.rows(x0, len(context.network.workers) + 1)
        made = torch.zeros(
            (*context.replicas.shape, context.network.n + 1), dtype=torch.int64, device=x.device
        )
        empty = torch.zeros_like(local)
        return DownpourState(x, local, empty, made, self.optimizer.init(x), schedule)

    def step(self, state: DownpourState, t: int, context: RunContext) -> DownpourState:
        network, gamma = context.network, self.step_rule(t)
        subset = put(state.schedule.tick(t).arrivals, state.x.device)
        place = places(subset, network, state.local)
        read = state.local.gather(-2, place)
        number = self.number(state, t)
        g = context.checked(context.gradient_of(read, subset, number), t, subset)
        accrued = state.accrued.gather(-2, place) + g
        count = state.made.scatter_add_(-1, subset, torch.ones_like(subset)).gather(-1, subset)
        pushes = count % self.n_push == (1 % self.n_push if self.push_first else 0)
        pushers = torch.where(pushes, subset, network.n)
        x, optimizer = self._pushed(state, accrued, pushers, t, number, context)
        fetchers = torch.where(count % self.n_fetch == 0, subset, network.n)
        incoming = context.answered(x, fetchers, t)
        fetched = (fetchers < network.n)[..., None]
        state.local.scatter_(-2, place, torch.where(fetched, incoming, read - gamma * g))
        state.accrued.scatter_(-2, place, torch.where(pushes[..., None], 0, accrued))
        return state._replace(x=x, optimizer=optimizer)

    def _pushed(
        self, state: DownpourState, accrued: Tensor, pushers: Tensor, t: int, number: int,
        context: RunContext,
    ) -> tuple[Tensor, Any]:  # fmt: skip
        """The server's model and optimizer after the pushes; both stay where nobody pushes."""
        arrived = context.uploaded(self.compressor, accrued, pushers, number)
        gamma = self.step_rule(t)
        step = gamma * sum_rows(arrived, keepdim=True)
        optimizer, move = self.optimizer.update(state.optimizer, step, state.x, gamma)
        return state.x - move, optimizer

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return None if self.barrier.counts_by_worker else event_block(DownpourBlock, context, self)

    def models(self, state: DownpourState) -> Tensor:
        return state.x


@final
class DownpourBlock(EventBlock):
    """Ticks of :class:`Downpour`."""

    def __init__(self, place: Place, gradient: RowPart, method: Downpour) -> None:
        d, dtype = place.problem.d, place.problem.dtype
        send, length = unchanging(method.compressor, d, dtype)
        move = own(method.optimizer, SGD, d, dtype)
        super().__init__(place, gradient, method.step_rule, {"compress": send})
        pushed = 1 % method.n_push if method.push_first else 0
        self.parts = (
            ready(gradient.function, "gradient", dtype), gradient.numbers,
            *filled_in(dtype, send, "operator")[:2], *filled_in(dtype, move, "move")[:2],
            np.array([send is not None, move is not None]),
            np.array([length, dense_bits(d, dtype)]),
            np.array([method.n_push, method.n_fetch, pushed]),
        )  # fmt: skip

    def tensors(self, state: DownpourState) -> Arrays:
        lead = tuple(state.x.shape[:-2])
        return (
            rows_of(state.x)[:, 0], all_rows(state.local), all_rows(state.accrued),
            state.made.reshape(-1, self.n + 1).clone().numpy(),
            stacked(state.optimizer, lead, 1, self.d, self.kind),
        )  # fmt: skip

    def run(self, arrays: Arrays, steps: Steps) -> int:
        words = (self.words(steps, name) for name in ("gradient", "compress"))
        found: int = DOWNPOUR_EVENTS.for_dtype(self.dtype)(
            *self.parts, *arrays[:7], steps.gammas, steps.t, *words, steps.replicas
        )
        return found

    def leave(self, arrays: Arrays, state: DownpourState) -> DownpourState:
        x, local, accrued, made = (torch.from_numpy(part) for part in arrays[:4])
        return state._replace(
            x=x.view(state.x.shape),
            local=local.view(state.local.shape),
            accrued=accrued.view(state.local.shape),
            made=made.view(state.made.shape),
            optimizer=unstacked(arrays[4], state.optimizer),
        )
