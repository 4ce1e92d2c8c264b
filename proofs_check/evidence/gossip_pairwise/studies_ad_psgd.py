"""Studies: ad psgd conflicts, ad psgd straggler."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy

from algorithms.engine.run import Trace, run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD, conflicts
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.stopwatch import Timing
from algorithms.synchronisation.window import Window
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.partners import circle
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.gossip_pairwise.closed_forms import waiting
from proofs_check.instruments.evidence import ALPHA, identity, mean_value
from proofs_check.instruments.paths import world_of
from proofs_check.instruments.reaching import reached_at
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

# Exchanges of AD-PSGD that overlap in time and want the same worker.
#
# An exchange takes a while; those that fall into one window are done one after another, and one
# whose caller or partner another has met already must wait. Windows from 1/50 of the mean compute
# time to all of it, on rings and complete graphs of 6. Given who arrives, the mean number that
# waits follows from all choices of partners, enumerated; what the runs count is held against it.
# (Lian et al. 2018, arXiv:1710.06952, Section 4: averages must be atomic.)


_AD_PSGD_CONFLICTS_N, _TICKS, _AD_PSGD_CONFLICTS_REPLICAS, _AD_PSGD_CONFLICTS_SEED = 6, 60, 48, 37
_WINDOWS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_ROW, _AD_PSGD_CONFLICTS_PROBLEM = "ad-psgd", "schedule"


@study(
    _ROW,
    _AD_PSGD_CONFLICTS_PROBLEM,
    "exchanges that wait for another, as many as chance makes",
    "length of an exchange [mean compute time]",
    "share of exchanges that wait",
)
def ad_psgd_conflicts_measure() -> StudyResult:
    """Share of exchanges that wait against the window, and its exact expectation."""
    verdicts: list[Verdict] = []
    drawn: list[PanelLine] = []
    for topology in (Ring(_AD_PSGD_CONFLICTS_N), Complete(_AD_PSGD_CONFLICTS_N)):
        found = [_counted(topology, window) for window in _WINDOWS]
        for window, (waited, due, exchanges) in zip(_WINDOWS, found, strict=True):
            share = (waited.sum() / exchanges.sum()).item()
            verdicts.append(
                mean_value(
                    _ROW,
                    f"{topology.name}, exchanges of {window:g} compute times: those that "
                    "wait are as many as choices of partners make on average",
                    (waited - due).mean(axis=0),
                    0.0,
                    check="conflicts",
                    problem=_AD_PSGD_CONFLICTS_PROBLEM,
                    provenance=f"{_TICKS} ticks, {_AD_PSGD_CONFLICTS_REPLICAS} replicas, "
                    f"seed {_AD_PSGD_CONFLICTS_SEED}",
                    note=f"{100 * share:.3g} percent wait, {exchanges.mean():.3g} exchanges a tick",
                )
            )
        x = np.array(_WINDOWS)
        total = np.array([exchanges.sum() for _, _, exchanges in found])
        waits = np.array([w.sum() for w, _, _ in found]) / total
        exact = np.array([d.sum() for _, d, _ in found]) / total
        drawn += [
            PanelLine(topology.name, x, waits),
            PanelLine(f"{topology.name}, exact", x, exact, theory=True),
        ]
    return StudyResult(tuple(verdicts), drawn)


def _counted(topology: StaticTopology, window: float) -> tuple[Floats, Floats, Floats]:
    """Exchanges of each tick that wait, their expectation, and all of them ``[T, R]``."""
    method = ADPSGD(
        ConstantStep(1.0),
        _TICKS,
        Exponential(),
        topology,
        Window(window),
        replicas=_AD_PSGD_CONFLICTS_REPLICAS,
    )
    problem = Quadratic.strongly_convex(_AD_PSGD_CONFLICTS_N, 2)
    context = world_of(problem, _AD_PSGD_CONFLICTS_SEED, _AD_PSGD_CONFLICTS_REPLICAS)
    schedule = method.init(problem.start(), context).schedule
    waited, due, count = [], [], []
    for t in range(_TICKS):
        subset = schedule.tick(t).arrivals
        waited.append(
            conflicts(subset, method.called(subset, t, context), _AD_PSGD_CONFLICTS_N)
            .double()
            .numpy()
        )
        arrived = [tuple(i for i in row if i < _AD_PSGD_CONFLICTS_N) for row in subset.tolist()]
        due.append([expected(topology, ids) for ids in arrived])
        count.append([float(len(ids)) for ids in arrived])
    return np.array(waited), np.array(due), np.array(count)


@lru_cache(maxsize=1024)
def expected(topology: StaticTopology, subset: tuple[int, ...]) -> float:
    """Mean number of exchanges that wait when ``subset`` call, over all choices of partners."""
    known = circle(topology)
    choices = [known.ids[i, : int(known.degrees[i])].tolist() for i in subset]
    counts = [waiting(zip(subset, called, strict=True)) for called in itertools.product(*choices)]
    return sum(counts) / len(counts)


# One slow worker: D-PSGD waits for it at every step, AD-PSGD does not.
#
# n workers on a ring, a gradient takes 1 s, worker 0's ten times as long; links cost nothing.
# D-PSGD waits for neighbours, so in the long run everyone keeps the slow one's pace: n gradients in
# 10 s. AD-PSGD makes n - 1 + 1/10 gradients a second, its stale ones among them. Seconds until the
# mean model's error has fallen to a level, with one slow worker against none: about ten times as
# many for D-PSGD, about n/(n - 1 + 1/10) as many for AD-PSGD (Lian et al. 2018, arXiv:1710.06952,
# Section 6). One objective for all (zeta = 0): else the slow worker's counts for less, and the
# limit moves.


Build = Callable[[ADPSGD], Method[Any]]

_AD_PSGD_STRAGGLER_N, _D, _SLOW, _AD_PSGD_STRAGGLER_REPLICAS, _AD_PSGD_STRAGGLER_SEED = (
    8,
    10,
    10.0,
    32,
    29,
)
_GAMMA, _LEVEL, _ROUNDS = 0.1, 0.15, 80

_AD_PSGD_STRAGGLER_PROBLEM = "quadratic-sc-iid"
_FREE = AlphaBeta(0.0, 0.0)


def _problem() -> Quadratic:
    return Quadratic.strongly_convex(_AD_PSGD_STRAGGLER_N, _D, L=1.0, mu=0.1, sigma2=0.1, R2=4.0)


def _times(slow: bool) -> Constant:
    return Constant((_SLOW if slow else 1.0, *(1.0,) * (_AD_PSGD_STRAGGLER_N - 1)))


@study(
    _ROW,
    _AD_PSGD_STRAGGLER_PROBLEM,
    "a slow worker holds up D-PSGD alone",
    "modelled time [s]",
    "f(mean model) - f*, share of the first",
)
def ad_psgd_straggler_measure(build: Build = lambda method: method) -> StudyResult:
    """Error against seconds of both methods, with and without a slow worker."""
    problem = _problem()
    traces = {
        f"{name}{', one slow worker' if slow else ''}": go(problem, _times(slow))
        for name, go in (("AD-PSGD", lambda p, t: _alone(build, p, t)), ("D-PSGD", _together))
        for slow in (False, True)
    }
    drawn: list[PanelLine] = []
    for label, trace in traces.items():
        share = (trace.suboptimality / trace.suboptimality[:, :1])[:, 1:]
        drawn.append(PanelLine(label, trace.seconds.mean(axis=0)[1:], *band(share)))
    alone = _slowdown(traces["AD-PSGD"], traces["AD-PSGD, one slow worker"])
    together = _slowdown(traces["D-PSGD"], traces["D-PSGD, one slow worker"])
    verdicts = (
        _pace(traces["AD-PSGD, one slow worker"], traces["D-PSGD, one slow worker"]),
        _held(alone, 1.5, False, "AD-PSGD loses less than half with one worker ten times slower"),
        _held(together, 5.0, True, "D-PSGD is slowed at least five times by the same worker"),
    )
    return StudyResult(verdicts, drawn)


def _alone(build: Build, problem: Quadratic, times: ComputeTimes) -> Trace:
    ticks = _AD_PSGD_STRAGGLER_N * _ROUNDS
    method = build(
        ADPSGD(
            ConstantStep(_GAMMA),
            ticks,
            times,
            Ring(_AD_PSGD_STRAGGLER_N),
            replicas=_AD_PSGD_STRAGGLER_REPLICAS,
        )
    )
    return run(
        method,
        problem,
        steps=ticks,
        seed=_AD_PSGD_STRAGGLER_SEED,
        replicas=_AD_PSGD_STRAGGLER_REPLICAS,
        points=60,
    )


def _together(problem: Quadratic, times: ComputeTimes) -> Trace:
    method = DPSGD(ConstantStep(_GAMMA), Ring(_AD_PSGD_STRAGGLER_N))
    timing = Timing(times, _FREE)
    return run(
        method,
        problem,
        steps=_ROUNDS,
        seed=_AD_PSGD_STRAGGLER_SEED,
        replicas=_AD_PSGD_STRAGGLER_REPLICAS,
        points=60,
        timing=timing,
    )


def _reached(trace: Trace) -> Floats:
    """Seconds until the error is ``_LEVEL`` of the first ``[R]``, between records; NaN if never."""
    share = trace.suboptimality / trace.suboptimality[:, :1]
    found = np.full(len(share), np.nan)
    for r, (errors, seconds) in enumerate(zip(share, trace.seconds, strict=True)):
        k = int(reached_at(errors, _LEVEL))
        if k >= 0:
            found[r] = np.interp(_LEVEL, errors[[k, k - 1]], seconds[[k, k - 1]])
    return found


def _slowdown(plain: Trace, slow: Trace) -> Floats:
    """log of the ratio of times to the level ``[R]``, replica by replica."""
    ratio: Floats = np.log(_reached(slow) / _reached(plain))
    return ratio


def _held(logs: Floats, limit: float, above: bool, claim: str) -> Verdict:
    """Is the geometric mean of the ratio above (below) ``limit``, beyond its error?"""
    mean = float(logs.mean())
    half = float(scipy.stats.t.isf(ALPHA, len(logs) - 1) * logs.std(ddof=1)) / len(logs) ** 0.5
    sure = mean - half > math.log(limit) if above else mean + half < math.log(limit)
    return Verdict(
        subject=_ROW,
        problem=_AD_PSGD_STRAGGLER_PROBLEM,
        check="slowdown by one worker",
        claim=claim,
        outcome=Outcome.SUPPORTED if sure else Outcome.REFUTED,
        statistic=math.exp(mean) if np.isfinite(mean) else None,
        bound=limit,
        uncertainty=math.exp(mean + half) - math.exp(mean) if np.isfinite(mean) else None,
        evidence=f"time to {_LEVEL:g} of the first error times {math.exp(mean):.3f} (factor "
        f"{math.exp(half):.3f} either way)",
        provenance=f"{_AD_PSGD_STRAGGLER_REPLICAS} replicas, gamma={_GAMMA:g}, ring of "
        f"{_AD_PSGD_STRAGGLER_N}, seed {_AD_PSGD_STRAGGLER_SEED}, error "
        f"{ALPHA:g}",
    )


def _pace(alone: Trace, together: Trace) -> Verdict:
    """Gradients a second at the end: n - 1 + 1/10 to one part in _ROUNDS, and n/10 exactly."""
    horizon = alone.seconds[:, -1]
    ours = alone.steps[-1] / horizon
    theirs = _AD_PSGD_STRAGGLER_N * together.steps[-1] / together.seconds[:, -1]
    return identity(
        _ROW,
        f"AD-PSGD makes n - 1 + 1/{_SLOW:g} gradients a second, D-PSGD n/{_SLOW:g}",
        np.array([ours, theirs]),
        np.array([[_AD_PSGD_STRAGGLER_N - 1 + 1 / _SLOW], [_AD_PSGD_STRAGGLER_N / _SLOW]]),
        check="pace",
        problem=_AD_PSGD_STRAGGLER_PROBLEM,
        tolerance=2 / _ROUNDS,
        provenance=f"{_ROUNDS} gradients a worker, constant times, seed "
        f"{_AD_PSGD_STRAGGLER_SEED}; the last arrivals "
        "of a second are cut off",
    )
