r"""SAPS-PSGD: contraction coordinate by coordinate, what is kept and what is sent.

Masked with probability p and averaged with W_t (a matching: W_t^T W_t = W_t), one coordinate's
deviation z obeys E||z'||^2 = (1 - p) ||z||^2 + p z^T W_t z exactly, and its second moment
M' = (1 - p) M + p W_t M W_t. Masks are drawn alike by all workers, so the mean is kept for any
mask, and messages hold values alone. (Tang, Shi, Chu 2020, arXiv:2002.09692.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth, pair_matrix
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge, RandomMixing
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import standing
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import path, world_of
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

Build = Callable[[SAPSPSGD], Method[Any]]

_N, _D, _SEED, _REPLICAS = 8, 12, 83, 512
_COMPRESSION = 4.0
_ROW, _PROBLEM = "saps-psgd", "consensus"
_NO_STEP = ConstantStep(1e-300)


def _as_it_is(method: SAPSPSGD) -> Method[Any]:
    return method


def matched(n: int = _N) -> BandwidthMatching:
    """Peers by drawn bandwidths."""
    return BandwidthMatching(drawn_bandwidth(n, _SEED), 3)


def averages(method: Method[Any], b: Floats, steps: int, replicas: int = _REPLICAS) -> Floats:
    """Models ``[steps + 1, R, n, d]`` of averages alone, worker i from b_i ``[n, d]``."""
    problem = standing(b)
    context = world_of(problem, _SEED, replicas)
    state = method.init(problem.start(), context)
    state = state._replace(x=torch.from_numpy(b).expand(replicas, *b.shape).clone())
    moments = path(method, problem, steps, seed=_SEED, replicas=replicas, state=state)
    return np.stack([method.models(m.state).numpy() for m in moments])


saps = ClosedForms(_ROW, _PROBLEM, name="saps")
"""Closed forms of saps."""


@saps.case(
    "exact second moment",
    f"c = {_COMPRESSION:g}, {_REPLICAS} replicas of {_D} independent coordinates, seed {_SEED}",
)
def contraction_by_coordinate(build: Build = _as_it_is, steps: int = 12) -> Verdict:
    """E||z_t||^2 of every coordinate, M' = (1 - p) M + p W_t M W_t iterated exactly."""
    z = np.random.default_rng(_SEED).normal(size=(_N, 1))
    b = np.repeat(z - z.mean(), _D, axis=1)
    peers, p = matched(), 1 / _COMPRESSION
    x = averages(build(SAPSPSGD(_NO_STEP, peers, _COMPRESSION)), b, steps)
    moment = b[:, :1] @ b[:, :1].T
    for t in range(steps):
        w = pair_matrix(peers.peers(t))
        moment = (1 - p) * moment + p * w @ moment @ w
    return mean_is(
        f"E sum_i z_i^2 of one coordinate after {steps} steps is that of "
        "M' = (1-p) M + p W_t M W_t",
        np.square(x[-1]).sum(axis=1), float(np.trace(moment)),
    )  # fmt: skip


@saps.case("measured contraction", f"10 steps, {8 * _REPLICAS} replicas, seed {_SEED}")
def random_pairs(build: Build = _as_it_is) -> Verdict:
    """A random pair of the complete graph and a mask: (1 - p/(n-1)) a step, from any start."""
    b = np.random.default_rng(_SEED).normal(size=(_N, _D))
    b -= b.mean(axis=0)
    method = SAPSPSGD(_NO_STEP, RandomEdge(Complete(_N)), _COMPRESSION)
    x = averages(build(method), b, 10, 8 * _REPLICAS)
    factor = 1 - 1 / (_COMPRESSION * (_N - 1))
    return mean_is(
        "a random pair averages a mask: E||z||^2 falls by 1 - p/(n-1) a step",
        np.square(x[-1]).sum(axis=(1, 2)) / np.square(b).sum(), factor**10,
    )  # fmt: skip


@saps.case("mean kept", f"20 steps, 8 replicas, seed {_SEED}")
def mean_is_kept(build: Build = _as_it_is) -> Verdict:
    """The shared mask keeps the mean over workers in every coordinate."""
    b = np.random.default_rng(_SEED).normal(size=(_N, _D))
    x = averages(build(SAPSPSGD(_NO_STEP, matched(), _COMPRESSION)), b, 20, 8)
    return same("the mean over workers is kept, whatever the mask", x.mean(axis=2), b.mean(axis=0))


