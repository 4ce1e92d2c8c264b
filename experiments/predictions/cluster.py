"""The cluster of survey 001, Fig. 4, as a model of time with two fitted numbers.

A step of one GPU is spread over the layers by their multiply-adds, a third of it forward. With n
GPUs, four to a node:

- An all-reduce of m bits takes 2 (n/4 - 1) hops and beta m seconds. The hops are those between
  nodes of NCCL's ring (its cost model in ``tuning.cc``); beta of each model, network and size is
  read off BSP-A2A, whose communication is one message that nothing overlaps.
- While a GPU computes, an all-reduce has a share ``left`` of the bandwidth within a node, which
  BSP-A2A with 4 GPUs shows; a network that is slower than that does not notice.
- A hop takes ``hop`` seconds on 100GbIB; on the other networks it takes longer by the difference of
  the survey's start-up times of single messages.
- Servers: as many as nodes, so a node's link carries every gradient once out and once in, n/(n - 1)
  of what a ring sends, at the bandwidth measured for the ring; a message costs two hops. With 4
  GPUs nothing leaves the node.

``hop`` and ``left`` are fitted to the 12 points of WFBP-A2A on 100GbIB, nothing else is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
import scipy

from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.step import TrainingStep, step_of
from algorithms.schedules.wait_free import WAIT_FREE
from algorithms.workloads import WORKLOADS
from experiments.predictions.throughputs import Throughput
from theory.arrays import Floats

MODELS = {"ResNet-50": "resnet-50", "BERT-Base": "bert-base", "BERT-Large": "bert-large"}
NETWORKS = ("10GbE", "100GbE", "100GbIB")
SIZES = (4, 8, 16, 32)
FITTED_ON = "100GbIB"
NODE = 4

_MESSAGES = {  # Gbit/s of messages of 16 KiB and of 1 MiB, survey 001, "Communication Performance"
    "10GbE": (1.2, 8.2), "100GbE": (4.6, 16.5), "100GbIB": (16.7, 83.2),
}  # fmt: skip


def start_up(network: str) -> float:
    """Start-up of a single message: the intercept of its two sizes [s]."""
    small, large = 8 * 2.0**14, 8 * 2.0**20
    slow, fast = (
        size / (rate * 1e9) for size, rate in zip((small, large), _MESSAGES[network], strict=True)
    )
    return slow - (fast - slow) / (large - small) * small


@final
@dataclass(frozen=True)
class ClusterModel:
    """The survey's cluster, calibrated.

    Attributes:
        points: what was measured: BSP-A2A on all networks.
        hop: seconds of a message between nodes on 100GbIB.
        left: share of the bandwidth within a node that a computing GPU leaves.
    """

    points: tuple[Throughput, ...]
    hop: float
    left: float

    @cached_property
    def _bulk(self) -> dict[tuple[str, str, int], Throughput]:
        return {(p.model, p.network, p.gpus): p for p in self.points if p.method == "BSP-A2A"}

    @cached_property
    def _steps(self) -> dict[str, TrainingStep]:
        alone = {p.model: p.alone_seconds for p in self.points}
        return {name: step_of(WORKLOADS[key], alone[name]) for name, key in MODELS.items()}

    def step(self, model: str) -> TrainingStep:
        """A step of one GPU alone."""
        return self._steps[model]

    def beta(self, model: str, network: str, gpus: int) -> float:
        """Seconds a bit of an all-reduce, from BSP-A2A less its start-up."""
        point = self._bulk[model, network, gpus]
        spent = point.step_seconds - point.alone_seconds - self.start(network, gpus)
        return max(spent, 0.0) / float(self.step(model).bits.sum())

    def hop_seconds(self, network: str) -> float:
        """Of a message between two nodes."""
        return self.hop + start_up(network) - start_up(FITTED_ON)

    def start(self, network: str, gpus: int) -> float:
        """Start-up of an all-reduce [s]."""
        return 2 * (gpus // NODE - 1) * self.hop_seconds(network)

    def _slowed(self, model: str, network: str, beta: float) -> float:
        return max(beta, self.beta(model, network, NODE) / self.left)

    def all_to_all(self, model: str, network: str, gpus: int) -> Carrier:
        """All-reduces on the ring."""
        beta = self.beta(model, network, gpus)
        slowed = self._slowed(model, network, beta)
        return Carrier((Channel("all-reduce", self.start(network, gpus), beta, 0.0, slowed),))

    def servers(self, model: str, network: str, gpus: int) -> Carrier:
        """Push and pull, one after the other on a node's link."""
        if gpus == NODE:
            return self.all_to_all(model, network, gpus)
        beta = self.beta(model, network, gpus) * gpus / (gpus - 1)
        slowed = self._slowed(model, network, beta)
        start = 2 * self.hop_seconds(network)
        return Carrier((Channel("push and pull", start, beta, 0.0, slowed),))

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


def calibrated(
    points: tuple[Throughput, ...], fitted: tuple[Throughput, ...] | None = None
) -> ClusterModel:
    """Fit ``hop`` and ``left`` by least squares of the logarithms of seconds.

    Args:
        points: the whole file.
        fitted: WFBP-A2A on 100GbIB, or those of its points that are not held out.

    Raises:
        ValueError: a point of BSP-A2A is missing, or there is nothing to fit to.
    """
    bulk = tuple(p for p in points if p.method == "BSP-A2A")
    has = {(p.model, p.network, p.gpus) for p in bulk}
    for wanted in ((m, net, n) for m in MODELS for net in NETWORKS for n in SIZES):
        if wanted not in has:
            raise ValueError(f"data must have BSP-A2A of {wanted}, there is none")
    chosen = wait_free(points) if fitted is None else fitted
    if not chosen:
        raise ValueError(f"data must have WFBP-A2A on {FITTED_ON}, there is none")

    def model(x: Floats) -> ClusterModel:
        return ClusterModel(bulk, float(np.exp(x[0])), float(1 / (1 + np.exp(-x[1]))))

    found = scipy.optimize.minimize(
        lambda x: float(np.square(model(x).errors(chosen)).sum()),
        (np.log(2e-5), -1.0), method="Nelder-Mead", options={"maxfev": 300},
    )  # fmt: skip
    return model(found.x)


def wait_free(points: tuple[Throughput, ...]) -> tuple[Throughput, ...]:
    """The points that are fitted to: WFBP-A2A on 100GbIB."""
    return tuple(p for p in points if p.method == "WFBP-A2A" and p.network == FITTED_ON)


def held_out(points: tuple[Throughput, ...]) -> dict[str, tuple[float, float]]:
    """Root mean square and largest relative error of points that were left out of the fit, each
    size in turn, then each model in turn."""
    known = wait_free(points)
    groups = {f"{n} GPUs": [p for p in known if p.gpus == n] for n in SIZES}
    groups |= {name: [p for p in known if p.model == name] for name in MODELS}
    told = {}
    for name, left_out in groups.items():
        rest = tuple(p for p in known if p not in left_out)
        error = np.expm1(-calibrated(points, rest).errors(tuple(left_out)))
        told[name] = float(np.sqrt(np.mean(error**2))), float(np.abs(error).max())
    return told
