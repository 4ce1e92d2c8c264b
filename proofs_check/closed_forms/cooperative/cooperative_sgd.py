"""Cooperative SGD: columns are mixed, and three methods are special cases of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.cooperative.cooperative import (
    Central,
    Cooperative,
    Gossip,
    MixingOrder,
    averaging,
    elastic,
)
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.synchronisation.periods import PostLocal
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.asynchronous.replays import SEED, uneven
from proofs_check.closed_forms.cooperative.replays import (
    GAMMA,
    STEP,
    TOLD,
    N,
    gradients,
    rows_along,
    same,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict

Build = Callable[[Any], Method[Any]]


def columns_are_mixed(build: Build = same) -> Verdict:
    """X+ = (X - gamma G) S for an S that is not symmetric, with an auxiliary column."""
    problem, period, size = uneven(), 2, N + 1
    raw = np.random.default_rng(5).random((size, size)) + np.eye(size)
    s = raw / raw.sum(0)
    x = torch.stack([problem.start()] * size)
    due = [x[:N]]
    for t in range(20):
        x = x.clone()
        x[:N] -= GAMMA * torch.stack(gradients(problem, list(x[:N]), t))
        if (t + 1) % period == 0:
            x = (x.T @ torch.from_numpy(s)).T
        due.append(x[:N])
    mixing = Central(tuple(tuple(row) for row in s.tolist()), N)
    return identity(
        "cooperative-sgd", "columns are mixed by S from the right",
        rows_along(build(Cooperative(STEP, mixing, period)), problem, 20), torch.stack(due),
        check="X S, S not symmetric", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def covers_local_sgd() -> Verdict:
    """Cooperative SGD with W = J, full averaging, is local SGD."""
    problem = uneven()
    return identity(
        "cooperative-sgd", "W = J is local SGD",
        rows_along(Cooperative(STEP, averaging(N), 4), problem, 30),
        rows_along(LocalSGD(STEP, 4), problem, 30), check="special case", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def covers_d_psgd() -> Verdict:
    """tau = 1 on a ring is D-PSGD, bit for bit, with its gradient beside the mixing."""
    problem = uneven()
    method = Cooperative(STEP, Gossip(Ring(N)), order=MixingOrder.BESIDE)
    return identity(
        "cooperative-sgd", "H = 1 is D-PSGD, bit for bit", rows_along(method, problem, 30),
        rows_along(DPSGD(STEP, Ring(N)), problem, 30), check="special case",
        problem="quadratic", tolerance=0.0,
        provenance=TOLD,
    )  # fmt: skip


def covers_easgd() -> Verdict:
    """One auxiliary column is EASGD's centre."""
    problem, alpha, period = uneven(), 0.07, 3
    method = Cooperative(STEP, elastic(N, alpha), PostLocal(1, period), MixingOrder.BESIDE)
    got = [m.state.extra[0, 0].clone() for m in path(method, problem, 30, seed=SEED)]
    due = models(EASGD(STEP, alpha, period=period), problem, 30, seed=SEED)[:, 0]
    return identity(
        "cooperative-sgd", "one auxiliary column is EASGD's centre", torch.stack(got), due,
        check="special case", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def cooperative_sgd() -> tuple[Verdict, ...]:
    """The update, and local SGD, D-PSGD and EASGD as its special cases."""
    return (columns_are_mixed(), covers_local_sgd(), covers_d_psgd(), covers_easgd())


CLOSED_FORMS = (cooperative_sgd,)
