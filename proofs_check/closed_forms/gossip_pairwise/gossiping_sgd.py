r"""Gossiping SGD: what the iterates are, given who reads whom.

A tick is X' = A X - stale gradients with A row-stochastic: a reader takes the mean of its own model
and of all that reach it. The mean over workers is not kept, only its expectation where calls are
symmetric. (Jin, Yuan, Iandola, Keutzer 2016, arXiv:1611.04581.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip_pairwise.gossiping_sgd import Direction, GossipingSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.complete import Complete
from algorithms.topologies.partners import partners
from proofs_check.closed_forms.gossip_pairwise.ad_psgd import BARRIERS, uneven, walk
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import world_of
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[[GossipingSGD], Method[Any]]

_N, _GAMMA, _SEED, _REPLICAS = 6, 0.2, 71, 4
_ROW = "gossiping-sgd"


def _as_it_is(method: GossipingSGD) -> Method[Any]:
    return method


def follows_the_reads(
    build: Build = _as_it_is,
    direction: Direction = Direction.PULL,
    barrier: Barrier = BARRIERS[1],
    probability: float = 1.0,
    steps: int = 40,
) -> Verdict:
    """Gossiping SGD: every tick against row-stochastic weights and stale gradients, made anew."""
    problem = uneven()
    right = GossipingSGD(
        ConstantStep(_GAMMA), steps, Exponential(), Complete(_N), direction, probability, barrier
    )
    x, moments = walk(build(right), problem, steps)
    expected = np.empty_like(x[1:])
    schedule = moments[0].state.schedule
    for t in range(steps):
        tick, context = schedule.at(t), moments[t].context
        chosen = partners(
            right.topology, context.key.fold("partner", t), context.replicas, tick.arrivals
        ).numpy()
        for r in range(_REPLICAS):
            calls = [
                (i, j) for i, j in zip(tick.arrivals[r].tolist(), chosen[r].tolist(), strict=True)
                if i < _N and _gossips(right, t, context, r, i)
            ]  # fmt: skip
            edges = calls if direction is Direction.PULL else [(j, i) for i, j in calls]
            expected[t, r] = _one_sided(
                x[: t + 1, r], edges, tick.arrivals[r].tolist(), tick.versions[r].tolist(), problem
            )
    return identity(
        _ROW, f"{direction.value}: readers take the mean of what reached them, as it "
        "stood before the tick; then the stale gradient",
        x[1:], expected, check=f"exact products, {barrier.name}, p={probability:g}",
        problem=problem.name,
        provenance=f"{steps} ticks, complete graph of {_N}, {_REPLICAS} replicas, seed {_SEED}",
    )  # fmt: skip


def _gossips(method: GossipingSGD, t: int, context: RunContext, replica: int, worker: int) -> bool:
    key = context.key.fold("partner", t).fold("whether")
    coin = key.draws(torch.tensor([replica]), torch.tensor([[worker]])).uniform(1, torch.float64)
    return bool(coin.item() < method.probability)


def _one_sided(
    history: Floats,
    edges: list[tuple[int, int]],
    who: list[int],
    versions: list[int],
    problem: Quadratic,
) -> Floats:
    """Models after readers took the mean of own and read rows; ``edges`` are (reader, read)."""
    w = np.eye(_N)
    for reader, read in edges:
        w[reader, read] += 1.0
    x: Floats = (w / w.sum(axis=1, keepdims=True)) @ history[-1]
    for i, version in zip(who, versions, strict=True):
        if i < _N:
            point = torch.from_numpy(history[version][None])
            x[i] -= _GAMMA * problem.full_gradient(point, torch.arange(_N))[0, i].numpy()
    return x


def second_moment(
    build: Build = _as_it_is, direction: Direction = Direction.PULL, replicas: int = 8192
) -> tuple[Verdict, ...]:
    r"""One tick of averages alone on the complete graph, one worker arriving, from values a.

    E bar x' = bar a and E (bar x' - bar a)^2 = \frac{1}{4 n^2} E (a_j - a_i)^2 over the n (n - 1)
    ordered pairs: the mean wanders, unlike in averages of pairs. Push gives the same numbers.
    """
    problem = uneven()
    method = build(
        GossipingSGD(ConstantStep(1e-300), 1, Exponential(), Complete(_N), direction,
                     replicas=replicas)
    )  # fmt: skip
    context = world_of(problem, _SEED, replicas)
    state = method.init(problem.start(), context)
    a = np.random.default_rng(_SEED).normal(size=_N)
    rows = torch.from_numpy(np.append(a, 0.0))[:, None].expand(_N + 1, problem.d)
    x = rows.expand(replicas, _N + 1, problem.d).clone()
    after = method.models(method.step(state._replace(x=x, view=x.clone()), 0, context))
    moved = after[..., 0].mean(-1).numpy() - a.mean()
    wander = np.square(a[:, None] - a[None, :]).sum() / (_N * (_N - 1)) / (4 * _N**2)
    told = f"complete graph of {_N}, {replicas} replicas, seed {_SEED}"
    return tuple(
        mean_value(
            _ROW, f"{direction.value}: {claim}", samples, expected, check="exact moments of a tick",
            problem=problem.name, provenance=told,
        )
        for claim, samples, expected in (
            ("the mean over workers stays in expectation", moved, 0.0),
            ("and wanders by E (a_j - a_i)^2 / (4 n^2) in mean square", moved**2, wander),
        )
    )  # fmt: skip


def gossiping_sgd() -> tuple[Verdict, ...]:
    """All of the above, both ways, under three barriers."""
    return (
        *(
            follows_the_reads(direction=direction, barrier=barrier)
            for direction in Direction
            for barrier in BARRIERS
        ),
        *(follows_the_reads(direction=direction, probability=0.4) for direction in Direction),
        *(v for direction in Direction for v in second_moment(direction=direction)),
    )


CLOSED_FORMS = (gossiping_sgd,)
