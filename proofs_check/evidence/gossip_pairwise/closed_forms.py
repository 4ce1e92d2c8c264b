"""Closed forms: ad psgd, gossiping sgd."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.core.key import Key
from algorithms.methods.base import Method, RunContext
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD, conflicts
from algorithms.methods.gossip_pairwise.gossiping_sgd import Direction, GossipingSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Asynchronous, Bulk
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.window import Window
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.partners import partners
from algorithms.topologies.ring import Ring
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import Snapshot, path, world_of
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# AD-PSGD: what the iterates are, given who calls whom.
#
# AD-PSGD is X_{k+1} = W_k X_k - \gamma g_i(\hat X_k) e_i^T, \hat X_k worker i's own model when it
# began: every tick is checked against matrices built anew from the calls and the schedule. The sum
# over workers moves by -\gamma g alone, whatever conflicts there are. (Lian et al. 2018,
# arXiv:1710.06952.)


AdPsgdBuild = Callable[[ADPSGD], Method[Any]]

_N, _D, _GAMMA, _SEED, _REPLICAS = 6, 3, 0.2, 71, 4
_AD_PSGD_ROW = "ad-psgd"
BARRIERS: tuple[Barrier, ...] = (Asynchronous(), Window(0.3), Bulk())


def _ad_psgd_as_it_is(method: ADPSGD) -> Method[Any]:
    return method


def uneven() -> Quadratic:
    """Noise-free quadratics of different curvatures and minimisers."""
    generator = np.random.default_rng(_SEED)
    a, b = generator.uniform(0.5, 1.5, (_N, _D)), generator.normal(size=(_N, _D))
    return Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))


def walk(method: Method[Any], problem: Quadratic, steps: int) -> tuple[Floats, list[Snapshot]]:
    """Models ``[steps + 1, R, n, d]`` and the moments."""
    moments = list(path(method, problem, steps, seed=_SEED, replicas=_REPLICAS))
    return np.stack([method.models(m.state).numpy() for m in moments]), moments


_AD_PSGD_FORMS = ClosedForms(_AD_PSGD_ROW, "complete graph")


@_AD_PSGD_FORMS.case()
def follows_the_matrices(
    build: AdPsgdBuild = _ad_psgd_as_it_is,
    barrier: Barrier = BARRIERS[1],
    bipartite: bool = False,
    steps: int = 40,
) -> Verdict:
    """Every tick against W_k and the stale gradient, both made anew."""
    problem = uneven()
    topology = Ring(_N)
    right = ADPSGD(
        ConstantStep(_GAMMA), steps, Exponential(), topology, barrier, bipartite=bipartite
    )
    x, moments = walk(build(right), problem, steps)
    expected = np.empty_like(x[1:])
    schedule = moments[0].state.schedule
    for t in range(steps):
        tick = schedule.tick(t)
        called = right.called(tick.arrivals, t, moments[t].context).numpy()
        for r in range(_REPLICAS):
            expected[t, r] = _tick(
                x[: t + 1, r], tick.arrivals[r].tolist(), called[r].tolist(),
                tick.versions[r].tolist(), problem,
            )  # fmt: skip
    half = ", one half calls" if bipartite else ""
    return same(
        "X_{k+1} = W_k X_k - gamma g(own model as it was at the start) e_i^T, pairs of a "
        f"tick in the order of ids{half}",
        x[1:], expected, check=f"exact products, {barrier.name}", on=problem,
        words=f"{steps} ticks, ring of {_N}, {_REPLICAS} replicas, seed {_SEED}",
    )  # fmt: skip


def _tick(
    history: Floats, subset: list[int], called: list[int], versions: list[int], problem: Quadratic
) -> Floats:
    """Models ``[n, d]`` after one tick, from those after every tick so far ``[t + 1, n, d]``."""
    x: Floats = history[-1].copy()
    for i, j, version in zip(subset, called, versions, strict=True):
        if i == _N:
            continue
        w = np.eye(_N)
        if i != j:
            w[np.ix_([i, j], [i, j])] = 0.5
        point = torch.from_numpy(history[version][None])
        g = problem.full_gradient(point, torch.arange(_N))[0].numpy()
        x = w @ x
        x[i] -= _GAMMA * g[i]
    return x


@_AD_PSGD_FORMS.case()
def mass_moves_by_gradients(
    build: AdPsgdBuild = _ad_psgd_as_it_is, barrier: Barrier = BARRIERS[1], steps: int = 40
) -> Verdict:
    """gamma = 0 and everyone started apart: the sum over workers stays, conflicts or not."""
    problem = uneven()
    method = build(ADPSGD(ConstantStep(1e-300), steps, Exponential(), Complete(_N), barrier))
    context = world_of(problem, _SEED, _REPLICAS)
    state = method.init(problem.start(), context)
    apart = torch.randn(state.x.shape, generator=torch.Generator().manual_seed(_SEED)).double()
    state = state._replace(x=apart, view=apart.clone())
    moments = path(
        method, problem, steps, seed=_SEED, replicas=_REPLICAS, state=state
    )  # fmt: skip
    sums = np.stack([method.models(m.state).sum(-2).numpy() for m in moments])
    return same(
        "averages of pairs that conflict keep the sum over workers", sums, sums[0],
        check=f"mass kept, {barrier.name}", on=problem,
        words=f"{steps} ticks, complete graph of {_N}, {_REPLICAS} replicas, seed {_SEED}",
    )  # fmt: skip


def called_at_once(topology: StaticTopology, replicas: int) -> NDArray[np.int64]:
    """Whom everyone calls if all do at once ``[R, n]``."""
    ids = torch.arange(topology.n).expand(replicas, topology.n)
    key = Key.seed(_SEED).fold("partner", 0)
    return partners(topology, key, torch.arange(replicas), ids).numpy()


@_AD_PSGD_FORMS.case("conflicts")
def conflicts_counted(n: int = 5, replicas: int = 4000) -> Verdict:
    """All n call at once on the complete graph: mean number of exchanges that must wait."""
    others = [[j for j in range(n) if j != i] for i in range(n)]
    total = sum(waiting(enumerate(choice)) for choice in itertools.product(*others))
    expected = Fraction(total, (n - 1) ** n)
    subset = torch.arange(n).expand(replicas, n)
    found = conflicts(subset, torch.from_numpy(called_at_once(Complete(n), replicas)), n)
    return mean_is(
        f"{n} workers that call at once: {expected} exchanges wait for another on average",
        found.double().numpy(), float(expected),
        words=f"{(n - 1) ** n} choices enumerated; {replicas} replicas, seed {_SEED}",
    )  # fmt: skip


def waiting(pairs: Iterable[tuple[int, int]]) -> int:
    """Number of ``pairs``, one after another, that hold a worker that an earlier one held."""
    met: set[int] = set()
    count = 0
    for pair in pairs:
        count += bool(met & {*pair})
        met |= {*pair}
    return count


def circles(called: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether somebody waits in a circle of three or more ``[R]``, when each worker holds its own
    model and waits for that of whom it ``called`` ``[R, n]`` (itself: waits for nobody).

    Two who call each other are one exchange, not a circle.
    """
    found = np.zeros(len(called), dtype=np.bool_)
    for r, choice in enumerate(called.tolist()):
        for start in range(len(choice)):
            at, length = choice[start], 1
            while at != start and length <= len(choice):
                at, length = choice[at], length + 1
            found[r] |= at == start and length >= 3
    return found


