r"""One slow worker: D-PSGD waits for it at every step, AD-PSGD does not.

n workers on a ring, a gradient takes 1 s, worker 0's ten times as long; links cost nothing. D-PSGD
waits for neighbours, so in the long run everyone keeps the slow one's pace: n gradients in 10 s.
AD-PSGD makes n - 1 + 1/10 gradients a second, its stale ones among them. Seconds until the mean
model's error has fallen to a level, with one slow worker against none: about ten times as many for
D-PSGD, about n/(n - 1 + 1/10) as many for AD-PSGD (Lian et al. 2018, arXiv:1710.06952, Section 6).
One objective for all (zeta = 0): else the slow worker's counts for less, and the limit moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from algorithms.engine.run import Trace, run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.reaching import reached_at
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

Build = Callable[[ADPSGD], Method[Any]]

_N, _D, _SLOW, _REPLICAS, _SEED = 8, 10, 10.0, 32, 29
_GAMMA, _LEVEL, _ROUNDS = 0.1, 0.15, 80
_ROW, _PROBLEM = "ad-psgd", "quadratic-sc-iid"
_FREE = AlphaBeta(0.0, 0.0)


def _problem() -> Quadratic:
    return Quadratic.strongly_convex(_N, _D, L=1.0, mu=0.1, sigma2=0.1, R2=4.0)


def _times(slow: bool) -> Constant:
    return Constant((_SLOW if slow else 1.0, *(1.0,) * (_N - 1)))


def measure(build: Build = lambda method: method) -> StudyResult:
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
    ticks = _N * _ROUNDS
    method = build(ADPSGD(ConstantStep(_GAMMA), ticks, times, Ring(_N), replicas=_REPLICAS))
    return run(method, problem, steps=ticks, seed=_SEED, replicas=_REPLICAS, points=60)


def _together(problem: Quadratic, times: ComputeTimes) -> Trace:
    method = DPSGD(ConstantStep(_GAMMA), Ring(_N))
    timing = Timing(times, _FREE)
    return run(
        method, problem, steps=_ROUNDS, seed=_SEED, replicas=_REPLICAS, points=60, timing=timing
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
        subject=_ROW, problem=_PROBLEM, check="slowdown by one worker", claim=claim,
        outcome=Outcome.SUPPORTED if sure else Outcome.REFUTED,
        statistic=math.exp(mean) if np.isfinite(mean) else None, bound=limit,
        uncertainty=math.exp(mean + half) - math.exp(mean) if np.isfinite(mean) else None,
        evidence=f"time to {_LEVEL:g} of the first error times {math.exp(mean):.3f} (factor "
        f"{math.exp(half):.3f} either way)",
        provenance=f"{_REPLICAS} replicas, gamma={_GAMMA:g}, ring of {_N}, seed {_SEED}, error "
        f"{ALPHA:g}",
    )  # fmt: skip


def _pace(alone: Trace, together: Trace) -> Verdict:
    """Gradients a second at the end: n - 1 + 1/10 to one part in _ROUNDS, and n/10 exactly."""
    horizon = alone.seconds[:, -1]
    ours = alone.steps[-1] / horizon
    theirs = _N * together.steps[-1] / together.seconds[:, -1]
    return identity(
        _ROW, f"AD-PSGD makes n - 1 + 1/{_SLOW:g} gradients a second, D-PSGD n/{_SLOW:g}",
        np.array([ours, theirs]), np.array([[_N - 1 + 1 / _SLOW], [_N / _SLOW]]),
        check="pace", problem=_PROBLEM, tolerance=2 / _ROUNDS,
        provenance=f"{_ROUNDS} gradients a worker, constant times, seed {_SEED}; the last arrivals "
        "of a second are cut off",
    )  # fmt: skip


STUDY = Study(
    "ad_psgd_straggler",
    _ROW,
    _PROBLEM,
    "a slow worker holds up D-PSGD alone",
    "modelled time [s]",
    "f(mean model) - f*, share of the first",
    measure,
)