@saps.case("exact products", f"9 steps, seed {_SEED}")
def uncompressed(build: Build = _as_it_is) -> Verdict:
    """c = 1: X_t = W_{t-1} ... W_0 X_0."""
    b = np.random.default_rng(_SEED).normal(size=(_N, _D))
    peers = matched()
    x = averages(build(SAPSPSGD(_NO_STEP, peers, 1.0)), b, 9, 2)
    expected = [b]
    for t in range(9):
        expected.append(pair_matrix(peers.peers(t)) @ expected[-1])
    return same(
        "without compression models are products of the matchings' W_t", x,
        np.array(expected)[:, None],
    )  # fmt: skip


@saps.case("bits of shared masks")
def values_alone(build: Build = _as_it_is) -> Verdict:
    """The ledger: every worker pays 64 bits for each coordinate of the mask, no index."""
    replicas = 256
    b = np.random.default_rng(_SEED).normal(size=(_N, _D))
    problem, method = standing(b), build(SAPSPSGD(_NO_STEP, matched(), _COMPRESSION))
    context = world_of(problem, _SEED, replicas)
    state = method.init(problem.start(), context)
    apart = torch.from_numpy(b).expand(replicas, _N, _D).clone()
    after = method.models(method.step(state._replace(x=apart), 0, context))
    count = (apart != after).any(-2).sum(-1)[:, None]  # coordinates that some worker moved
    met = np.array(matched().peers(0)) != np.arange(_N)
    return same(
        "a message costs 64 bits for each coordinate of the mask and nothing for indices",
        context.network.account((replicas,)).sent_bits.double().numpy(), 64.0 * count.numpy() * met,
        words=f"one step, {replicas} replicas, seed {_SEED}",
    )  # fmt: skip


@saps.case("all matchings of 6", on="bandwidths")
def matchings_are_heaviest() -> Verdict:
    """Matchings are heaviest where the edges of the last steps join all workers: exhaustive."""
    heavy, free = [], []
    for seed in range(6):
        bandwidth = np.array(drawn_bandwidth(6, seed))
        peers = BandwidthMatching(drawn_bandwidth(6, seed), 3)
        best = max(_carried(bandwidth, pairs) for pairs in _matchings(tuple(range(6))))
        used: list[set[tuple[int, int]]] = []
        for t in range(24):
            pairs = {(min(i, j), max(i, j)) for i, j in enumerate(peers.peers(t)) if i != j}
            graph = nx.Graph()
            graph.add_nodes_from(range(6))
            graph.add_edges_from(edge for step in used[-3:] for edge in step)
            if nx.is_connected(graph):
                heavy.append(_carried(bandwidth, tuple(pairs)))
                free.append(best)
            used.append(pairs)
    return same(
        "the matching of connected steps carries the greatest total bandwidth", np.array(heavy),
        np.array(free), words=f"{len(heavy)} such steps of 144, six drawn matrices",
    )  # fmt: skip


def _matchings(nodes: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """All perfect matchings of an even number of nodes."""
    if not nodes:
        return [()]
    first, rest = nodes[0], nodes[1:]
    return [
        ((first, other), *tail)
        for other in rest
        for tail in _matchings(tuple(j for j in rest if j != other))
    ]


def _carried(bandwidth: Floats, pairs: tuple[tuple[int, int], ...]) -> float:
    return float(sum(bandwidth[i, j] for i, j in pairs))


@saps.case("second eigenvalue", "n = 2 ... 12, recency 3", on="bandwidths")
def everyone_in_touch(match: Callable[[int], RandomMixing] = matched) -> Verdict:
    """E W over the repeating part: second eigenvalue below 1, for n = 2 ... 12."""
    worst = max(float(np.linalg.eigvalsh(match(n).expected() - 1.0 / n)[-1]) for n in range(2, 13))
    return same(
        "bandwidth matchings mix: the second eigenvalue of the mean W is below 1",
        float(worst < 1 - 1e-6), 1.0, note=f"the largest is {worst:.6f}",
    )  # fmt: skip


COVERS = {"saps": ("saps-psgd",)}