@_AD_PSGD_FORMS.case("deadlock")
def deadlocks(replicas: int = 4000, n: int = 5) -> Verdict:
    """Locks held while calling: how often all wait in a circle, if everyone may call."""
    others = [[j for j in range(n) if j != i] for i in range(n)]
    every = np.array(list(itertools.product(*others)))
    expected = Fraction(int(circles(every).sum()), len(every))
    return mean_is(
        f"{n} workers that hold their model while they call wait in a circle with "
        f"probability {expected}",
        circles(called_at_once(Complete(n), replicas)).astype(np.float64), float(expected),
        words=f"{len(every)} choices enumerated; {replicas} replicas, seed {_SEED}",
    )  # fmt: skip


@_AD_PSGD_FORMS.case("deadlock", f"ring of {_N}, 512 replicas, seed {_SEED}", on="ring")
def no_deadlock(build: Callable[[ADPSGD], ADPSGD] = lambda method: method) -> Verdict:
    """One half calls: whatever they draw, nobody waits in a circle."""
    method = build(ADPSGD(ConstantStep(1.0), 1, Exponential(), Ring(_N), Bulk(), bipartite=True))
    context = world_of(uneven(), _SEED, 512)
    subset = torch.arange(_N).expand(512, _N)
    called = method.called(subset, 0, context).numpy()
    return same(
        "where one half calls and the other answers nobody waits in a circle",
        circles(called).astype(np.float64), 0.0,
    )  # fmt: skip


