r"""Gossip dual averaging of functions of pairs: what guests are worth, and how fast it converges.

Samples sorted by label, so that a worker's own pairs say nothing of the order of the classes. The
gradient of worker i at a fixed point is, t ticks on, the mean over who visits it: its expectation
is sum_j ((2 E W - I)^t)_{ij} G_{ij}, which tends to the gradient of f_i. And f at the workers'
average models falls, where own pairs alone leave it where it was. Colin et al. 2016
(arXiv:1606.02421) state O(1/sqrt T) and a bias that vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    TravellingSamples,
)
from algorithms.problems.pairwise import PairwiseLogistic, breast_cancer_pairs
from algorithms.problems.partitions import SortedByLabel
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult, exponent
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.orders.gossip_dual_averaging import gossip_dual_averaging as stated
from theory.stepsizes import ConstantStep, InverseRootStep, Stepsize

Build = Callable[[Stepsize, RandomEdge, TravellingSamples], Method[Any]]

_N, _SAMPLES, _LAM, _SEED = 6, 4, 0.05, 101
_TICKS, _REPLICAS = (1, 4, 16, 48), 256
_STEPS, _RUNS, _SCALE = 1600, 4, 0.2


def problem() -> PairwiseLogistic:
    """Six workers with four samples each."""
    return breast_cancer_pairs(_N, _LAM, samples=_SAMPLES, partition=SortedByLabel())


def between(pairs: PairwiseLogistic, x: Tensor) -> Tensor:
    """G_ij ``[n, n, d]``: the gradient at x of worker i visited by j."""
    own, y = pairs.features[:, None], pairs.labels[:, None]
    return pairs.between(x, own, y, pairs.features[None], pairs.labels[None])


def visits(build: Build, pairs: PairwiseLogistic) -> Iterator[Verdict]:
    """E of all workers' gradients along grad f at x = 0, whoever visits, after some ticks."""
    edges, source = RandomEdge(Ring(_N)), TravellingSamples(pairs)
    swap = 2 * edges.expected() - np.eye(_N)
    x = torch.zeros(pairs.d, dtype=pairs.dtype)
    towards = pairs.mean_gradient(x)
    along = (between(pairs, x) @ towards / towards.square().sum()).numpy()
    method = build(ConstantStep(1e-9), edges, source)
    for moment in path(method, pairs, max(_TICKS), seed=_SEED, replicas=_REPLICAS):
        if moment.t in _TICKS:
            g = source.gradient(x.expand(_REPLICAS, _N, -1), moment.state.guests, 0, moment.context)
            law = np.linalg.matrix_power(swap, moment.t)
            yield mean_value(
                "gossip-dual-averaging",
                f"mean gradient after {moment.t} ticks = sum of ((2 E W - I)^t)_ij G_ij",
                (g @ towards / towards.square().sum()).mean(-1).numpy(),
                float((law * along).sum() / _N),
                check="law of the guests", problem=pairs.name,
                provenance=f"ring of {_N}, sorted by label, along grad f, of which it is this "
                f"share; {_REPLICAS} replicas, seed {_SEED}",
            )  # fmt: skip


def falling(build: Build, pairs: PairwiseLogistic) -> tuple[Floats, Floats]:
    """Steps, and f at the mean of the workers' average models minus f*, a mean over replicas."""
    method = build(InverseRootStep(_SCALE), RandomEdge(Ring(_N)), TravellingSamples(pairs))
    at, total, found = np.unique(np.geomspace(10, _STEPS, 12).astype(int)), torch.zeros(1), []
    best = pairs.f_star
    assert best is not None
    for moment in path(method, pairs, _STEPS - 1, seed=_SEED + 1, replicas=_RUNS):
        total = method.models(moment.state).mean(-2) + total
        if moment.t + 1 in at:
            found.append(float(pairs.value(total / (moment.t + 1)).mean()) - best)
    return at.astype(np.float64), np.array(found)


def measure(build: Build = GossipDualAveraging) -> StudyResult:
    """The law of the guests, asserted; the rate, compared."""
    pairs = problem()
    x, y = falling(build, pairs)
    late = x >= 100
    slope, start = exponent(x[late], y[late]), pairs.constants().need("initial_gap")
    rate = Verdict(
        subject="gossip-dual-averaging", problem=pairs.name,
        claim=f"{stated.title}: {stated.order}", check="rate in T",
        kind=CheckKind.RATE, outcome=Outcome.COMPARED,
        statistic=slope, bound=-0.5, order=str(stated.order), exponent=Fraction(-1, 2),
        evidence=f"exponent of T {slope:.3f} from T = 100 on; f falls from {start:.4f} to "
        f"{y[-1]:.4f} above f*",
        provenance=f"{stated.source}; {_RUNS} replicas, seed {_SEED + 1}, alpha_t "
        f"{_SCALE}/sqrt(t + 1)",
    )  # fmt: skip
    reference = y[-1] * (x / x[-1]) ** -0.5
    curves = [PanelLine("average model", x, y), PanelLine("T^(-1/2)", x, reference, theory=True)]
    return StudyResult((*visits(build, pairs), rate), curves)


STUDY = Study(
    "pairwise_bias",
    "gossip-dual-averaging",
    "pairwise-logistic",
    "guests take the bias out of gradients over pairs",
    "steps",
    "f(average of the models) - f*",
    measure,
)
