"""Effects of barriers at a parameter server: what each row is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from algorithms.catalogue import problem
from algorithms.methods.synchronous.parameter_server import Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import BackupWorkers, Bulk, RoundRobin
from algorithms.synchronisation.compute_times import Pareto
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.stale import SSP as StaleSynchronous
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.instruments.contrast import Make, arm, contrast
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.barriers import Spoil, SpoiltBarrier
from proofs_check.methods.faulty.methods import MisscaledBSP
from theory.stepsizes import ConstantStep

CALM = Setting(
    "strongly convex quadratic, kappa = 10, sigma2 = 0.01, zeta2 = 1",
    lambda n: Quadratic.strongly_convex(n, 20, sigma2=0.01, zeta2=1.0), 8, 400,
    ConstantStep(1 / 4), replicas=32,
)  # fmt: skip
"""Little noise, so that staleness is what is seen."""


def _own(**changes: object) -> Make:
    """The row's own method with other fields."""
    return lambda it: replace(it.own, **changes)


def _spoilt(spoil: Spoil, **changes: object) -> Make:
    """The row's own method, of which a barrier's decisions are spoilt, and other fields."""
    return lambda it: replace(it.own, barrier=SpoiltBarrier(it.own.barrier, spoil), **changes)


BSP_SGD = contrast(
    "bsp-sgd",
    "sixteen workers leave an eighth of the noise of one, at most",
    Setting(
        "quadratic-sc-iid", lambda n: problem("quadratic-sc-iid", n), 16, 300,
        ConstantStep(1 / 8), replicas=64, points=101,
    ),
    Reading(last=20),
    method="BSP-SGD, 16 workers",
    baseline=arm("one worker at the same stepsize", lambda it: it.own, n=1),
    without=arm(
        "a mean that divides by the square root of n", lambda it: MisscaledBSP(it.step, 0.5)
    ),
    at_most=0.125,
    source="Dekel, Gilad-Bachrach, Shamir, Xiao 2012, JMLR, arXiv:1012.1367: linear speed-up",
    scales=("linear", "log"),
)  # fmt: skip


def _waiting(now: WorkerStates, d: Decision) -> Decision:
    """The update is made when all have arrived, of the gradients of the fastest."""
    return d._replace(now=now.latest(~now.nobody()))


_SERVED = 256  # replicas of the schedule too
_HEAVY: Mapping[str, object] = {"times": Pareto(1e-3, tail=1.5), "replicas": _SERVED}

BACKUP_WORKERS = contrast(
    "backup-workers",
    "the slowest eighth is not waited for nor missed",
    Setting(
        "strongly convex quadratic, kappa = 10, sigma2 = zeta2 = 1",
        lambda n: Quadratic.strongly_convex(n, 20, sigma2=1.0, zeta2=1.0), 16, 400,
        (1 / 32, 1 / 16, 1 / 8, 1 / 4), replicas=_SERVED, points=121,
        note="gradients of Pareto times, tail 1.5",
    ),
    Reading("seconds", target=4e-3),
    method=arm("two backup workers of 16", _own(**_HEAVY)),
    baseline=arm("BSP of the same 16 workers", _own(barrier=BackupWorkers(0), **_HEAVY)),
    without=arm(
        "the slowest are dropped when they have come",
        _spoilt(_waiting, **_HEAVY),
    ),
    at_most=0.75, source="Chen et al. 2016, arXiv:1604.00981, Section 4: stragglers mitigated",
)  # fmt: skip


def _never(now: WorkerStates, d: Decision) -> Decision:
    """Workers go on with the first model and their own updates."""
    return d._replace(fetched=now.nobody())


SSP = contrast(
    "ssp",
    "who may run ahead of stragglers is there sooner, stale or not",
    replace(CALM, points=120, note="times of the survey"), Reading("seconds", target=2e-2),
    method="SSP, three clocks",
    baseline=arm("BSP at the same stepsize and weights", _own(barrier=Bulk()), steps=100),
    without=arm(
        "nobody ever fetches: staleness without a bound",
        _spoilt(_never),
    ),
    at_most=0.8, source="Ho et al. 2013, NIPS, Section 5: faster in wall time than BSP",
    scales=("linear", "log"),
)  # fmt: skip


def _seldom(now: WorkerStates, d: Decision) -> Decision:
    """Pushes only every eighth advance of the slowest clock."""
    eighth = (now.clock + d.arrived).min(axis=1) % 8 == 0
    return d._replace(fetched=d.fetched & eighth[:, None])


ESSP = contrast(
    "essp",
    "eager pushes are fresher, and so larger steps are stable",
    replace(CALM, step=ConstantStep(1 / 2), replicas=64, points=81), Reading(last=60),
    method="eager SSP, eight clocks",
    baseline=arm(
        "SSP of the same lead and stepsize",
        lambda it: replace(it.own, barrier=StaleSynchronous(it.own.barrier.s)),
    ),
    without=arm(
        "pushes at every eighth advance only", _spoilt(_seldom)
    ),
    at_most=0.6,
    source="Dai et al. 2015, AAAI, arXiv:1410.8043, Section 4: staleness and stability",
    scales=("linear", "log"),
)  # fmt: skip

_TRANSFER = 2.5e-4  # seconds of one model on the server's link, either way
_ALONE = Linked(STANDARD.times, _TRANSFER, _TRANSFER)
_SHARED = Linked(STANDARD.times, 8 * _TRANSFER, 8 * _TRANSFER)  # all workers' transfers at once

R2SP = contrast(
    "r2sp",
    "transfers that take turns do not share the server's link",
    replace(
        CALM, steps=480, step=(1 / 32, 1 / 16, 1 / 8, 3 / 16), replicas=64, points=121,
        note=f"a transfer {1e3 * _TRANSFER:g} ms",
    ),
    Reading("seconds", target=2e-2),
    method=arm("R2SP", _own(times=_ALONE, barrier=RoundRobin(_TRANSFER))),
    baseline=arm(
        "BSP, whose transfers share the link, every gradient of the same weight",
        _own(times=_SHARED, barrier=Bulk(), weighting=Weighting.SUM), steps=60,
    ),
    without=arm(
        "turns whose transfers share the link all the same",
        _own(times=_SHARED, barrier=RoundRobin()),
    ),
    at_most=0.85, source="Chen, Wang, Li 2019, INFOCOM: contention is what round robin removes",
    scales=("linear", "log"),
)  # fmt: skip