def ad_psgd() -> tuple[Verdict, ...]:
    """All of the above, under three barriers."""
    return (
        *(follows_the_matrices(barrier=barrier) for barrier in BARRIERS),
        follows_the_matrices(bipartite=True),
        *(mass_moves_by_gradients(barrier=barrier) for barrier in BARRIERS),
        conflicts_counted(), deadlocks(), no_deadlock(),
    )  # fmt: skip


# Gossiping SGD: what the iterates are, given who reads whom.
#
# A tick is X' = A X - stale gradients with A row-stochastic: a reader takes the mean of its own
# model and of all that reach it. The mean over workers is not kept, only its expectation where
# calls are symmetric. (Jin, Yuan, Iandola, Keutzer 2016, arXiv:1611.04581.)


GossipingSgdBuild = Callable[[GossipingSGD], Method[Any]]
_GOSSIPING_SGD_ROW = "gossiping-sgd"


def _gossiping_sgd_as_it_is(method: GossipingSGD) -> Method[Any]:
    return method


_GOSSIPING_SGD_FORMS = ClosedForms(_GOSSIPING_SGD_ROW)


@_GOSSIPING_SGD_FORMS.case()
def follows_the_reads(
    build: GossipingSgdBuild = _gossiping_sgd_as_it_is,
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
        tick, context = schedule.tick(t), moments[t].context
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
    return same(
        f"{direction.value}: readers take the mean of what reached them, as it "
        "stood before the tick; then the stale gradient",
        x[1:], expected, check=f"exact products, {barrier.name}, p={probability:g}", on=problem,
        words=f"{steps} ticks, complete graph of {_N}, {_REPLICAS} replicas, seed {_SEED}",
    )  # fmt: skip


def _gossips(method: GossipingSGD, t: int, context: RunContext, replica: int, worker: int) -> bool:
    key = context.key.fold("partner", t).fold("whether")
    coin = key.draws(torch.tensor([replica]), torch.tensor([[worker]])).uniform(1, torch.float64)
    return bool(coin.item() < method.probability)


def _one_sided(
    history: Floats,
    edges: list[tuple[int, int]],
    subset: list[int],
    versions: list[int],
    problem: Quadratic,
) -> Floats:
    """Models after readers took the mean of own and read rows; ``edges`` are (reader, read)."""
    w = np.eye(_N)
    for reader, read in edges:
        w[reader, read] += 1.0
    x: Floats = (w / w.sum(axis=1, keepdims=True)) @ history[-1]
    for i, version in zip(subset, versions, strict=True):
        if i < _N:
            point = torch.from_numpy(history[version][None])
            x[i] -= _GAMMA * problem.full_gradient(point, torch.arange(_N))[0, i].numpy()
    return x


@_GOSSIPING_SGD_FORMS.case("exact moments of a tick")
def second_moment(
    build: GossipingSgdBuild = _gossiping_sgd_as_it_is,
    direction: Direction = Direction.PULL,
    replicas: int = 8192,
) -> Iterator[Verdict]:
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
    description = f"complete graph of {_N}, {replicas} replicas, seed {_SEED}"
    for claim, samples, expected in (
        ("the mean over workers stays in expectation", moved, 0.0),
        ("and wanders by E (a_j - a_i)^2 / (4 n^2) in mean square", moved**2, wander),
    ):
        yield mean_is(
            f"{direction.value}: {claim}", samples, expected, on=problem, words=description
        )


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


CLOSED_FORMS = (ad_psgd, gossiping_sgd)
