"""A method whose step calls every helper that methods have, and notes what came of each call.

Rows use some helpers in their watched run and others in instances only, so that a key or a place
that is wrong in a helper shows in few of their runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.methods.base import Method, RunContext
from algorithms.problems.base import Problem
from algorithms.topologies.base import Neighbours
from theory.constants import Constants

OWN, FRESH, CHOSEN = "own gradients", "gradients of chosen workers", "gradients by count"
SOME, ALL, MIXED, LINKED = "averaged", "gathered", "mixed", "mixed compressed"
HEARD, RAISED, COUNTED = "received", "uploaded", "uploaded by count"
TOLD, SHORT, GIVEN, PACKED, SPREAD = (
    "published", "published compressed", "answered", "answered compressed", "broadcast",
)  # fmt: skip
_DUE = 0.05  # share of what came that a model moves by


class HelperCall(NamedTuple):
    """One call of a helper in a step.

    Attributes:
        t: the step.
        name: which helper.
        x: rows that it was given ``[R, k, d]``.
        workers: whose they are ``[R, k]``; n is nobody, and the server's own row.
        found: rows that came of it ``[R, ..., d]``.
    """

    t: int
    name: str
    x: Tensor
    workers: Tensor
    found: Tensor


class ProbeState(NamedTuple):
    """State of the probe.

    Attributes:
        x: the workers' models ``[R, n, d]``.
        y: the server's ``[R, 1, d]``.
    """

    x: Tensor
    y: Tensor


@final
@dataclass(frozen=True)
class HelperProbe(Method[ProbeState]):
    """A method of no use but that its step calls every helper, with messages by ``operator``.

    Attributes:
        operator: draws where it writes, and where it reads.
        neighbours: whom workers mix with.
        told: all calls so far, in their order.
    """

    operator: Compressor
    neighbours: Neighbours = field(repr=False, compare=False)
    told: list[HelperCall] = field(default_factory=list, repr=False, compare=False)

    @property
    def name(self) -> str:
        return f"all helpers, {self.operator.name}"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def init(self, x0: Tensor, context: RunContext) -> ProbeState:
        apart = torch.arange(1, len(context.network.workers) + 1).to(x0.dtype)[:, None]
        rows = context.rows(x0, len(context.network.workers)) + 0.1 * apart
        return ProbeState(rows, context.rows(x0, 1) - 0.3)

    def models(self, state: ProbeState) -> Tensor:
        return state.x

    def step(self, state: ProbeState, t: int, context: RunContext) -> ProbeState:
        n, everyone = context.network.n, context.network.workers
        all_ids = everyone.expand(*context.replicas.shape, n)
        server = torch.full((*context.replicas.shape, 1), n)
        ids, x, y = chosen(context.replicas, n, t), state.x, state.y
        mine = x.gather(-2, ids.clamp_max(n - 1)[..., None].expand(*ids.shape, x.shape[-1]))
        came = list[Tensor]()

        def note(name: str, given: Tensor, workers: Tensor, found: Tensor) -> None:
            self.told.append(HelperCall(t, name, given.clone(), workers, found.clone()))
            came.append(found.sum(-2, keepdim=True))

        note(OWN, x, all_ids, context.gradient(x, t))
        note(FRESH, mine, ids, context.gradient_of(mine, ids, t))
        counts = torch.full_like(ids, t)
        note(CHOSEN, mine, ids, context.gradient_by_count(mine, ids, counts))
        self._exchange(state, t, context, note)
        note(RAISED, mine, ids, context.uploaded(self.operator, mine, ids, t))
        by_count = context.uploaded_by_count(self.operator, mine, ids, counts)
        note(COUNTED, mine, ids, by_count)
        note(TOLD, y, server, context.published(y, t, "plain"))
        short = context.pack_server(self.operator, y, t)
        note(SHORT, y, server, context.network.publish(short))
        note(GIVEN, y, ids, context.answered(y, ids, t, purpose="plain answer"))
        note(PACKED, mine, ids, context.answered(mine, ids, t, self.operator))
        hears = hearing(n, t)
        listening = torch.where(hears, everyone, n).expand(*context.replicas.shape, n)
        note(SPREAD, y, listening, context.broadcast(y, hears, t, "plain broadcast"))
        moved = torch.stack(came).mean(0)
        return ProbeState((1 - _DUE) * x + _DUE * moved, (1 - _DUE) * y + _DUE * moved)

    def _exchange(self, state: ProbeState, t: int, context: RunContext, note: Any) -> None:
        """Messages of all workers: to the server, some of them silent, and to one another."""
        x, network = state.x, context.network
        ids = network.workers.expand(*context.replicas.shape, network.n)
        speaks = speaking(context.replicas, network.n, t)
        packet = context.pack(self.operator, x, t, sends=speaks)
        mean, own = network.average(packet)
        note(SOME, x, torch.where(speaks, ids, network.n), torch.cat((own, mean), -2))
        second = context.pack(self.operator, x, t, purpose="second")
        note(ALL, x, ids, network.gather(second).result)
        note(MIXED, x, ids, context.mixed(x, self.neighbours, t, "plain mix"))
        linked = context.pack(self.operator, x, t, purpose="mix")
        result, as_read = network.mix(linked, self.neighbours)
        note(LINKED, x, ids, torch.cat((as_read, result), -2))
        sources, arrives = heard_from(context.replicas, network.n, t)
        packet = context.pack(self.operator, x, t, purpose="receive")
        came = network.receive(packet, sources, arrives)
        note(HEARD, x, ids, came.flatten(-3, -2))


def chosen(replicas: Tensor, n: int, t: int) -> Tensor:
    """Two workers ``[R, 2]`` of each replica at step t, or one and nobody (the id n)."""
    return (replicas[:, None] + t + torch.tensor([0, 2])) % (n + 1)


def hearing(n: int, t: int) -> Tensor:
    """Workers ``[n]`` (bool) who hear the server at step t: all but two."""
    return (torch.arange(n) + t) % n > 1


def speaking(replicas: Tensor, n: int, t: int) -> Tensor:
    """Workers ``[R, n]`` (bool) who send at step t: every other one of a replica."""
    return (torch.arange(n) + replicas[:, None] + t) % 2 == 0


def heard_from(replicas: Tensor, n: int, t: int) -> tuple[Tensor, Tensor]:
    """Whom each worker hears at step t ``[R, n, 2]``, at times itself, and what arrives (bool)."""
    me = torch.arange(n)[:, None]
    sources = (me + replicas[:, None, None] + torch.tensor([t, 2 * t + 1])) % n
    return sources, (sources + t) % 3 > 0
