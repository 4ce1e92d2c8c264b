"""Effects of rows that split the problem by consensus constraints: what each row is for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic_data import unequal
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.evidence.admm.faults import AllAtOnce, DualNeverMoves
from proofs_check.instruments.contrast import ArmContext, Contestant, arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.measurement import Measurement
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.methods.faulty.faulty_method import SpoiltBarrier

_SCALES = ("linear", "log")
_RING = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 60, (2.0, 4.0, 8.0), d=20,
    note="rho = 1/gamma, ring",
)  # fmt: skip


def _descent(**changes: Any) -> Contestant:
    """Gossip, as few messages a step as ADMM has."""
    return arm(
        "decentralised gradient descent",
        lambda it: DPSGD(it.step, Lazy(Ring(it.setting.n))),
        step=(0.5, 0.1, 0.02), note="ring", replicas=1, **changes,
    )  # fmt: skip


def _slow(it: ArmContext, **changes: Any) -> Any:
    """One worker is six times as slow as the others."""
    times = Constant((1e-2,) * (it.problem.n - 1) + (6e-2,))
    return replace(it.own, times=times, **changes)


def _waiting(now: WorkerStates, d: Decision) -> Decision:
    """The update is made when all have come, of those who came first."""
    return d._replace(now=now.latest(~now.nobody() & ~now.idle))


ASYNC_ADMM = contrast(
    "async-admm",
    "a slow worker is not waited for, within the bound on delays",
    replace(
        _RING, steps=250, note="rho = 1/gamma, solves of 10 ms, one worker's of 60 ms"
    ),
    Reading("seconds", target=1e-6),
    method=arm("asynchronous ADMM, four of eight", _slow),
    baseline=arm(
        "synchronous ADMM", lambda it: _slow(it, barrier=PartialBarrier(it.problem.n, 1))
    ),
    without=arm(
        "the first four are taken when all have come",
        lambda it: _slow(it, barrier=SpoiltBarrier(it.own.barrier, _waiting)),
    ),
    at_most=0.65, source="Zhang, Kwok 2014, ICML, Section 5: faster where a worker is slow",
    scales=_SCALES,
)  # fmt: skip


def _up_to_ten(found: Measurement) -> Measurement:
    """Drawn up to 10: a run that diverges would fill the picture."""
    return found._replace(y=found.y.clip(max=10.0))


D_ADMM = contrast(
    "d-admm",
    "workers of one colour solve side by side, at no loss in steps",
    replace(
        _RING, timing=STANDARD, note=f"{_RING.note}, a solve takes the time of ten gradients"
    ),
    Reading("seconds", target=1e-6, shown=_up_to_ten),
    method="D-ADMM, two colours",
    baseline=arm(
        "ADMM in turn",
        lambda it: it.method_of("decentralised-admm"),
    ),
    without=arm(
        "all workers at once, as if there were one colour", lambda it: AllAtOnce(it.own)
    ),
    at_most=0.4,
    source="Mota, Xavier, Aguiar, Pueschel 2013, arXiv:1202.2805, Section IV: colours in parallel",
    scales=_SCALES,
)  # fmt: skip

DECENTRALISED_ADMM = contrast(
    "decentralised-admm",
    "duals on the edges leave no floor where workers differ",
    _RING, Reading(of=" of the mean model"),
    method="decentralised ADMM",
    baseline=_descent(),
    without=arm("duals forgotten at every step", lambda it: DualNeverMoves(it.own)),
    at_most=1e-6,
    source="Wei, Ozdaglar 2012, CDC: exact, where subgradient methods take O(1/sqrt k)",
    scales=_SCALES, tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

LINEARISED_ADMM = contrast(
    "linearised-admm",
    "gradient steps in the place of solves, and still no floor but that of the regulariser",
    replace(_RING, steps=300, step=(0.5, 1.0, 2.0), note="ring"),
    Reading(of=" of the mean model"),
    method="linearised ADMM, one gradient a step",
    baseline=_descent(),
    without=arm("duals forgotten at every step", lambda it: DualNeverMoves(it.own)),
    at_most=0.01,
    source="Aybat, Wang, Lin, Ma 2018, arXiv:1512.08122: proximal gradient steps inside ADMM",
    scales=_SCALES, tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip

RANDOM_ADMM = contrast(
    "random-admm",
    "one edge at a time reaches the very minimiser, with no clock",
    replace(_RING, steps=lambda n: 500 * n // 8, replicas=16, points=200),
    Reading("sent_bits", budget=7.5e4, of=" of the mean model"),
    method="random ADMM",
    baseline=_descent(steps=70),
    without=arm("duals forgotten at every step", lambda it: DualNeverMoves(it.own, "dual")),
    at_most=1e-3,
    source="Iutzeler, Bianchi, Ciblat, Hachem 2013, CDC: almost sure convergence to the minimiser",
    scales=_SCALES, tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip
