"""Studies: push sum rounds, sgp speedup."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.base import MixingSequence, product
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_directed.closed_forms import gossip_factor, perron
from proofs_check.evidence.gossip_directed.closed_forms_losses import starts
from proofs_check.instruments.evidence import ALPHA, identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.speedup_verdicts import error_ratio
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# Rounds of push-sum on five networks, and averaging that stalls at the Perron-weighted value.
#
# The largest error of any z_i against rounds, n = 8, one start. One-peer exponential: gone after
# log2 n = 3 rounds. Directed ring: cos(pi/n) a round in the end. Uniform gossip:
# E\|s - \bar x w\|^2 falls by its exact factor. Row-stochastic averaging on a graph with uneven
# in-degrees ends at sum_i pi_i b_i. (Kempe, Dobra, Gehrke 2003, FOCS.)


_N, _ROUNDS, _PUSH_SUM_ROUNDS_SEED, _PUSH_SUM_ROUNDS_REPLICAS, _EARLY = 8, 160, 181, 2000, 4
_FLOOR = 1e-14  # errors below are rounding
_LABELS = ("one-peer exponential", "directed ring", "uneven exponential", "uniform gossip",
           "plain averaging, rows sum to 1")  # fmt: skip

PushSumRoundsBuild = Callable[[Exchange], Method[Any]]


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


@study(
    "push-sum",
    "consensus",
    "exact after log2 n rounds, cos(pi/n) a round, or the wrong value",
    "rounds",
    "largest |z_i - xbar|",
    scales=("linear", "log"),
)
def push_sum_rounds_measure(build: PushSumRoundsBuild = PushSum) -> StudyResult:
    """Errors by round, and what is exact of them."""
    problem = consensus_problem(_N, 1, 57)
    errors = [_push_sum_rounds_errors(build(exchange), problem) for exchange in networks()]
    lines: list[PanelLine] = []
    for label, y in zip(_LABELS, errors, strict=True):
        seen = np.flatnonzero(y > _FLOOR)
        last = int(seen[-1]) + 1
        lines += [PanelLine(label, np.arange(last, dtype=np.float64), y[:last])]
    b = starts(problem)[:, 0]
    plain = perron(product(Averaging(uneven_exponential(_N)))) @ b
    description = f"starts of seed 57, n={_N}, {_ROUNDS} rounds"
    verdicts = (
        identity(
            claim="one-peer exponential: no error after log2 n rounds", measured=errors[0][3:],
            expected=0.0, check="closed form", subject="push-sum",
            problem=problem.name, provenance=description,
        ),
        identity(
            claim="directed ring: error falls by cos(pi/n) a round, over a turn of 2n rounds",
            measured=errors[1][100 + 2 * _N] / errors[1][100],
            expected=math.cos(math.pi / _N) ** (2 * _N), check="closed form",
            tolerance=1e-9, provenance=description, subject="push-sum", problem=problem.name,
        ),
        identity(
            claim="plain averaging is left with the distance of the Perron value from the mean",
            measured=errors[4][-1], expected=abs(plain - b.mean()), check="Perron value",
            tolerance=1e-9, subject="push-sum", problem=problem.name, provenance=description,
        ),
        _uniform(build, problem),
    )  # fmt: skip
    return StudyResult(verdicts, lines)


def _push_sum_rounds_errors(method: Method[Any], problem: Quadratic) -> Floats:
    """Largest |z_i - xbar| ``[T + 1]``."""
    return np.array(
        [
            float((method.models(moment.state) - problem.x_star).abs().max())
            for moment in path(method, problem, _ROUNDS, seed=_PUSH_SUM_ROUNDS_SEED)
        ]
    )


def _uniform(build: PushSumRoundsBuild, problem: Quadratic) -> Verdict:
    method = build(networks()[3])
    first, *_, last = path(
        method, problem, _EARLY, seed=_PUSH_SUM_ROUNDS_SEED + 1, replicas=_PUSH_SUM_ROUNDS_REPLICAS
    )
    squares = [
        (m.state.s - problem.x_star * m.state.w).square().sum((-2, -1)) for m in (first, last)
    ]
    return mean_value(
        "push-sum",
        f"uniform gossip: E||s - xbar w||^2 falls by its factor in {_EARLY} rounds",
        (squares[1] / squares[0]).numpy(),
        gossip_factor(_N) ** _EARLY,
        check="uniform gossip",
        problem=problem.name,
        provenance=f"seed {_PUSH_SUM_ROUNDS_SEED + 1}, {_PUSH_SUM_ROUNDS_REPLICAS} replicas",
    )


# SGP and its overlapped form over directed graphs err as BSP-SGD does: E||zbar - x*||^2 ~ 1/n.
#
# Quadratic with noise and workers that differ, small constant stepsize, from the minimiser, on
# directed graphs that change every step and whose in-degrees differ: \bar x moves by the plain mean
# of the gradients whatever the graph, so the leading term \gamma\sigma^2/n is that of BSP-SGD
# (Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792, Theorem 1; stated there to order only).
# The time average of the last half of each run is compared.


_WORKERS = (4, 8, 16, 32)
_SGP_SPEEDUP_REPLICAS, _STEPS, _SGP_SPEEDUP_SEED, _WITHIN, _GROUPS = 128, 300, 160, 1.05, 32
_STEP = ConstantStep(0.04)
_DESCRIPTION = (
    f"seeds {_SGP_SPEEDUP_SEED} + n, {_SGP_SPEEDUP_REPLICAS} replicas, {_STEPS} steps from "
    f"x*, gamma 0.04, uneven "
    f"exponential graphs, error {ALPHA:g}"
)

SgpSpeedupBuild = Callable[[Stepsize, MixingSequence], Method[Any]]


def sgp(step: Stepsize, graph: MixingSequence) -> Method[Any]:
    """Stochastic gradient push along a graph."""
    return SGP(step, FixedLinks(graph))


def bulk(step: Stepsize, graph: MixingSequence) -> Method[Any]:
    """BSP-SGD, which needs no graph."""
    return BSP(step)


@study(
    "sgp",
    "quadratic-sc",
    "1/n for SGP over directed graphs that change with time",
    "workers n",
    "E||zbar - x*||^2 [x^2]",
)
def sgp_speedup_measure(
    build: SgpSpeedupBuild = sgp, overlapped: SgpSpeedupBuild = OverlapSGP
) -> StudyResult:
    """Ratios to BSP-SGD at every n, and SGP's exponent of n."""
    x = np.array(_WORKERS, dtype=np.float64)
    by = {
        label: np.stack([_sgp_speedup_errors(made, n) for n in _WORKERS], axis=1)
        for label, made in (("BSP-SGD", bulk), ("SGP", build), ("1-OSGP", overlapped))
    }
    verdicts = [
        _ratio(label, n, by[label][:, k], by["BSP-SGD"][:, k])
        for label in ("SGP", "1-OSGP")
        for k, n in enumerate(_WORKERS)
    ]
    fit = fit_power(x, by["SGP"], ALPHA, groups=_GROUPS)
    verdicts.append(
        rate_verdict(
            fit, -1.0, False, subject="sgp", variable="n", problem="quadratic-sc",
            claim="linear speedup on directed graphs: SGP's error falls as 1/n",
            provenance=_DESCRIPTION,
        )
    )  # fmt: skip
    return StudyResult(tuple(verdicts), _lines(x, by))


