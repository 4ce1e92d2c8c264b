r"""Communication sliding on least absolute deviations: error against outer steps.

N outer steps of two rounds of messages and N gradients each, on a hypercube of 8 workers: at most
O(1/N) where f_i is convex, with exact and with sampled subgradients, and O(1/N^2) where a quadratic
makes it strongly convex; hence O(1/eps) and O(1/sqrt eps) rounds, O(1/eps^2) and O(1/eps)
gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.parts.sliding_rules import ConvexSliding, SlidingRule, StronglyConvexSliding
from algorithms.problems.absolute import Absolute
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.hypercube import Hypercube
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import Study, StudyResult, noise_free_rate
from proofs_check.studies.gossip_dual.nonsmooth_settings import PERIODS, problem, ratio, worst_error
from theory.arrays import Floats

Build = Callable[[SlidingRule, StaticTopology, int], Method[Any]]
_N, _LAM, _BATCH, _REPLICAS, _SEED = 8, 1.0, 4, 16, 63


def exact(build: Build, rule: SlidingRule, p: Absolute) -> Floats:
    """Errors of the worst worker for each N, without noise."""
    return np.array([worst_error(build(rule, Hypercube(_N), m), p, m * m) for m in PERIODS])


def sampled(build: Build, rule: SlidingRule, p: Absolute) -> Floats:
    """Errors of the worst worker ``[R, K]`` with stochastic subgradients."""
    columns = []
    for m in PERIODS:
        trace = run(
            build(rule, Hypercube(_N), m), p, steps=m * m, points=2, replicas=_REPLICAS, seed=_SEED
        )
        columns.append(p.value(trace.rows).amax(-1).numpy() - p.f_star)
    return np.stack(columns, axis=1)


def measure(build: Build = CommunicationSliding) -> StudyResult:
    """Fit the three exponents of N, the number of outer steps."""
    x = np.array(PERIODS, dtype=np.float64)
    convex, noisy, strong = problem(_N), problem(_N, batch=_BATCH), problem(_N, lam=_LAM)
    rule = ConvexSliding(ratio(convex))
    plain, samples = exact(build, rule, convex), sampled(build, rule, noisy)
    curved = exact(build, StronglyConvexSliding(_LAM), strong)
    told = f"diabetes sorted by target, whitened; hypercube of {_N}, N = T = 8 to 64, seed 0"
    fit = fit_power(x, samples, ALPHA)
    verdicts = (
        noise_free_rate(
            x, plain, -1.0, 0.0, tight=False, variable="N", subject="dcs", problem=convex.name,
            claim="DCS, convex: error at most O(1/N) in outer steps", provenance=told,
        ),
        rate_verdict(
            fit, -1.0, False, subject="dcs", problem=noisy.name, variable="N",
            claim="SDCS, convex: error at most O(1/N) in outer steps",
            provenance=f"{told}, batches of {_BATCH}, {_REPLICAS} replicas of seed {_SEED}",
        ),
        noise_free_rate(
            x, curved, -2.0, 0.0, tight=False, variable="N", subject="dcs", problem=strong.name,
            claim="DCS, strongly convex: error at most O(1/N^2) in outer steps",
            provenance=f"{told}, mu = {_LAM:g}",
        ),
    )  # fmt: skip
    return StudyResult(
        verdicts,
        [
            PanelLine("DCS, convex", 2 * x, plain),
            PanelLine("SDCS, convex", 2 * x, *band(samples)),
            PanelLine("DCS, strongly convex", 2 * x, curved),
            PanelLine("1/rounds", 2 * x, plain[0] * x[0] / x, theory=True),
            PanelLine("1/rounds^2", 2 * x, curved[0] * (x[0] / x) ** 2, theory=True),
        ],
    )  # fmt: skip


STUDY = Study(
    "sliding_rounds",
    "dcs",
    "lad-diabetes-sorted",
    "communication sliding: error O(1/rounds) convex, O(1/rounds^2) strongly convex",
    "rounds of messages",
    "f - f* at the worst worker",
    measure,
)
