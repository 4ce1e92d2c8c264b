"""Schedules whose messages are collectives on a fabric: closed forms, and what sharing costs."""

from __future__ import annotations

import math

import numpy as np

from algorithms.collectives.base import Collective
from algorithms.collectives.recursive import HalvingDoubling
from algorithms.collectives.ring import RingAllReduce
from algorithms.fabrics.program_times import FabricRegime
from algorithms.fabrics.sharing import Sharing, max_min_rates
from algorithms.fabrics.topologies import MachineFabric, StarFabric
from algorithms.schedules.base import CommunicationSchedule
from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier, Channel, all_reduce
from algorithms.schedules.contention import SharedNetwork, TrainingJob, always
from algorithms.schedules.fabric_carriers import carried
from algorithms.schedules.fusion_buffer import FusionBuffer
from algorithms.schedules.merged_gradients import MERGED
from algorithms.schedules.priority import PriorityPropagation
from algorithms.schedules.shared_fabric import PlacedJob, SharedFabric
from algorithms.schedules.wait_free import WAIT_FREE
from proofs_check.cell import CellResult
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import SystemCheck
from proofs_check.schedules.drawn import SEED, instances
from proofs_check.verdict import Verdict
from theory.seconds.costs import AlphaBeta

_COUNT, _MOST, _WORKERS, _EACH, _TRIALS = 40, 12, 16, 4, 12


def check_uncontended(
    row: str, schedule: CommunicationSchedule, sharing: Sharing = max_min_rates
) -> Verdict:
    """On one switch, where a ring's messages share nothing, as with the ring's closed form."""
    got, want = [], []
    for step, drawn in instances(_COUNT, _MOST):
        link = AlphaBeta(drawn.alpha / 30, drawn.beta)
        fabric = FabricRegime(math.inf, StarFabric(_WORKERS, link))
        ring = carried(RingAllReduce(_WORKERS), (fabric,), sharing=sharing)
        got.append(schedule.seconds(step, ring))
        want.append(schedule.seconds(step, all_reduce(link, _WORKERS)))
    return identity(
        row, f"{schedule.name}: a step whose messages are rings of {_WORKERS} on a switch takes "
        "what the ring's closed form says", got, want, check="schedule on a fabric",
        provenance=f"{_COUNT} steps of 1 to {_MOST} gradients from seed {SEED}",
    )  # fmt: skip


def check_contended(sharing: Sharing = max_min_rates) -> Verdict:
    """Machines of four: a ring crosses a machine's link once, halving and doubling four times."""
    got, want = [], []
    for step, drawn in instances(_COUNT, _MOST):
        slow = AlphaBeta(drawn.alpha / 30, drawn.beta)
        quick = AlphaBeta(slow.alpha / 4, slow.beta / 8)
        fabric = FabricRegime(math.inf, MachineFabric(_WORKERS // _EACH, _EACH, quick, slow))
        pairs: tuple[tuple[Collective, float, float], ...] = (
            (
                RingAllReduce(_WORKERS), 2 * (_WORKERS - 1) * slow.alpha,
                2 * (1 - 1 / _WORKERS) * slow.beta,
            ),
            (
                HalvingDoubling(_WORKERS), 4 * (slow.alpha + quick.alpha),
                2 * (_EACH * (1 / 2 + 1 / 4) * slow.beta + (1 / 8 + 1 / 16) * quick.beta),
            ),
        )  # fmt: skip
        for one, alpha, beta in pairs:
            got.append(WAIT_FREE.seconds(step, carried(one, (fabric,), sharing=sharing)))
            want.append(WAIT_FREE.seconds(step, Carrier((Channel("network", alpha, beta),))))
    return identity(
        "wfbp", f"in machines of {_EACH} a ring's bits cross a machine's link once, those of "
        f"halving and doubling {_EACH} times", got, want, check="schedule on a fabric",
        provenance=f"{_COUNT} steps of 1 to {_MOST} gradients from seed {SEED}",
    )  # fmt: skip


def check_jobs(sharing: Sharing = max_min_rates) -> Verdict:
    """Jobs between two hosts end as on one link that all share; on hosts of their own as alone."""
    random = np.random.default_rng(SEED)
    got: list[float] = []
    want: list[float] = []
    link = AlphaBeta(0.0, 1e-9)
    for _ in range(_TRIALS):
        jobs = [
            TrainingJob(
                f"job {i}", random.exponential(0.3), random.exponential(1e9),
                int(random.integers(1, 5)), random.exponential(0.3),
            )
            for i in range(3)
        ]  # fmt: skip
        for apart in (False, True):
            fabric = SharedFabric(StarFabric(6, link), sharing)
            placed = tuple(
                PlacedJob(
                    job.name, job.compute, job.bits, RingAllReduce(2),
                    (2 * i, 2 * i + 1) if apart else (0, 1), job.steps, job.start,
                )
                for i, job in enumerate(jobs)
            )  # fmt: skip
            got += fabric.ends(placed)
            network = SharedNetwork(link.beta, 0.0, always, 3)
            if apart:
                want += [network.ends((job,))[0] for job in jobs]
            else:
                want += network.ends(tuple(jobs))
    return identity(
        "contention-aware", "three jobs between two hosts end as on one link shared by all who "
        "send, on hosts of their own as alone", got, want, check="jobs on a fabric",
        tolerance=1e-9, provenance=f"{_TRIALS} draws of three jobs, seed {SEED}",
    )  # fmt: skip


def _overlap() -> CellResult:
    return CellResult((check_uncontended("wfbp", WAIT_FREE), check_contended()))


SYSTEM_CHECKS = (
    SystemCheck("wfbp", "rings and halving on fabrics", _overlap),
    SystemCheck(
        "schedule-bsp", "a ring on a switch",
        lambda: CellResult((check_uncontended("schedule-bsp", BULK),)),
    ),
    SystemCheck(
        "mg-wfbp", "merged for a switch",
        lambda: CellResult((check_uncontended("mg-wfbp", MERGED),)),
    ),
    SystemCheck(
        "p3", "slices on a switch",
        lambda: CellResult((check_uncontended("p3", PriorityPropagation(0.4)),)),
    ),
    SystemCheck(
        "tensor-fusion", "buffers on a switch",
        lambda: CellResult((check_uncontended("tensor-fusion", FusionBuffer(1.0, 0.1)),)),
    ),
    SystemCheck("contention-aware", "jobs on a fabric", lambda: CellResult((check_jobs(),))),
)  # fmt: skip