def _sgp_speedup_errors(build: SgpSpeedupBuild, n: int) -> Floats:
    """||zbar - x*||^2 ``[R]``, averaged over the last half of a run."""
    problem = Quadratic.strongly_convex(n, 8, L=1.0, mu=0.25, zeta2=1.0)
    trace = run(
        build(_STEP, uneven_exponential(n)), problem, steps=_STEPS, seed=_SGP_SPEEDUP_SEED + n,
        replicas=_SGP_SPEEDUP_REPLICAS, points=_STEPS + 1, x0=problem.x_star,
    )  # fmt: skip
    return np.asarray(trace.squared_distance[:, _STEPS // 2 :].mean(axis=1))


def _ratio(label: str, n: int, errors: Floats, bulk_errors: Floats) -> Verdict:
    found = error_ratio(
        errors, bulk_errors, _WITHIN, subject="sgp", problem="quadratic-sc",
        description=_DESCRIPTION,
        claim=f"{label} on directed graphs errs at most {_WITHIN:g} times as BSP-SGD, n={n}",
    )  # fmt: skip
    evidence = f"{found.statistic:.4f} +- {found.uncertainty:.2g} times the error of BSP-SGD"
    return replace(found, check="error against BSP-SGD", evidence=evidence)


def _lines(x: Floats, by: dict[str, Floats]) -> list[PanelLine]:
    lines: list[PanelLine] = []
    for label, y in by.items():
        lines.append(PanelLine(label, x, *band(y)))
    return lines
