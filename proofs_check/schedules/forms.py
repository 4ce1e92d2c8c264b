"""Closed forms of schedules: recursions, special cases, who is never slower than whom."""

from __future__ import annotations

import numpy as np

from algorithms.schedules.base import CommunicationSchedule
from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.fusion_buffer import FusionBuffer
from algorithms.schedules.merged_gradients import MERGED
from algorithms.schedules.priority import ByteScheduler, PriorityPropagation
from algorithms.schedules.tictac import TAC, TIC, forward_graph, tac_order, tic_order
from algorithms.schedules.wait_free import WAIT_FREE
from proofs_check.cell import CellResult
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import SystemCheck
from proofs_check.schedules.drawn import SEED, instances
from proofs_check.verdict import Outcome, Verdict
from theory.seconds.costs import AlphaBeta
from theory.seconds.sparse_times import finished

_COUNT, _MOST = 120, 12
_DRAWN = f"{_COUNT} steps of 1 to {_MOST} gradients from seed {SEED}"
_SLICE = 0.4


def check_bulk(schedule: CommunicationSchedule = BULK) -> Verdict:
    """BSP: the sum of computing and one message."""
    got, want = [], []
    for step, channel in instances(_COUNT, _MOST):
        got.append(schedule.seconds(step, Carrier((channel,))))
        want.append(step.compute + channel.alpha + channel.beta * float(step.bits.sum()))
    return identity(
        "schedule-bsp", "a step takes t_forward + t_backward + alpha + beta m", got, want,
        check="closed form", provenance=_DRAWN,
    )  # fmt: skip


def check_wait_free(schedule: CommunicationSchedule = WAIT_FREE) -> Verdict:
    """WFBP: start(l) = max(ready(l), end(l + 1))."""
    got, want = [], []
    for step, channel in instances(_COUNT, _MOST):
        link = AlphaBeta(channel.alpha, channel.beta)
        got.append(schedule.seconds(step, Carrier((Channel("network", link.alpha, link.beta),))))
        sums = np.cumsum(step.backward[::-1])[::-1]
        ready = [float(sums[tensor.layer]) for tensor in reversed(step.tensors)]
        sent = [tensor.bits for tensor in reversed(step.tensors)]
        end = finished(ready, sent, (1,) * len(sent), link)
        want.append(max(end, sum(step.backward)) + sum(step.forward))
    return identity(
        "wfbp", "a step ends as the recursion of starts and ends says", got, want,
        check="recursion", provenance=_DRAWN,
    )  # fmt: skip


def check_fusion(schedule: CommunicationSchedule | None = None) -> Verdict:
    """A buffer too small for two gradients is WFBP."""
    small = schedule or FusionBuffer(1e-9, 0.0)
    return _same("tensor-fusion", "a buffer that holds one gradient is WFBP", small, WAIT_FREE)


def check_window(schedule: CommunicationSchedule | None = None) -> Verdict:
    """ByteScheduler with a window without end is P3."""
    open_window = schedule or ByteScheduler(_SLICE, 1e9)
    claim = "a window without end leaves slices by priority: P3"
    return _same("bytescheduler", claim, open_window, PriorityPropagation(_SLICE))


def _same(
    row: str, claim: str, one: CommunicationSchedule, other: CommunicationSchedule
) -> Verdict:
    pairs = [
        [s.seconds(step, Carrier((channel,))) for s in (one, other)]
        for step, channel in instances(_COUNT, _MOST)
    ]
    got, want = zip(*pairs, strict=True)
    return identity(row, claim, got, want, check="special case", provenance=_DRAWN)


def never_slower(
    row: str,
    one: CommunicationSchedule,
    other: CommunicationSchedule,
    *,
    start_ups: bool,
    slowed: bool = True,
) -> Verdict:
    """``one`` takes no longer than ``other``; without ``start_ups`` a message has none."""
    worst, where = -np.inf, ""
    for step, drawn in instances(_COUNT, _MOST):
        busy = drawn.busy_beta if slowed else None
        channel = Channel("network", drawn.alpha if start_ups else 0.0, drawn.beta, 0.0, busy)
        mine, others = (s.seconds(step, Carrier((channel,))) for s in (one, other))
        if mine / others > worst:
            worst, where = (
                mine / others,
                f"{len(step.bits)} gradients, {mine:.6g} s and {others:.6g} s",
            )
    description = "" if start_ups else " where a message has no start-up"
    return Verdict(
        subject=row,
        claim=f"{one.name} is no slower than {other.name}{description}",
        check="orders of schedules",
        outcome=Outcome.SUPPORTED if worst <= 1 + 1e-9 else Outcome.REFUTED,
        statistic=worst,
        bound=1.0,
        resolution=1e-9,
        evidence=f"the largest ratio is {worst:.6g}: {where}",
        provenance=_DRAWN,
    )


def check_pulls() -> Verdict:
    """On a chain both orders are forward order; TIC ties the first two layers with tensors."""
    wrong = 0
    for step, channel in instances(_COUNT, _MOST):
        graph, layers = forward_graph(step), step.layers
        times = (channel.alpha + channel.beta * step.bits).tolist()
        for rank in (
            np.asarray(tic_order(graph, len(layers))),
            np.asarray(tac_order(graph, times)),
        ):
            by_rank = layers[np.argsort(rank, kind="stable")]
            free = by_rank > np.unique(layers)[:2][-1]
            wrong += int((np.diff(by_rank[free]) < 0).any())
    return Verdict(
        subject="tictac",
        claim=f"{TIC.name} and {TAC.name} pull a chain of layers in forward order",
        check="order on chains",
        outcome=Outcome.REFUTED if wrong else Outcome.AGREES,
        statistic=float(wrong),
        bound=0.0,
        resolution=0.0,
        evidence=f"{wrong} of {2 * _COUNT} orders are not forward order; TIC ties the first two "
        "layers, which are left out",
        provenance=_DRAWN,
    )


def _overlap() -> CellResult:
    return CellResult((
        check_wait_free(), never_slower("wfbp", WAIT_FREE, BULK, start_ups=False, slowed=False),
    ))  # fmt: skip


def _merged() -> CellResult:
    return CellResult(tuple(
        never_slower("mg-wfbp", MERGED, other, start_ups=True) for other in (WAIT_FREE, BULK)
    ))  # fmt: skip


def _sliced() -> CellResult:
    sliced = PriorityPropagation(_SLICE)
    return CellResult((never_slower("p3", sliced, WAIT_FREE, start_ups=False, slowed=False),))


SYSTEM_CHECKS = (
    SystemCheck(
        "schedule-bsp", "sum of computing and sending", lambda: CellResult((check_bulk(),))
    ),
    SystemCheck("wfbp", "recursion of starts", _overlap),
    SystemCheck("mg-wfbp", "never slower", _merged),
    SystemCheck("tensor-fusion", "smallest buffer", lambda: CellResult((check_fusion(),))),
    SystemCheck("p3", "slices by priority", _sliced),
    SystemCheck("tictac", "orders on chains", lambda: CellResult((check_pulls(),))),
    SystemCheck("bytescheduler", "open window", lambda: CellResult((check_window(),))),
)
