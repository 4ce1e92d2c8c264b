"""Studies: dual averaging gap, pairwise bias."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    TravellingSamples,
)
from algorithms.methods.parts.gradients import Full, Gradients, Sampled
from algorithms.problems.pairwise import PairwiseLogistic, breast_cancer_pairs
from algorithms.problems.partitions import SortedByLabel
from algorithms.sets.geometry import Euclidean, Geometry
from algorithms.topologies.base import Topology
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine
from proofs_check.evidence.gossip.studies import topologies
from proofs_check.evidence.gossip_convex.studies import setting, stated
from proofs_check.instruments.evidence import ALPHA, mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult, exponent, noise_free_rate, study
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.orders.gossip_dual_averaging import gossip_dual_averaging as pairwise_bias_stated
from theory.stepsizes import ConstantStep, InverseRootStep, Stepsize
from theory.theorems.dual_averaging import dual_averaging as theorem

# Dual averaging under its bound on four graphs, and what the gap does to it.
#
# Logistic regression on shards sorted by label, without a regulariser, all samples of length 1:
# every sample's gradient is at most 1 long. Each worker's running average of models is held against
# 8 R l log(T sqrt n)/sqrt(T (1 - sigma)) and the sharper form it is derived from, at the prescribed
# stepsize, over the whole curve; the point compared with minimises the regularised problem, any
# point being allowed. And the steps to a given accuracy on rings of growing size: no more than in
# proportion to 1/gap.


DualAveragingGapBuild = Callable[[Stepsize, Topology, Geometry, Gradients], Method[Any]]
_DUAL_AVERAGING_GAP_N, _DUAL_AVERAGING_GAP_STEPS, _DUAL_AVERAGING_GAP_SEED = 16, 200, 98
_DUAL_AVERAGING_GAP_REPLICAS = (
    48  # a mean r times its bound is refuted by 32 / log r: 48 see twice the bound
)
_RINGS, _TARGET, _MOST = (4, 6, 8, 12, 16), 0.25, 1000


def averages(
    build: DualAveragingGapBuild, graph: Topology, steps: int, replicas: int
) -> tuple[Floats, Floats]:
    """f(xhat_i) - f(x*) ``[R, n, steps]`` after 1, 2, ... steps, and its bound ``[steps]``."""
    problem, point = setting(graph.n)
    c, best = stated(graph, point), problem.value(point)
    step = theorem.stepsize(c, steps)
    method = build(step, graph, Euclidean(), Sampled())
    total, found = torch.zeros(1), []
    for moment in path(
        method, problem, steps - 1, seed=_DUAL_AVERAGING_GAP_SEED, replicas=replicas
    ):
        total = method.models(moment.state) + total
        found.append(problem.value(total / (moment.t + 1)) - best)
    return torch.stack(found, -1).numpy(), theorem.bound(c, step, np.arange(1.0, steps + 1))


def under_bound(
    build: DualAveragingGapBuild, graph: Topology, steps: int = _DUAL_AVERAGING_GAP_STEPS
) -> tuple[Verdict, list[PanelLine]]:
    """The worst worker's mean curve under the bound."""
    series, bound = averages(build, graph, steps, _DUAL_AVERAGING_GAP_REPLICAS)
    worst = series[:, series.mean(axis=(0, 2)).argmax()]
    c = stated(graph, setting(graph.n)[1])
    x = np.arange(1.0, steps + 1)
    printed = theorem.printed(c, x)[-1]
    verdict = curve_under_bound(
        worst,
        bound,
        ALPHA,
        subject="gossip-dual-averaging",
        problem="logistic regression, lam 0",
        floor=1e-13,
        claim=f"worst worker's average under {theorem.name} on {graph.name}",
        provenance=f"{theorem.source}; {steps} steps, {_DUAL_AVERAGING_GAP_REPLICAS} "
        f"replicas, seed {_DUAL_AVERAGING_GAP_SEED}, label "
        f"sorted; at the end {worst[:, -1].mean():.4g}, bound {bound[-1]:.4g}, printed "
        f"{printed:.4g}, error {ALPHA:g}",
    )
    label, mean = graph.name, worst.mean(axis=0)
    return verdict, [PanelLine(label, x, mean), PanelLine(f"bound, {label}", x, bound, theory=True)]


