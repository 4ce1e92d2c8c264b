"""The cluster of survey 001, Fig. 4, as a model of time with two fitted numbers.

A step of one GPU is spread over the layers by their multiply-adds, a third of it forward. With n
GPUs, four to a node:

- An all-reduce of m bits takes 2 (n/4 - 1) hops between nodes and the rest of 2 (n - 1) within,
  as NCCL's ring does (its cost model in ``tuning.cc``, with its constants but for the hop between
  nodes), and beta m seconds; beta of each model, network and size is read off BSP-A2A, whose
  communication is one message that nothing overlaps.
- While a GPU computes, a message waits before it starts, since a kernel that runs is not
  interrupted: as long as the backward pass of one tensor takes in the mean. Then it has a share
  ``left`` of the bandwidth within a node, which BSP-A2A with 4 GPUs shows; a network that is slower
  than that does not notice.
- A hop takes ``hop`` seconds on 100GbIB; on the other networks it takes longer by the difference of
  the survey's start-up times of single messages.
- Servers: as many as nodes, on machines of their own, so a node's link carries every gradient once
  out and once in, n/(n - 1) of what a ring sends, at the bandwidth measured for the ring; a message
  costs two hops. Within a node the kernels of four messages wait for the device at once
  (``BYTEPS_NCCL_GROUP_SIZE``), while others are on the link. With 4 GPUs nothing leaves the node.
- Over TCP (10GbE, 100GbE) one thread at each end copies what servers get and give: 2 m bits at
  ``THREAD`` bit/s, whatever the link. Over RDMA nothing is copied.

``hop`` and ``left`` are fitted to the 12 points of WFBP-A2A on 100GbIB, nothing else is. Where
those are left out, a hop is NCCL's and ``left`` is 1; where others are, beta is that of a ring: the
slower of the bandwidth within a node and of the survey's single messages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
import scipy

from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.priority import ByteScheduler
from algorithms.schedules.step import TrainingStep, step_of
from algorithms.schedules.wait_free import WAIT_FREE
from algorithms.workloads import WORKLOADS
from experiments.predictions.throughputs import Throughput
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta

MODELS = {"ResNet-50": "resnet-50", "BERT-Base": "bert-base", "BERT-Large": "bert-large"}
NETWORKS = ("10GbE", "100GbE", "100GbIB")
SIZES = (4, 8, 16, 32)
FITTED_ON = "100GbIB"
NODE = 4

_MESSAGES = {  # Gbit/s of messages of 16 KiB and of 1 MiB, survey 001, "Communication Performance"
    "10GbE": (1.2, 8.2), "100GbE": (4.6, 16.5), "100GbIB": (16.7, 83.2),
}  # fmt: skip
GROUP = 4
"""Kernels that BytePS hands to NCCL at once, its default (``BYTEPS_NCCL_GROUP_SIZE``)."""
_TCP = frozenset({"10GbE", "100GbE"})
_BASE, _INSIDE_HOP, _NETWORK_HOP = 8.4e-6, 5.7e-6, 14e-6
"""Seconds that NCCL's ring takes whatever its length, for a hop over PCIe and for one over a
network, protocol Simple (``tuning.cc``: baseLat, hwLat)."""

THREAD_BOUNDS = (8e9, 17.2e9)
"""Bits a second that one thread copies in or out of sockets: at least ZeroMQ's own rule, one thread
a gigabyte in or out a second (zguide, "I/O Threads"; BytePS-0.2.0 leaves the default, one thread);
at most a single message of the survey on 100GbE, TCP over InfiniBand, where a processor and not the
link is full."""
THREAD = float(np.sqrt(THREAD_BOUNDS[0] * THREAD_BOUNDS[1]))
"""The middle of the bounds by logarithm: no point that is calibrated on shows a server."""


def message_link(network: str) -> AlphaBeta:
    """Single messages of the survey: start-up and seconds a bit through its two sizes."""
    small, large = 8 * 2.0**14, 8 * 2.0**20
    slow, fast = (
        size / (rate * 1e9) for size, rate in zip((small, large), _MESSAGES[network], strict=True)
    )
    beta = (fast - slow) / (large - small)
    return AlphaBeta(slow - beta * small, beta)


def start_up(network: str) -> float:
    """Start-up of a single message [s]."""
    return message_link(network).alpha


@final
@dataclass(frozen=True)
class ClusterModel:
    """The survey's cluster, calibrated.

    Attributes:
        points: what was measured and calibrated on; of models that are not there it knows nothing.
        hop: seconds of a hop of the ring between nodes on 100GbIB.
        left: share of the bandwidth within a node that a computing GPU leaves.
        inside: seconds a bit of an all-reduce within a node, where no point of BSP-A2A shows it.
    """

    points: tuple[Throughput, ...]
    hop: float
    left: float
    inside: float = 0.0

    @cached_property
    def _bulk(self) -> dict[tuple[str, str, int], Throughput]:
        return {(p.model, p.network, p.gpus): p for p in self.points if p.method == "BSP-A2A"}

    @cached_property
    def _steps(self) -> dict[str, TrainingStep]:
        alone = {p.model: p.alone_seconds for p in self.points}
        return {name: step_of(WORKLOADS[MODELS[name]], alone[name]) for name in alone}

    def step(self, model: str) -> TrainingStep:
        """A step of one GPU alone."""
        return self._steps[model]

    def beta(self, model: str, network: str, gpus: int) -> float:
        """Seconds a bit of an all-reduce: from BSP-A2A less its start-up, or that of a ring."""
        point = self._bulk.get((model, network, gpus))
        if point is None:
            around = 2 * (gpus - 1) / gpus
            within = self._within(model) * around / (2 * (NODE - 1) / NODE)
            return max(within, around * message_link(network).beta if gpus > NODE else 0.0)
        spent = point.step_seconds - point.alone_seconds - self.start(network, gpus)
        return max(spent, 0.0) / float(self.step(model).bits.sum())

    def _within(self, model: str) -> float:
        """Seconds a bit of an all-reduce of 4 GPUs, which no network reaches: the mean of those
        measured."""
        known = [net for net in NETWORKS if (model, net, NODE) in self._bulk]
        return float(np.mean([self.beta(model, net, NODE) for net in known] or [self.inside]))

    def hop_seconds(self, network: str) -> float:
        """Of a message between two nodes."""
        return self.hop + start_up(network) - start_up(FITTED_ON)

    def start(self, network: str, gpus: int) -> float:
        """Start-up of an all-reduce [s]."""
        between = 2 * (gpus // NODE - 1)
        inside = 2 * (gpus - 1) - between
        return _BASE + inside * _INSIDE_HOP + between * self.hop_seconds(network)

    def wait(self, model: str) -> float:
        """Wait of a message for a device that computes: the mean backward pass of a tensor [s]."""
        step = self.step(model)
        return step.backward_end / len(step.bits)

    def _slowed(self, model: str, network: str, beta: float) -> float:
        return max(beta, self.beta(model, network, NODE) / self.left)

    def all_to_all(self, model: str, network: str, gpus: int) -> Carrier:
        """All-reduces on the ring."""
        beta = self.beta(model, network, gpus)
        slowed = self._slowed(model, network, beta)
        start, wait = self.start(network, gpus), self.wait(model)
        return Carrier((Channel("all-reduce", start, beta, 0.0, slowed, busy_wait=wait),))

    def fused(self, model: str, network: str, gpus: int, schedule: ByteScheduler) -> Carrier:
        """All-reduces on the ring, a window of the schedule's credit at a time; a fused message is
        of what becomes ready, or is sent, from one turn to the next."""
        step, cycle = self.step(model), 2 * schedule.turn
        prepared = schedule.prepared(step)
        (ring,) = self.all_to_all(model, network, gpus).channels
        made = cycle * float(step.bits.sum()) / prepared.backward_end
        piece = max(made, cycle / ring.beta if ring.beta else math.inf)
        windowed = ring.windowed(
            schedule.credit_bits, schedule.turn, step.compute / prepared.compute, piece
        )
        return Carrier((windowed,))

    def servers(self, model: str, network: str, gpus: int, messages: int) -> Carrier:
        """Push and pull of a step's so many messages, one after the other on a node's link; over
        TCP through one thread. Within a node kernels of ``GROUP`` of them wait for the device at
        once, while others are on the link."""
        within = self._within(model) / self.left
        bits = float(self.step(model).bits.sum())
        device = within + self.wait(model) * messages / GROUP / bits
        beta = self.beta(model, network, gpus)
        if gpus == NODE:
            start = self.start(network, gpus)
            return Carrier((Channel("reduce", start, beta, 0.0, max(beta, device)),))
        beta *= gpus / (gpus - 1)
        start = 2 * self.hop_seconds(network)
        channel = Channel("push and pull", start, beta, 0.0, max(beta, device))
        return Carrier((channel.through_thread(1 / THREAD if network in _TCP else 0.0),))

    def errors(self, points: tuple[Throughput, ...]) -> Floats:
        """log(predicted / measured) seconds of BSP-A2A and WFBP-A2A."""
        schedules = {"BSP-A2A": BULK, "WFBP-A2A": WAIT_FREE}
        return np.asarray([
            np.log(
                schedules[p.method].seconds(
                    self.step(p.model), self.all_to_all(p.model, p.network, p.gpus)
                )
                / p.step_seconds
            )
            for p in points
        ])  # fmt: skip


def fit_set(points: tuple[Throughput, ...]) -> tuple[Throughput, ...]:
    """The points that are calibrated on: BSP-A2A, and WFBP-A2A on 100GbIB.

    Raises:
        ValueError: a point of BSP-A2A is missing, or there is none of WFBP-A2A.
    """
    chosen = tuple(
        p for p in points
        if p.method == "BSP-A2A" or (p.method == "WFBP-A2A" and p.network == FITTED_ON)
    )  # fmt: skip
    has = {(p.model, p.network, p.gpus) for p in chosen if p.method == "BSP-A2A"}
    for wanted in ((m, net, n) for m in MODELS for net in NETWORKS for n in SIZES):
        if wanted not in has:
            raise ValueError(f"data must have BSP-A2A of {wanted}, there is none")
    if not any(p.method == "WFBP-A2A" for p in chosen):
        raise ValueError(f"data must have WFBP-A2A on {FITTED_ON}, there is none")
    return chosen


def calibrated(points: tuple[Throughput, ...]) -> ClusterModel:
    """Fit ``hop`` and ``left`` by least squares of the logarithms of seconds.

    ``points`` are those of :func:`fit_set` or a part of them. Without WFBP-A2A a hop is that of
    NCCL's own constant, and a computing GPU leaves all of the bandwidth; without BSP-A2A the
    bandwidth within a node is fitted to WFBP-A2A too, one for all models.
    """
    fitted = tuple(p for p in points if p.method == "WFBP-A2A")
    if not fitted:
        return ClusterModel(points, _NETWORK_HOP, 1.0)
    start = [np.log(2e-5), -1.0]
    if len(fitted) == len(points):
        start.append(np.log(2.5e-10))

    def model(x: Floats) -> ClusterModel:
        inside = float(np.exp(x[2])) if len(x) > 2 else 0.0
        return ClusterModel(points, float(np.exp(x[0])), float(1 / (1 + np.exp(-x[1]))), inside)

    found = scipy.optimize.minimize(
        lambda x: float(np.square(model(x).errors(fitted)).sum()),
        start, method="Nelder-Mead", options={"maxfev": 300},
    )  # fmt: skip
    return model(found.x)
