"""Survey 001, Fig. 4: seven methods on three networks, predicted from two of them.

What cannot follow from this model, said before it is run:

- Ties of BSP-PS and BSP-A2A: servers are given the ring's bandwidth and n/(n - 1) of its traffic,
  so BSP-A2A always wins by a little from 8 GPUs on, and ties with 4.
- The loss of ByteScheduler-A2A on ResNet-50 beyond start-ups: the cost of its implementation.
- What a scheduler's own processor time, its negotiation or its copies cost.
- Whether overlap on the Ethernets suffers as on 100GbIB: no overlapped run of theirs is calibrated
  on. The model says that only the bandwidth within a node is shared with a computing GPU.
- Whether overlap on 100GbIB loses bandwidth, as the model says, or each message waits for the
  device: sent tensor by tensor both look alike. If it waits, merging spares more than predicted.
- Gains of servers from a full-duplex link: push and pull share the bandwidth here.

ByteScheduler's partitions are 4 MB, its window 16 MB: round figures of their class, not tuned.
MG-WFBP merges by its paper's greedy rule, from start-up and bandwidth alone.
"""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from algorithms.schedules.base import CommunicationSchedule
from algorithms.schedules.bulk import BULK
from algorithms.schedules.merged_gradients import GREEDY
from algorithms.schedules.priority import BYTE_SCHEDULER
from algorithms.schedules.wait_free import WAIT_FREE
from experiments.predictions.cluster import MODELS, NETWORKS, SIZES, ClusterModel

METHODS: dict[str, CommunicationSchedule] = {
    "BSP-PS": BULK,
    "BSP-A2A": BULK,
    "WFBP-PS": WAIT_FREE,
    "WFBP-A2A": WAIT_FREE,
    "MG-WFBP": GREEDY,
    "ByteScheduler-PS": BYTE_SCHEDULER,
    "ByteScheduler-A2A": BYTE_SCHEDULER,
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
        Prediction(model, network, method, n, _throughput(cluster, model, network, method, n))
        for model in MODELS
        for network in NETWORKS
        for method in METHODS
        for n in SIZES
    )


def _throughput(cluster: ClusterModel, model: str, network: str, method: str, n: int) -> float:
    over = cluster.servers if method.endswith("-PS") else cluster.all_to_all
    seconds = METHODS[method].seconds(cluster.step(model), over(model, network, n))
    batch = next(p.local_batch for p in cluster.points if p.model == model)
    return batch * n / seconds


def as_csv(points: tuple[Prediction, ...]) -> bytes:
    """The predictions as a file with a line of column names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*point[:-1], f"{point.samples_per_second:.6g}") for point in points)
    return text.getvalue().encode()
