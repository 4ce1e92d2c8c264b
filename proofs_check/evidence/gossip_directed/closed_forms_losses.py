r"""Cost of lost messages, a dead worker and a partition to push-sum and plain averaging, exactly.

A message lost from push-sum takes mass (m_s, m_w) with it, and the workers agree on
(n \bar x - m_s) / (n - m_w). With losses of probability p on the directed ring the weight left
after T rounds is n (1 - p/2)^T in expectation. Averaging that takes its own value instead keeps
rows, not columns: the mean moves at random, with second moments E (W \otimes W)^T. A sender that is
told and keeps what was lost loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product as every
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks
from algorithms.methods.exchanges.unreliable import LostWeight, Unreliable
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.losses import DeadNode, Losses, LostMessage, RandomLosses
from algorithms.topologies.partitioned import Partitioned
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_directed.closed_forms import DIGRAPH, perron, ratios
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import Snapshot, path
from proofs_check.verdict import Verdict
from theory.arrays import Floats

Build = Callable[[Exchange], Method[Any]]

_ROUNDS, _LIMIT = 150, 1e-9  # by then all agree to this


def starts(problem: Quadratic) -> Floats:
    """Starts of the workers ``[n, d]``."""
    zero = torch.zeros(problem.d, dtype=torch.float64)
    return problem.all_gradients(zero).neg().numpy()


def ending(
    build: Build, graph: MixingSequence, losses: Losses, lost: LostWeight, rounds: int = _ROUNDS
) -> tuple[Snapshot, Quadratic]:
    """The last moment of push-sum from standard normal starts, with these losses."""
    problem = consensus_problem(graph.n, 3, 44)
    *_, last = path(build(Unreliable(FixedLinks(graph), losses, lost)), problem, rounds)
    return last, problem


lost_messages = ClosedForms("push-sum", name="lost_messages")
"""Closed forms of push-sum."""


@lost_messages.case("lost mass", on="quadratic")
def one_lost_message(build: Build = PushSum) -> Verdict:
    """Every link of the graph loses its message of step 3, one at a time."""
    p, step, measured, expected = DIGRAPH.matrix(0), 3, [], []
    for i, j in zip(*np.nonzero(p - np.diag(p.diagonal())), strict=True):
        loss = LostMessage(int(j), int(i), step)
        last, problem = ending(build, DIGRAPH, loss, LostWeight.VANISHES)
        b = starts(problem)
        before = np.linalg.matrix_power(p, step)
        m = p[i, j] * (before @ np.column_stack((b, np.ones(len(b)))))[j]
        measured.append(ratios(last.state)[0].numpy())
        expected.append(np.broadcast_to((b.sum(0) - m[:-1]) / (len(b) - m[-1]), b.shape))
    return same(
        "one message (m_s, m_w) lost: all agree on (n xbar - m_s) / (n - m_w), every link",
        np.array(measured), np.array(expected), tolerance=_LIMIT,
        words=f"{len(measured)} links of {DIGRAPH.name}, lost at step {step}",
    )  # fmt: skip


@lost_messages.case("lost mass")
def weight_left(build: Build = PushSum) -> Iterator[Verdict]:
    r"""E sum w = n (1 - p/2)^T, and E (sum_i s_i - \bar x w_i)^2 by second moments."""
    n, rounds, replicas = 4, 6, 4000
    problem = consensus_problem(n, 1, 49)
    b = starts(problem)[:, 0]
    for k, p in enumerate((0.1, 0.5)):
        exchange = Unreliable(FixedLinks(DirectedRing(n)), RandomLosses(p))
        *_, last = path(build(exchange), problem, rounds, seed=50 + k, replicas=replicas)
        left = last.state.w.sum((-2, -1)).numpy()
        error = (last.state.s - problem.x_star * last.state.w).sum((-2, -1)).numpy()
        due = second_moment(DirectedRing(n).matrix(0), p, LostWeight.VANISHES, b - b.mean(), rounds)
        description = (
            f"{rounds} rounds on the directed ring of {n}, seed {50 + k}, {replicas} replicas"
        )
        yield mean_is(
            f"losses p={p:g}: weight left is n (1 - p/2)^T", left, n * (1 - p / 2) ** rounds,
            on=problem, words=description,
        )  # fmt: skip
        yield mean_is(
            f"losses p={p:g}: E (sum s - xbar sum w)^2 by second moments", error**2, due,
            on=problem, words=description,
        )  # fmt: skip


def second_moment(w: Floats, p: float, lost: LostWeight, x: Floats, rounds: int) -> float:
    r"""E (1^T W_{T-1} ... W_0 x)^2 by powers of E W \otimes W."""
    twice = np.linalg.matrix_power(expected_square(w, p, lost), rounds)
    return float(np.ones(len(twice)) @ twice @ np.kron(x, x))


def expected_square(w: Floats, p: float, lost: LostWeight) -> Floats:
    r"""E W \otimes W ``[n^2, n^2]`` over all sets of lost links, exactly."""
    n = len(w)
    links = [(int(i), int(j)) for i, j in np.argwhere(w - np.diag(w.diagonal()))]
    twice = np.zeros((n * n, n * n))
    for fates in every((False, True), repeat=len(links)):
        m, chance = np.array(w), 1.0
        for (i, j), gone in zip(links, fates, strict=True):
            chance *= p if gone else 1 - p
            if gone:
                home = {
                    LostWeight.VANISHES: None,
                    LostWeight.OWN_INSTEAD: i,
                    LostWeight.RETURNED: j,
                }[lost]
                if home is not None:
                    m[home, home] += w[i, j]
                m[i, j] = 0.0
        twice += chance * np.kron(m, m)
    return twice


@lost_messages.case("drift of the mean")
def drift_of_the_mean(build: Build = PushSum) -> Iterator[Verdict]:
    """Own value instead of a lost one: the mean over workers moves; told senders keep it still."""
    n, rounds, replicas = 4, 8, 4000
    problem = consensus_problem(n, 1, 51)
    b = starts(problem)[:, 0]
    for k, p in enumerate((0.1, 0.5)):
        exchange = Unreliable(FixedLinks(Ring(n)), RandomLosses(p), LostWeight.OWN_INSTEAD)
        *_, last = path(build(exchange), problem, rounds, seed=52 + k, replicas=replicas)
        moved = (ratios(last.state) - problem.x_star).mean((-2, -1)).numpy()
        due = (
            second_moment(Ring(n).matrix(0), p, LostWeight.OWN_INSTEAD, b - b.mean(), rounds) / n**2
        )
        description = f"{rounds} rounds on the ring of {n}, seed {52 + k}, {replicas} replicas"
        yield mean_is(
            f"own value instead, losses p={p:g}: the mean stays in expectation", moved, 0.0,
            on=problem, words=description,
        )  # fmt: skip
        yield mean_is(
            f"own value instead, losses p={p:g}: E (xbar_T - xbar_0)^2 by second moments", moved**2,
            due, on=problem, words=description,
        )  # fmt: skip


@lost_messages.case("lost mass", f"400 rounds on {DIGRAPH.name}")
def told_senders(build: Build = PushSum, lost: LostWeight = LostWeight.RETURNED) -> Verdict:
    """Half of all messages are lost and returned: push-sum still reaches the mean."""
    last, problem = ending(build, DIGRAPH, RandomLosses(0.5), lost)
    return same(
        "lost mass returned to its sender: all reach the mean, losses p=0.5", ratios(last.state),
        problem.x_star, tolerance=_LIMIT, on=problem,
    )  # fmt: skip


@lost_messages.case("dead worker")
def dead_worker(build: Build = PushSum) -> Iterator[Verdict]:
    """Worker 2 dies at step 4: where the others agree, its mass vanishing or returned."""
    dead, start, p = 2, 4, DIGRAPH.matrix(0)
    alive = [i for i in range(DIGRAPH.n) if i != dead]
    for lost in (LostWeight.VANISHES, LostWeight.RETURNED):
        last, problem = ending(build, DIGRAPH, DeadNode(dead, start), lost)
        b = starts(problem)
        held = np.linalg.matrix_power(p, start) @ np.column_stack((b, np.ones(len(b))))
        among = p[np.ix_(alive, alive)]
        shares = perron(among) if lost is LostWeight.VANISHES else np.ones(len(alive))
        total = shares @ held[alive]
        yield same(
            f"a worker dies, what is sent to it {lost.value}: the others agree on v s / v w, v "
            + ("the left Perron vector among them" if lost is LostWeight.VANISHES else "= 1"),
            ratios(last.state)[0, alive], total[:-1] / total[-1], tolerance=_LIMIT, on=problem,
            words=f"{DIGRAPH.name}, worker {dead} dead from step {start}",
        )  # fmt: skip


@lost_messages.case("partition")
def healed_partition(build: Build = PushSum) -> Iterator[Verdict]:
    """Three of seven workers cut off for ten rounds: what all agree on after it heals."""
    part, start, stop = (0, 1, 2), 2, 12
    for lost in LostWeight:
        last, problem = ending(build, DIGRAPH, Partitioned(part, start, stop), lost)
        value = _healed(starts(problem), part, stop - start, start, lost)
        yield same(
            f"a partition that heals, lost weight {lost.value}: the value agreed on",
            ratios(last.state)[0], value, tolerance=_LIMIT,
            note=f"the mean is {np.abs(value - starts(problem).mean(0)).max():.3g} away",
            on=problem, words=f"{DIGRAPH.name}, {part} cut off at steps {start} to {stop - 1}",
        )  # fmt: skip


def _healed(b: Floats, part: tuple[int, ...], cut: int, before: int, lost: LostWeight) -> Floats:
    """sum s / sum w over workers once the cut is over."""
    p = DIGRAPH.matrix(0)
    within = np.isin(np.arange(len(b)), part)
    apart = np.where(within[:, None] == within, p, 0.0)
    gone = p - apart
    kept = {
        LostWeight.VANISHES: 0.0,
        LostWeight.OWN_INSTEAD: gone.sum(1),
        LostWeight.RETURNED: gone.sum(0),
    }[lost]
    apart = apart + np.diag(np.broadcast_to(kept, len(b)))
    held = np.column_stack((b, np.ones(len(b))))
    left = np.linalg.matrix_power(apart, cut) @ np.linalg.matrix_power(p, before) @ held
    return np.asarray(left[:, :-1].sum(0) / left[:, -1].sum())
