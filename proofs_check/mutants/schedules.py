"""Schedules with one fault each, and the check that sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from algorithms.fabrics.sharing import Routes
from algorithms.schedules.base import CommunicationSchedule, Messages
from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.contention import always
from algorithms.schedules.merged_gradients import MergedGradients
from algorithms.schedules.priority import ByteScheduler
from algorithms.schedules.step import TrainingStep
from algorithms.schedules.wait_free import WAIT_FREE
from algorithms.workloads import WORKLOADS, Workload
from proofs_check.fabrics.contention import fair_shares, incast
from proofs_check.mutants.method_mutant import fault
from proofs_check.schedules.forms import check_bulk, check_wait_free, check_window
from proofs_check.schedules.merging import check_best, check_pair
from proofs_check.schedules.on_fabrics import check_contended, check_jobs
from proofs_check.schedules.order import check_order
from proofs_check.schedules.pipelines import check_sharing
from proofs_check.workloads.counts import check_counts
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta

# Links whose sharing is forgotten, and the check that sees it.


def unshared(routes: Routes, capacities: Floats) -> Floats:
    """Each flow as if it had its links to itself."""
    return np.array([capacities[list(route)].min() for route in routes])


@final
@dataclass(frozen=True)
class ReadyForward(CommunicationSchedule):
    """WFBP that thinks the first layer's gradient is there first.

    Attributes:
        right: the genuine schedule.
    """

    right: CommunicationSchedule = WAIT_FREE

    @property
    def name(self) -> str:
        return "WFBP with ready times in forward order"

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        right = self.right.messages(step, carrier)
        spent = np.cumsum(step.backward)
        order = np.argsort(right.lowest, kind="stable")
        return Messages(
            spent[right.lowest[order]],
            right.bits[order],
            right.rank,
            right.lowest[order],
            right.first[order],
            right.last[order],
        )


@final
@dataclass(frozen=True)
class MergesIfDear:
    """The merge rule with the wrong sign: gradients join if waiting costs more than a start-up."""

    name = "MG-WFBP with the wrong sign"

    def groups(self, step: TrainingStep, carrier: Carrier) -> tuple[int, ...]:
        """Sizes of the groups in the order in which gradients become ready."""
        channel = carrier.whole
        link = AlphaBeta(channel.alpha, channel.beta)
        groups: list[int] = []
        held, free, start = 0.0, 0.0, 0.0
        for time, size in zip(step.ready.tolist(), step.bits.tolist(), strict=True):
            if groups and time - start > link.alpha:
                groups[-1] += 1
                held += size
            else:
                free = start + link.seconds(held, 1) if groups else 0.0
                groups.append(1)
                held = size
            start = max(free, time)
        return tuple(groups)


@final
@dataclass(frozen=True)
class LastLayerFirst(CommunicationSchedule):
    """Slices by priority, the last layer's first.

    Attributes:
        right: the genuine schedule.
    """

    right: ByteScheduler
    barrier = False

    @property
    def name(self) -> str:
        return "priority of the last layer"

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        right = self.right.messages(step, carrier)
        return right._replace(rank=-right.rank)


def _untied() -> dict[str, Workload]:
    """BERT-Base with a matrix of its own for the head."""
    bert = WORKLOADS["bert-base"]
    *layers, head, last = bert.layers
    own = replace(head, tensors=(*head.tensors, bert.tensors[0]))
    return {**WORKLOADS, "bert-base": replace(bert, layers=(*layers, own, last))}


METHOD_MUTANTS = (
    fault(
        "flows without contention", "flows that share a link are each as fast as alone",
        fair_shares, unshared,
    ),
    fault(
        "gradient ready times in forward order", "the first layer's gradient is taken as first",
        check_order, ReadyForward(),
    ),
    fault(
        "merge rule with the wrong sign", "merges if waiting costs more than a start-up",
        check_pair, MergesIfDear(),
    ),
    fault(
        "greedy merges where the best are claimed", "the paper's rule in place of the optimum",
        check_best, MergedGradients(greedy=True),
    ),
    fault("BSP that overlaps", "messages leave during the backward pass", check_bulk, WAIT_FREE),
    fault("WFBP that waits", "one message behind the backward pass", check_wait_free, BULK),
    fault(
        "priority of the last layer", "what the next step needs last is sent first",
        check_window, LastLayerFirst(ByteScheduler(0.4, 1e9)),
    ),
    fault(
        "jobs that always share", "every transfer starts beside the other", check_sharing, always,
    ),
    fault(
        "machines whose links are not shared", "four messages at once go at the full rate each",
        check_contended, unshared,
    ),
    fault(
        "jobs that do not see each other", "every job has the fabric's links for itself",
        check_jobs, unshared,
    ),
    fault(
        "BERT with an untied head", "the word embedding counted twice", check_counts, _untied(),
    ),
    fault(
        "incast without contention", "messages that share a link are each as fast as alone",
        incast, unshared,
    ),
)  # fmt: skip
