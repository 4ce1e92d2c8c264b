"""Downpour SGD against Dean's client, written as in the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import Method
from algorithms.methods.synchronous.parameter_server import ParameterServer
from proofs_check.closed_forms.asynchronous.replays import (
    TICKS,
    TIMES,
    TOLD,
    arrivals,
    drawn_gradient,
    ran,
    uneven,
)
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]


@final
@dataclass
class _Client:
    """Local variables of one of Dean's clients."""

    x: Tensor
    accrued: Tensor
    step: int = 0


def downpour_client(
    build: Build = lambda downpour: downpour, *, n_push: int = 3, n_fetch: int = 2,
    push_first: bool = False,
) -> Verdict:  # fmt: skip
    """Downpour against Dean's client, one dictionary of local variables a worker."""
    problem, gamma = uneven(), 0.05
    method = Downpour(ConstantStep(gamma), TICKS, TIMES, n_push, n_fetch, push_first=push_first)
    schedule = ParameterServer(ConstantStep(gamma), TICKS, TIMES).schedule(5)
    x = [problem.start()]
    clients = [_Client(x[0], torch.zeros_like(x[0])) for _ in range(5)]
    for t, (worker, _) in enumerate(arrivals(schedule)):
        mine, server = clients[worker], x[t]
        g = drawn_gradient(problem, mine.x, worker, t)
        mine.accrued, mine.x = mine.accrued + g, mine.x - gamma * g
        if (mine.step if push_first else mine.step + 1) % n_push == 0:
            server, mine.accrued = server - gamma * mine.accrued, torch.zeros_like(g)
        mine.step += 1
        if mine.step % n_fetch == 0:
            mine.x = server
        x.append(server)
    return identity(
        "downpour", f"pushes every {n_push}, fetches every {n_fetch} gradients",
        ran(build(method), problem), torch.stack(x), check="replay of clients",
        problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def downpour() -> tuple[Verdict, ...]:
    """Every step, periods, and pushing before fetching."""
    return (
        downpour_client(n_push=1, n_fetch=1), downpour_client(), downpour_client(push_first=True),
    )  # fmt: skip


CLOSED_FORMS = (downpour,)
