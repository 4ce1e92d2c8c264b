"""Workers without a common clock and without a server: what their methods share."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.kernels.devices import put
from algorithms.methods.base import RunContext
from algorithms.methods.parts.checks import check_size
from algorithms.methods.parts.scheduled import Scheduled, places
from algorithms.synchronisation.schedule import Schedule
from algorithms.topologies.base import StaticTopology


class AsynchronousGossipState(NamedTuple):
    """Models ``[..., m + 1, d]``; those the gradients under way are computed on, as they were when
    these began ``[..., m + 1, d]``; the plan. The last row is for nobody and workers elsewhere.

    Attributes:
        x: the models ``[..., m + 1, d]``.
        view: the models that gradients under way are computed on ``[..., m + 1, d]``.
        schedule: the plan of arrivals, the same throughout the run.
    """

    x: Tensor
    view: Tensor
    schedule: Schedule


class Arrived(NamedTuple):
    """Arrivals at a tick ``[..., k]`` (n: none), with gradients ``[..., k, d]`` at the stale
    models, those of workers elsewhere zero; ``starts`` begin their next gradient after it.

    Attributes:
        subset: ids of the workers that arrive ``[..., k]``, n where nobody does.
        number: what random numbers of this tick go by.
    """

    subset: Tensor
    gradients: Tensor
    starts: Tensor
    number: int


class AsynchronousGossip(Scheduled[AsynchronousGossipState]):
    """Everyone starts at x_0 and computes there; members hold their ``topology``.

    A step is two things that need not happen together: gradients, which read nothing that others
    change, and then meetings, in which whoever arrives and those it meets take part.
    """

    topology: StaticTopology

    def init(self, x0: Tensor, context: RunContext) -> AsynchronousGossipState:
        check_size(self.topology, context)
        x = context.rows(x0, len(context.network.workers) + 1)
        return AsynchronousGossipState(x, x.clone(), self.plan(context))

    @final
    def step(
        self, state: AsynchronousGossipState, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        return self.meet(state, self.arrive(state, t, context), t, context)

    def arrive(self, state: AsynchronousGossipState, t: int, context: RunContext) -> Arrived:
        """The gradients of tick t, which need no message.

        Raises:
            NonFiniteGradient: names the step, replica and worker.
        """
        return arrive(state, t, context, self.number(state, t))

    @abstractmethod
    def called(self, subset: Tensor, number: int, context: RunContext) -> Tensor:
        """Whom each of ``subset`` ``[..., k]`` meets; itself where it meets nobody."""

    @abstractmethod
    def meet(
        self, state: AsynchronousGossipState, arrived: Arrived, t: int, context: RunContext
    ) -> AsynchronousGossipState:
        """State after those who ``arrived`` met others and moved along their gradients."""

    def models(self, state: AsynchronousGossipState) -> Tensor:
        return state.x[..., :-1, :]


def arrive(
    state: AsynchronousGossipState, t: int, context: RunContext, number: int | None = None
) -> Arrived:
    """The gradients of tick t; their random numbers go by ``number``, or t.

    Raises:
        NonFiniteGradient: names the step, replica and worker.
    """
    tick, number = state.schedule.tick(t), t if number is None else number
    subset, starts = (put(ids, state.x.device) for ids in (tick.arrivals, tick.starts))
    place = places(subset, context.network, state.view)
    g = context.gradient_of(state.view.gather(-2, place), subset, number)
    here = context.network.is_local(subset)[..., None]
    return Arrived(subset, context.checked(torch.where(here, g, 0), t, subset), starts, number)


def stepped(x: Tensor, arrived: Arrived, gamma: float, context: RunContext) -> Tensor:
    """Models after x_i -= gamma g_i for everyone who arrived; a worker arrives once a tick."""
    place = places(arrived.subset, context.network, x)
    return x.scatter(-2, place, x.gather(-2, place) - gamma * arrived.gradients)


def go_on(
    state: AsynchronousGossipState, x: Tensor, starts: Tensor, context: RunContext
) -> AsynchronousGossipState:
    """State with models x; ``starts`` ``[..., k]`` go on from theirs."""
    place = places(starts, context.network, x)
    return AsynchronousGossipState(
        x, state.view.scatter(-2, place, x.gather(-2, place)), state.schedule
    )
