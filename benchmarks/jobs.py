"""The jobs: l2 logistic regression on dense synthetic data, a shard for each worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.topologies.ring import Ring
from theory.stepsizes import ConstantStep

BATCH, LEVELS, PERIOD, KEPT, LAM, GAMMA, CONSENSUS = 32, 4, 8, 0.01, 1e-3, 0.05, 0.1
"""Samples of a gradient; levels of QSGD; steps between averages of local SGD; share that top-k
keeps; weight of the regulariser; stepsize; consensus step of CHOCO."""

METHODS = ("BSP", "QSGD", "top-1%", "D-PSGD", "CHOCO top-1%", "local SGD")


@dataclass(frozen=True)
class Size:
    """A size of the job.

    Attributes:
        n: workers.
        d: parameters.
        samples: samples of a worker.
        replicas: how many are run at once in the jobs that are not of one; 0: no such job.
    """

    name: str
    n: int
    d: int
    samples: int
    replicas: int


SIZES = (
    Size("small", 8, 50, 256, 128),
    Size("medium", 64, 1000, 156, 32),
    Size("large", 256, 10_000, 64, 0),
)

DTYPES = {"float32": torch.float32, "float64": torch.float64}


def method(name: str, n: int) -> Method[Any]:
    """One of ``METHODS`` for n workers, as the catalogue's rows build it."""
    step = ConstantStep(GAMMA)
    made: dict[str, Method[Any]] = {
        "BSP": BSP(step),
        "QSGD": BSP(step, QSGD(LEVELS)),
        "top-1%": BSP(step, TopK(KEPT), ErrorFeedback()),
        "D-PSGD": DPSGD(step, Ring(n)),
        "CHOCO top-1%": ChocoSGD(step, Ring(n), TopK(KEPT), CONSENSUS),
        "local SGD": LocalSGD(step, PERIOD),
    }
    return made[name]