def steps_to(build: DualAveragingGapBuild, graph: Topology) -> float:
    """Steps until the running average of every worker is within the target, without noise.

    Raises:
        ArithmeticError: it is not within the longest run.
    """
    problem, point = setting(graph.n)
    best, step = problem.value(point), theorem.stepsize(stated(graph, point), 1)
    method = build(step, graph, Euclidean(), Full())
    total = torch.zeros(1)
    for moment in path(method, problem, _MOST):
        total = method.models(moment.state) + total
        if moment.t % 2 == 0:
            now = (problem.value(total / (moment.t + 1)) - best).max()
            if float(now) <= _TARGET:
                return float(moment.t + 1)
    raise ArithmeticError(f"{_TARGET} is not reached within {_MOST} steps on {graph.name}")


def on_rings(build: DualAveragingGapBuild) -> Verdict:
    """At most proportional to 1/gap."""
    rings = [Ring(n) for n in _RINGS]
    gaps = np.array([1 - ring.constants().need("lam") for ring in rings])
    y = np.array([steps_to(build, ring) for ring in rings])
    return noise_free_rate(
        1 / gaps, y, 1.0, 0.1, tight=False, variable="1/gap", subject="gossip-dual-averaging",
        problem="logistic regression, lam 0",
        claim=f"steps to {_TARGET} on rings grow at most as 1/gap, at the prescribed stepsize",
        provenance=f"n = {_RINGS}, steps {[int(v) for v in y]}, no noise, no seed",
    )  # fmt: skip


@study(
    "gossip-dual-averaging",
    "logistic regression, lam 0",
    "dual averaging stays under its bound on every graph",
    "steps",
    "f(average of the worst worker) - f(x*)",
)
def dual_averaging_gap_measure(build: DualAveragingGapBuild = DualAveraging) -> StudyResult:
    """Four graphs under the bound, rings of growing size."""
    verdicts: list[Verdict] = []
    curves: list[PanelLine] = []
    for graph in topologies(_DUAL_AVERAGING_GAP_N):
        verdict, lines = under_bound(build, graph)
        verdicts.append(verdict)
        curves += lines
    return StudyResult((*verdicts, on_rings(build)), curves)


# Gossip dual averaging of functions of pairs: what guests are worth, and how fast it converges.
#
# Samples sorted by label, so that a worker's own pairs say nothing of the order of the classes. The
# gradient of worker i at a fixed point is, t ticks on, the mean over who visits it: its expectation
# is sum_j ((2 E W - I)^t)_{ij} G_{ij}, which tends to the gradient of f_i. And f at the workers'
# average models falls, where own pairs alone leave it where it was. Colin et al. 2016
# (arXiv:1606.02421) state O(1/sqrt T) and a bias that vanishes.


PairwiseBiasBuild = Callable[[Stepsize, RandomEdge, TravellingSamples], Method[Any]]

_PAIRWISE_BIAS_N, _SAMPLES, _LAM, _PAIRWISE_BIAS_SEED = 6, 4, 0.05, 101
_TICKS, _PAIRWISE_BIAS_REPLICAS = (1, 4, 16, 48), 256
_PAIRWISE_BIAS_STEPS, _RUNS, _SCALE = 1600, 4, 0.2


def problem() -> PairwiseLogistic:
    """Six workers with four samples each."""
    return breast_cancer_pairs(_PAIRWISE_BIAS_N, _LAM, samples=_SAMPLES, partition=SortedByLabel())


def between(pairs: PairwiseLogistic, x: Tensor) -> Tensor:
    """G_ij ``[n, n, d]``: the gradient at x of worker i visited by j."""
    own, y = pairs.features[:, None], pairs.labels[:, None]
    return pairs.between(x, own, y, pairs.features[None], pairs.labels[None])


