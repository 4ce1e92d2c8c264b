r"""SAPS-PSGD: contraction by coordinate, what is kept and sent, and seconds on uneven links.

Masked with probability p and averaged with W_t (a matching: W_t^T W_t = W_t), one coordinate's
deviation z obeys E||z'||^2 = (1 - p) ||z||^2 + p z^T W_t z exactly, and its second moment
M' = (1 - p) M + p W_t M W_t. Masks are drawn alike by all workers, so the mean is kept for any
mask, and messages hold values alone. (Tang, Shi, Chu 2020, arXiv:2002.09692.)

SAPS-PSGD's two savings, in seconds on links of uneven bandwidth: a mask, and peers that match.

Links of a complete graph of 8 with drawn bandwidths, a factor of 50 apart; a step lasts until the
slowest message is through. D-PSGD on a ring sends everything over whatever links the ring has.
SAPS-PSGD (c = 4) sends a quarter of the coordinates, once to peers matched by bandwidth, once to
peers matched by other bandwidths, drawn alike, that have nothing to do with the links. Seconds
until the workers' mean error has fallen to a level; computing takes no time. (Tang, Shi, Chu 2020,
arXiv:2002.09692, Section IV.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, final

import networkx as nx
import numpy as np
import scipy
import torch
from numpy.typing import NDArray

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth, pair_matrix
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge, RandomMixing
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.gossip_pairwise.closed_forms_averaging import standing
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path, world_of
from proofs_check.instruments.reaching import reached_at
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
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


Peers = Callable[[int], NDArray[np.int64]]
"""Step to the workers that each sends to ``[n, k]``."""

_TIMED_N, _TIMED_D, _TIMED_COMPRESSION, _TIMED_STEPS, _TIMED_REPLICAS, _TIMED_SEED = (
    8,
    20,
    4.0,
    160,
    24,
    67,
)
_LEVEL, _MEGA = 0.1, 1e6
_LINKS, _OTHERS = (drawn_bandwidth(_TIMED_N, seed, 0.2, 10.0) for seed in (1, 2))  # [Mbit/s]
_TIMED_ROW, _TIMED_PROBLEM = "saps-psgd", "quadratic-sc"


@final
class ErrorOverSeconds(NamedTuple):
    """Seconds ``[R, T + 1]`` and error, as a share of the first, ``[R, T + 1]``.

    Attributes:
        seconds: time passed ``[R, T + 1]``.
    """

    seconds: Floats
    error: Floats

    def reached(self) -> Floats:
        """Seconds to the level ``[R]``, between steps; NaN if never."""
        found = np.full(len(self.error), np.nan)
        for r, (error, seconds) in enumerate(zip(self.error, self.seconds, strict=True)):
            k = int(reached_at(error, _LEVEL))
            if k >= 0:
                found[r] = np.interp(_LEVEL, error[[k, k - 1]], seconds[[k, k - 1]])
        return found


def course(method: Method[Any], peers: Peers) -> ErrorOverSeconds:
    """A run, its messages timed on the links."""
    problem = Quadratic.strongly_convex(
        _TIMED_N, _TIMED_D, L=1.0, mu=0.2, sigma2=0.2, zeta2=0.2, R2=4.0
    )
    bandwidth, own = np.array(_LINKS) * _MEGA, np.arange(_TIMED_N)[:, None]
    spent, clock = np.zeros((_TIMED_REPLICAS, _TIMED_N)), np.zeros(_TIMED_REPLICAS)
    seconds, errors = [], []
    for moment in path(method, problem, _TIMED_STEPS, seed=_TIMED_SEED, replicas=_TIMED_REPLICAS):
        sent = moment.context.network.account((_TIMED_REPLICAS,)).sent_bits.double().numpy()
        if moment.t:
            to = peers(moment.t - 1)
            cost = np.where(to == own, 0.0, 1 / np.maximum(bandwidth[own, to], 1e-9)).sum(axis=1)
            clock = clock + ((sent - spent) / to.shape[1] * cost).max(axis=1)
        spent = sent
        seconds.append(clock)
        values = problem.value(method.models(moment.state)).mean(-1)
        errors.append((values - (problem.f_star or 0.0)).numpy())
    error = np.stack(errors, axis=1)
    return ErrorOverSeconds(np.stack(seconds, axis=1), error / error[:, :1])


def matched_by(bandwidth: tuple[tuple[float, ...], ...]) -> ErrorOverSeconds:
    """SAPS-PSGD with peers matched by ``bandwidth``."""
    matching = BandwidthMatching(bandwidth)
    method = SAPSPSGD(ConstantStep(0.1), matching, _TIMED_COMPRESSION)
    return course(method, lambda t: np.array(matching.peers(t))[:, None])


@study(
    _TIMED_ROW,
    _TIMED_PROBLEM,
    "masks and matched peers save seconds on uneven links",
    "communication time [s]",
    "mean of f(x_i) - f* over workers, share of the first",
    name="saps_bandwidth",
)
def measure() -> StudyResult:
    """Error against seconds of the three, and how much sooner each is there."""
    around = (np.arange(_TIMED_N)[:, None] + np.array([[-1, 1]])) % _TIMED_N
    courses = {
        "SAPS-PSGD, peers by bandwidth": matched_by(_LINKS),
        "SAPS-PSGD, peers by chance": matched_by(_OTHERS),
        "D-PSGD, ring": course(DPSGD(ConstantStep(0.1), Ring(_TIMED_N)), lambda _t: around),
    }
    ours, chance, full = courses.values()
    drawn: list[PanelLine] = []
    for label, each in courses.items():
        drawn.append(PanelLine(label, each.seconds.mean(axis=0)[1:], *band(each.error[:, 1:])))
    return StudyResult(
        (
            _sooner(ours, chance, "peers matched by bandwidth are there sooner than by chance"),
            _sooner(chance, full, "a mask of a quarter is there sooner than whole models"),
        ),
        drawn,
    )


def _sooner(one: ErrorOverSeconds, other: ErrorOverSeconds, claim: str) -> Verdict:
    """Is the geometric mean of the ratio of times below 1, beyond its error?"""
    logs = np.log(one.reached() / other.reached())
    mean = float(logs.mean())
    half = float(scipy.stats.t.isf(ALPHA, len(logs) - 1) * logs.std(ddof=1)) / len(logs) ** 0.5
    return Verdict(
        subject=_TIMED_ROW, problem=_TIMED_PROBLEM, check="seconds on uneven links", claim=claim,
        outcome=Outcome.SUPPORTED if mean + half < 0 else Outcome.REFUTED,
        statistic=math.exp(mean), bound=1.0, uncertainty=math.exp(mean + half) - math.exp(mean),
        evidence=f"time to {_LEVEL:g} of the first error times {math.exp(mean):.3f} (factor "
        f"{math.exp(half):.3f} either way)",
        provenance=f"{_TIMED_REPLICAS} replicas, gamma=0.1, links of 0.2 to 10 Mbit/s, "
        f"seed {_TIMED_SEED}, error {ALPHA:g}",
    )  # fmt: skip


COVERS = {"saps": ("saps-psgd",)}
