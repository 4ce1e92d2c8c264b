"""Survey 001, Fig. 4: seven methods on three networks, predicted from two of them.

What cannot follow from this model, said before it is run:

- Ties of BSP-PS and BSP-A2A: servers are given the ring's bandwidth and n/(n - 1) of its traffic,
  so BSP-A2A always wins by a little from 8 GPUs on, and ties with 4.
- How fast a server's thread copies: nothing that is calibrated on shows one. It is given the middle
  of two published bounds a factor of 2 apart, so that servers on 100GbE may be off by half that.
- What ByteScheduler's hooks cost there: nothing that is calibrated on shows them. They are given
  the time they took another machine.
- Whether overlap on the Ethernets suffers as on 100GbIB: no overlapped run of theirs is calibrated
  on. The model says that only the bandwidth within a node is shared with a computing GPU.
- How a message's wait for the device is spread: it is the mean over the tensors of a model, though
  kernels differ.
- Whether tensor partition suits servers (finding 6 of Table 2): both WFBP-PS and ByteScheduler-PS
  cut tensors into 4.096 MB, so that they are one model here and tie exactly.
- Gains of servers from a full-duplex link: push and pull share the bandwidth here.

How the methods were run stands in the scripts of the survey's authors (HKBU-HPML/ddl-benchmarks,
``byteps/launch.sh`` and ``bytescheduler/*``). BytePS always cuts tensors into partitions of 4.096
MB, and its optimiser's step waits for all gradients; ByteScheduler-PS is WFBP-PS with scheduling at
the server, which makes no difference here. Over all-reduce ByteScheduler's partitions are of 4
million entries and the credit 16 million; Horovod is as it comes: it looks for messages every 5 ms
(so that one waits for 2.5 ms in the mean) and fuses what it finds, at most a credit's worth (64 MB,
as much as its buffer); a step ends with a synchronisation of the device, which is taken to wait for
all messages. MG-WFBP merges by its paper's greedy rule, from start-up and bandwidth alone.
"""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

import numpy as np

from algorithms.schedules.base import CommunicationSchedule
from algorithms.schedules.bulk import BULK
from algorithms.schedules.merged_gradients import GREEDY
from algorithms.schedules.priority import ByteScheduler
from algorithms.schedules.wait_free import WAIT_FREE
from experiments.predictions.cluster import MODELS, NETWORKS, SIZES, ClusterModel

HOOK_BOUNDS = ((32 / 169.2 - 32 / 182.4) / 161, (32 / 180 - 32 / 254) / 161)
"""Seconds that a process waits for ByteScheduler's hooks and poller, which share Python's lock, at
each of ResNet-50's 161 tensors: times of a step of 32 images with it less those without, as two
others report them. 2 GPUs, neither partitions nor credit (bytedance/byteps, issue 370), and 8 GPUs
of one machine, the slowest (issue 339)."""
HOOK = (32 / 190 - 32 / 254) / 161
"""The middle of what issue 339 reports, 180 to 200 images a second with it, 254 without."""

_BYTE_PS = ByteScheduler(8 * 4.096e6, np.inf, barrier=True)
_BYTE_SCHEDULER = ByteScheduler(
    32 * 4e6, 32 * 16e6, barrier=True, turn=5e-3 / 2, tensor_seconds=HOOK
)

METHODS: dict[str, CommunicationSchedule] = {
    "BSP-PS": BULK,
    "BSP-A2A": BULK,
    "WFBP-PS": _BYTE_PS,
    "WFBP-A2A": WAIT_FREE,
    "MG-WFBP": GREEDY,
    "ByteScheduler-PS": _BYTE_PS,
    "ByteScheduler-A2A": _BYTE_SCHEDULER,
}
"""The survey's seven methods (Table 1); those that end in PS use servers, all others all-reduce."""

COLUMNS = ("model", "network", "method", "gpus", "samples_per_second")


class Prediction(NamedTuple):
    """One predicted point.

    Attributes:
        model: as the survey calls it.
        network: as the survey calls it.
        method: as the survey calls it.
        gpus: how many.
        samples_per_second: of all of them.
    """

    model: str
    network: str
    method: str
    gpus: int
    samples_per_second: float


def predicted(cluster: ClusterModel) -> tuple[Prediction, ...]:
    """All 3 x 3 x 7 x 4 points."""
    return tuple(
        Prediction(model, network, method, n, throughput(cluster, model, network, method, n))
        for model in MODELS
        for network in NETWORKS
        for method in METHODS
        for n in SIZES
    )


def throughput(cluster: ClusterModel, model: str, network: str, method: str, n: int) -> float:
    """Samples per second of n GPUs with a method, predicted."""
    schedule = METHODS[method]
    if method.endswith("-PS"):
        whole = cluster.all_to_all(model, network, n)
        count = len(schedule.messages(cluster.step(model), whole).bits)
        carrier = cluster.servers(model, network, n, count)
    elif isinstance(schedule, ByteScheduler):
        carrier = cluster.fused(model, network, n, schedule)
    else:
        carrier = cluster.all_to_all(model, network, n)
    batch = next(p.local_batch for p in cluster.points if p.model == model)
    return batch * n / schedule.seconds(cluster.step(model), carrier)


def as_csv(points: tuple[Prediction, ...]) -> bytes:
    """The predictions as a file with a line of column names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*point[:-1], f"{point.samples_per_second:.6g}") for point in points)
    return text.getvalue().encode()
