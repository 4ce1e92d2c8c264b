"""Asynchronous proximal gradient with sparse uploads (Grishchenko et al., arXiv:1812.03871)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.nonzero import NonZero
from algorithms.kernels.devices import put
from algorithms.kernels.mean import sum_rows
from algorithms.kernels.prox_events import COORDINATE_EVENTS
from algorithms.kernels.row_parts import RowPart, filled_in, ready
from algorithms.methods.base import RunContext, dense_bits
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.optimizers.proximal import NoProximal, Proximal, SoftThreshold
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps, rows_of
from algorithms.pipeline.events import EventBlock, all_rows, entry_bits, event_block, full_gradient
from algorithms.pipeline.server import own
from algorithms.problems.base import Problem, require_int
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants
from theory.stepsizes import Stepsize


class CoordinateProxState(NamedTuple):
    """The server's mean \\bar x of all workers' points ``[..., 1, d]``, and the model made of it;
    what each worker read, and its point ``[..., m + 1, d]``, the last row for nobody and for
    workers elsewhere; the plan.

    Attributes:
        schedule: the plan of arrivals, the same throughout the run.
    """

    mean: Tensor
    x: Tensor
    read: Tensor
    points: Tensor
    schedule: Schedule


@final
@dataclass(frozen=True)
class CoordinateProx(Scheduled[CoordinateProxState]):
    r"""[x_i]_S = [x - \gamma \nabla f_i(x)]_S, x = prox_{\gamma r}(\bar x) as worker i read it.

    It sends \Delta_i, the change of its point on the mask S that ``selection`` drew; the server
    adds \bar x \mathrel{+}= \frac1n \Delta_i, then applies the prox and answers. Fixed points obey
    x_i = x^* - \gamma \nabla f_i(x^*), so gamma must be constant; it needs no bound on delays.
    Gradients are full. (Grishchenko, Iutzeler, Malick, Amini 2018, arXiv:1812.03871: DAve-RPG
    and SPY; Mishchenko et al. 2018, ICML, DAve-PG for S = all.)

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        ticks: number of ticks (steps) that the schedule is drawn for.
        times: how long the gradients of each worker take [seconds].
        proximal: the regulariser r of the objective, known by its proximal map.
        schedule_seed: seed of the compute times that make the schedule.
        replicas: number of replicas that the schedule is drawn for; a run may have fewer, not more.

    Raises:
        ValueError: ticks < 1; those of a schedule.
        NonFiniteGradient: a full gradient is not finite.
    """

    step_rule: Stepsize
    ticks: int
    times: ComputeTimes
    selection: Selection
    proximal: Proximal = field(default_factory=lambda: SoftThreshold(0.0))
    barrier: ClassVar[Barrier] = Asynchronous()
    schedule_seed: int = 0
    replicas: int = 64

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_int("ticks", self.ticks, 1)

    @property
    def name(self) -> str:
        return f"async coordinate prox, {self.selection.name}, {self.proximal.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants().merge(self.staleness(problem.n))

    def init(self, x0: Tensor, context: RunContext) -> CoordinateProxState:
        schedule = self.plan(context)
        mean, points = context.rows(x0, 1), context.rows(x0, len(context.network.workers) + 1)
        x = self.proximal.apply(mean, self.step_rule(0), 0)
        return CoordinateProxState(mean, x, x.expand_as(points).clone(), points, schedule)

    def step(self, state: CoordinateProxState, t: int, context: RunContext) -> CoordinateProxState:
        network, gamma = context.network, self.step_rule(t)
        subset = put(state.schedule.tick(t).arrivals, state.x.device)
        place = places(subset, network, state.points)
        read, old = state.read.gather(-2, place), state.points.gather(-2, place)
        delta = self._change(read, old, subset, t, context)
        arrived = context.uploaded(NonZero(), delta, subset, t)
        mean, x = self._served(state, arrived, gamma, t, network.n)
        state.read.scatter_(-2, place, context.answered(x, subset, t))
        state.points.scatter_(-2, place, old + delta)
        return state._replace(mean=mean, x=x)

    def _change(
        self, read: Tensor, old: Tensor, subset: Tensor, t: int, context: RunContext
    ) -> Tensor:
        """Delta ``[..., k, d]`` of workers ``subset``."""
        real = subset.clamp_max(context.network.n - 1)
        g = context.checked(context.problem.full_gradient(read, real), t, subset)
        mask = self.selection.mask(read, context.key.fold("mask", t).draws(context.replicas, real))
        return torch.where(mask, read - self.step_rule(t) * g - old, 0)

    def _served(
        self, state: CoordinateProxState, arrived: Tensor, gamma: float, t: int, n: int
    ) -> tuple[Tensor, Tensor]:
        """The mean of the points after the deltas, and the model ``[..., 1, d]``."""
        mean = state.mean + sum_rows(arrived, keepdim=True) / n
        return mean, self.proximal.apply(mean, gamma, t)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return event_block(CoordinateBlock, context, self)

    def models(self, state: CoordinateProxState) -> Tensor:
        return state.x


@final
class CoordinateBlock(EventBlock):
    """Ticks of :class:`CoordinateProx`."""

    def __init__(self, place: Place, _: RowPart, method: CoordinateProx) -> None:
        problem, full = place.problem, full_gradient(place)
        d, dtype = problem.d, problem.dtype
        super().__init__(place, full, method.step_rule, {})
        change = own(method.proximal, NoProximal, d, dtype)
        self.parts = (
            ready(full.function, "gradient", dtype), full.numbers,
            *filled_in(dtype, change, "change")[:2], change is not None,
            np.array([entry_bits(d, dtype), dense_bits(d, dtype)]),
            np.array([method.selection.q]), method.selection.support,
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        return ("mask",)

    def tensors(self, state: CoordinateProxState) -> Arrays:
        mean, x = rows_of(state.mean)[:, 0], rows_of(state.x)[:, 0]
        return mean, x, all_rows(state.read), all_rows(state.points)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        found: int = COORDINATE_EVENTS.for_dtype(self.dtype)(
            *self.parts, *arrays[:6], steps.gammas, steps.t, self.words(steps, "mask"),
            steps.replicas,
        )  # fmt: skip
        return found

    def leave(self, arrays: Arrays, state: CoordinateProxState) -> CoordinateProxState:
        mean, x, read, points = (torch.from_numpy(part) for part in arrays[:4])
        return state._replace(
            mean=mean.view(state.mean.shape),
            x=x.view(state.x.shape),
            read=read.view(state.read.shape),
            points=points.view(state.points.shape),
        )