def visits(build: PairwiseBiasBuild, pairs: PairwiseLogistic) -> Iterator[Verdict]:
    """E of all workers' gradients along grad f at x = 0, whoever visits, after some ticks."""
    edges, source = RandomEdge(Ring(_PAIRWISE_BIAS_N)), TravellingSamples(pairs)
    swap = 2 * edges.expected() - np.eye(_PAIRWISE_BIAS_N)
    x = torch.zeros(pairs.d, dtype=pairs.dtype)
    towards = pairs.mean_gradient(x)
    along = (between(pairs, x) @ towards / towards.square().sum()).numpy()
    method = build(ConstantStep(1e-9), edges, source)
    for moment in path(
        method, pairs, max(_TICKS), seed=_PAIRWISE_BIAS_SEED, replicas=_PAIRWISE_BIAS_REPLICAS
    ):
        if moment.t in _TICKS:
            g = source.gradient(
                x.expand(_PAIRWISE_BIAS_REPLICAS, _PAIRWISE_BIAS_N, -1),
                moment.state.guests,
                0,
                moment.context,
            )
            law = np.linalg.matrix_power(swap, moment.t)
            yield mean_value(
                "gossip-dual-averaging",
                f"mean gradient after {moment.t} ticks = sum of ((2 E W - I)^t)_ij G_ij",
                (g @ towards / towards.square().sum()).mean(-1).numpy(),
                float((law * along).sum() / _PAIRWISE_BIAS_N),
                check="law of the guests",
                problem=pairs.name,
                provenance=f"ring of {_PAIRWISE_BIAS_N}, sorted by label, along grad f, of "
                f"which it is this "
                f"share; {_PAIRWISE_BIAS_REPLICAS} replicas, seed {_PAIRWISE_BIAS_SEED}",
            )


def falling(build: PairwiseBiasBuild, pairs: PairwiseLogistic) -> tuple[Floats, Floats]:
    """Steps, and f at the mean of the workers' average models minus f*, a mean over replicas."""
    method = build(
        InverseRootStep(_SCALE), RandomEdge(Ring(_PAIRWISE_BIAS_N)), TravellingSamples(pairs)
    )
    at, total, found = (
        np.unique(np.geomspace(10, _PAIRWISE_BIAS_STEPS, 12).astype(int)),
        torch.zeros(1),
        [],
    )
    best = pairs.f_star
    assert best is not None
    for moment in path(
        method, pairs, _PAIRWISE_BIAS_STEPS - 1, seed=_PAIRWISE_BIAS_SEED + 1, replicas=_RUNS
    ):
        total = method.models(moment.state).mean(-2) + total
        if moment.t + 1 in at:
            found.append(float(pairs.value(total / (moment.t + 1)).mean()) - best)
    return at.astype(np.float64), np.array(found)


@study(
    "gossip-dual-averaging",
    "pairwise-logistic",
    "guests take the bias out of gradients over pairs",
    "steps",
    "f(average of the models) - f*",
)
def pairwise_bias_measure(build: PairwiseBiasBuild = GossipDualAveraging) -> StudyResult:
    """The law of the guests, asserted; the rate, compared."""
    pairs = problem()
    x, y = falling(build, pairs)
    late = x >= 100
    slope, start = exponent(x[late], y[late]), pairs.constants().need("initial_gap")
    rate = Verdict(
        subject="gossip-dual-averaging",
        problem=pairs.name,
        claim=f"{pairwise_bias_stated.title}: {pairwise_bias_stated.order}",
        check="rate in T",
        kind=CheckKind.RATE,
        outcome=Outcome.COMPARED,
        statistic=slope,
        bound=-0.5,
        order=str(pairwise_bias_stated.order),
        exponent=Fraction(-1, 2),
        evidence=f"exponent of T {slope:.3f} from T = 100 on; f falls from {start:.4f} to "
        f"{y[-1]:.4f} above f*",
        provenance=f"{pairwise_bias_stated.source}; {_RUNS} replicas, seed "
        f"{_PAIRWISE_BIAS_SEED + 1}, alpha_t "
        f"{_SCALE}/sqrt(t + 1)",
    )
    reference = y[-1] * (x / x[-1]) ** -0.5
    curves = [PanelLine("average model", x, y), PanelLine("T^(-1/2)", x, reference, theory=True)]
    return StudyResult((*visits(build, pairs), rate), curves)
