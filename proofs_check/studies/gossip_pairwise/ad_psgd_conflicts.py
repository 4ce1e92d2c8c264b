r"""Exchanges of AD-PSGD that overlap in time and want the same worker.

An exchange takes a while; those that fall into one window are done one after another, and one whose
caller or partner another has met already must wait. Windows from 1/50 of the mean compute time to
all of it, on rings and complete graphs of 6. Given who arrives, the mean number that waits follows
from all choices of partners, enumerated; what the runs count is held against it. (Lian et al. 2018,
arXiv:1710.06952, Section 4: averages must be atomic.)
"""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD, conflicts
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.window import Window
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.partners import circle
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip_pairwise.ad_psgd import waiting
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import mean_value
from proofs_check.instruments.paths import world_of
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_N, _TICKS, _REPLICAS, _SEED = 6, 60, 48, 37
_WINDOWS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_ROW, _PROBLEM = "ad-psgd", "schedule"


def measure() -> StudyResult:
    """Share of exchanges that wait against the window, and its exact expectation."""
    verdicts: list[Verdict] = []
    drawn: list[PanelLine] = []
    for topology in (Ring(_N), Complete(_N)):
        found = [_counted(topology, window) for window in _WINDOWS]
        for window, (waited, due, exchanges) in zip(_WINDOWS, found, strict=True):
            share = (waited.sum() / exchanges.sum()).item()
            verdicts.append(
                mean_value(
                    _ROW, f"{topology.name}, exchanges of {window:g} compute times: those that "
                    "wait are as many as choices of partners make on average",
                    (waited - due).mean(axis=0), 0.0, check="conflicts", problem=_PROBLEM,
                    provenance=f"{_TICKS} ticks, {_REPLICAS} replicas, seed {_SEED}",
                    note=f"{100 * share:.3g} percent wait, {exchanges.mean():.3g} exchanges a tick",
                )
            )  # fmt: skip
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
        ConstantStep(1.0), _TICKS, Exponential(), topology, Window(window), replicas=_REPLICAS
    )
    problem = Quadratic.strongly_convex(_N, 2)
    context = world_of(problem, _SEED, _REPLICAS)
    schedule = method.init(problem.start(), context).schedule
    waited, due, count = [], [], []
    for t in range(_TICKS):
        who = schedule.at(t).arrivals
        waited.append(conflicts(who, method.called(who, t, context), _N).double().numpy())
        arrived = [tuple(i for i in row if i < _N) for row in who.tolist()]
        due.append([expected(topology, ids) for ids in arrived])
        count.append([float(len(ids)) for ids in arrived])
    return np.array(waited), np.array(due), np.array(count)


@lru_cache(maxsize=1024)
def expected(topology: StaticTopology, who: tuple[int, ...]) -> float:
    """Mean number of exchanges that wait when ``who`` call, over all choices of partners."""
    known = circle(topology)
    choices = [known.ids[i, : int(known.degrees[i])].tolist() for i in who]
    counts = [waiting(zip(who, called, strict=True)) for called in itertools.product(*choices)]
    return sum(counts) / len(counts)


STUDY = Study(
    "ad_psgd_conflicts",
    _ROW,
    _PROBLEM,
    "exchanges that wait for another, as many as chance makes",
    "length of an exchange [mean compute time]",
    "share of exchanges that wait",
    measure,
)
