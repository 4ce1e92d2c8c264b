r"""Rounds of push-sum on five networks, and averaging that stalls at the Perron-weighted value.

The largest error of any z_i against rounds, n = 8, one start. One-peer exponential: gone after
log2 n = 3 rounds. Directed ring: cos(pi/n) a round in the end. Uniform gossip:
E\|s - \bar x w\|^2 falls by its exact factor. Row-stochastic averaging on a graph with uneven
in-degrees ends at sum_i pi_i b_i. (Kempe, Dobra, Gehrke 2003, FOCS.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import product
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from proofs_check.closed_forms.gossip.consensus import consensus_problem
from proofs_check.closed_forms.gossip_directed.lost_messages import starts
from proofs_check.closed_forms.gossip_directed.push_sum import Averaging, gossip_factor, perron
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Verdict
from theory.arrays import Floats

_N, _ROUNDS, _SEED, _REPLICAS, _EARLY = 8, 160, 181, 2000, 4
_FLOOR = 1e-14  # errors below are rounding
_LABELS = ("one-peer exponential", "directed ring", "uneven exponential", "uniform gossip",
           "plain averaging, rows sum to 1")  # fmt: skip

Build = Callable[[Exchange], Method[Any]]


def networks() -> tuple[Exchange, ...]:
    """In the order of the labels."""
    uneven = uneven_exponential(_N)
    return (
        FixedLinks(OnePeerExponential(_N)),
        FixedLinks(DirectedRing(_N)),
        FixedLinks(uneven),
        RandomLinks(RandomOutNeighbour(Complete(_N))),
        FixedLinks(Averaging(uneven)),
    )


def measure(build: Build = PushSum) -> StudyResult:
    """Errors by round, and what is exact of them."""
    problem = consensus_problem(_N, 1, 57)
    errors = [_errors(build(exchange), problem) for exchange in networks()]
    lines: list[PanelLine] = []
    for label, y in zip(_LABELS, errors, strict=True):
        seen = np.flatnonzero(y > _FLOOR)
        last = int(seen[-1]) + 1
        lines += [PanelLine(label, np.arange(last, dtype=np.float64), y[:last])]
    b = starts(problem)[:, 0]
    plain = perron(product(Averaging(uneven_exponential(_N)))) @ b
    told = f"starts of seed 57, n={_N}, {_ROUNDS} rounds"
    verdicts = (
        identity(
            claim="one-peer exponential: no error after log2 n rounds", measured=errors[0][3:],
            expected=0.0, check="closed form", subject="push-sum",
            problem=problem.name, provenance=told,
        ),
        identity(
            claim="directed ring: error falls by cos(pi/n) a round, over a turn of 2n rounds",
            measured=errors[1][100 + 2 * _N] / errors[1][100],
            expected=math.cos(math.pi / _N) ** (2 * _N), check="closed form",
            tolerance=1e-9, provenance=told, subject="push-sum", problem=problem.name,
        ),
        identity(
            claim="plain averaging is left with the distance of the Perron value from the mean",
            measured=errors[4][-1], expected=abs(plain - b.mean()), check="Perron value",
            tolerance=1e-9, subject="push-sum", problem=problem.name, provenance=told,
        ),
        _uniform(build, problem),
    )  # fmt: skip
    return StudyResult(verdicts, lines)


def _errors(method: Method[Any], problem: Quadratic) -> Floats:
    """Largest |z_i - xbar| ``[T + 1]``."""
    return np.array(
        [
            float((method.models(moment.state) - problem.x_star).abs().max())
            for moment in path(method, problem, _ROUNDS, seed=_SEED)
        ]
    )


def _uniform(build: Build, problem: Quadratic) -> Verdict:
    method = build(networks()[3])
    first, *_, last = path(method, problem, _EARLY, seed=_SEED + 1, replicas=_REPLICAS)
    squares = [
        (m.state.s - problem.x_star * m.state.w).square().sum((-2, -1)) for m in (first, last)
    ]
    return mean_value(
        "push-sum", f"uniform gossip: E||s - xbar w||^2 falls by its factor in {_EARLY} rounds",
        (squares[1] / squares[0]).numpy(), gossip_factor(_N) ** _EARLY, check="uniform gossip",
        problem=problem.name, provenance=f"seed {_SEED + 1}, {_REPLICAS} replicas",
    )  # fmt: skip


STUDY = Study(
    "push_sum_rounds",
    "push-sum",
    "consensus",
    "exact after log2 n rounds, cos(pi/n) a round, or the wrong value",
    "rounds",
    "largest |z_i - xbar|",
    measure,
    ("linear", "log"),
)
