"""A cluster from ranks: which of them measure what, and the check of it all by a ring.

Rank 0 sends to a rank of its machine and to one of another; computing and compression are measured
on rank 0 while the others wait. A ring of all ranks is measured too, on vectors of a size that no
message had: what the file predicts of it is said with the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import nn

from algorithms.clusters.carriers import sums
from algorithms.clusters.cluster import Cluster, CodingTimes, ModelTimes
from algorithms.network.link_times import link_seconds
from algorithms.network.ranks import add_up, gathered, place, wait_for_all, wire_device
from algorithms.workloads import WORKLOADS
from experiments.calibration.fitting import link_points
from experiments.calibration.working import (
    OPERATORS,
    coding_times,
    estimated_times,
    flop_rate,
    least_seconds,
    module_times,
)
from proofs_check.audit.loading import imported

SMALLEST = 1024
_RING_OF = 3  # a vector of the largest message over so many, as no message was
_ENTRIES = 1 << 18


@final
@dataclass(frozen=True)
class CalibrationPlan:
    """Plan of measurements, the same on all ranks.

    Attributes:
        name: of the cluster.
        models: names of models, each with MODULE:ATTRIBUTE of a module and its inputs, or without.
        samples: of a worker's step of models without a module.
        largest: bytes of the longest message.
        repeats: of which the least counts.
        operators: whether compressors are measured.

    Raises:
        ValueError: a number below 1, messages that are too short, an unknown model, or one twice.
    """

    name: str = "mine"
    models: tuple[tuple[str, str], ...] = ()
    samples: int = 8
    largest: int = 1 << 22
    repeats: int = 20
    operators: bool = True

    def __post_init__(self) -> None:
        for what, value in (("samples", self.samples), ("repeats", self.repeats)):
            if value < 1:
                raise ValueError(f"{what} must be at least 1, got {what}={value}")
        if self.largest < 4 * SMALLEST:
            raise ValueError(f"largest must be at least {4 * SMALLEST} bytes, got {self.largest}")
        names = [name for name, _ in self.models]
        for name in names:
            if name not in WORKLOADS:
                raise ValueError(f"unknown model {name!r}; known: {', '.join(WORKLOADS)}")
        if len(set(names)) < len(names):
            raise ValueError(f"models must be named once each, got {', '.join(names)}")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of the messages that are timed, each four times the last."""
        found = [SMALLEST]
        while found[-1] * 4 <= self.largest:
            found.append(found[-1] * 4)
        return tuple(found)


@final
class CalibrationFindings(NamedTuple):
    """Findings of rank 0 at the end; plain numbers, so that they can be written down and kept.

    Attributes:
        inside: seconds of messages within a machine; empty: each rank has one of its own.
        network: seconds of messages between machines; empty: there is one machine.
        models: times of a step, by name, and whether each was measured.
        operators: times of coding, by name.
        ring_bits: length of the vector that was summed around a ring of all ranks.
        ring_seconds: what that took.
    """

    inside: tuple[float, ...]
    network: tuple[float, ...]
    models: tuple[tuple[str, ModelTimes, bool], ...]
    operators: tuple[tuple[str, CodingTimes], ...]
    ring_bits: float
    ring_seconds: float


def measured(plan: CalibrationPlan, each: int, device: str = "cpu") -> CalibrationFindings:
    """Measure on all ranks, ``each`` of them on every machine; all ranks must call it.

    Off rank 0 all times are empty.

    Raises:
        ValueError: fewer than two ranks, a module that is not what it should be.
        RuntimeError: torch.distributed is not initialised.
    """
    rank, ranks = place()
    if ranks < 2:
        raise ValueError(f"ranks must be at least 2, got ranks={ranks}: a link has two ends")
    wire = wire_device(device)
    inside = link_seconds(0, 1, plan.sizes, plan.repeats, wire) if each > 1 else []
    network = link_seconds(0, each, plan.sizes, plan.repeats, wire) if ranks > each else []
    entries = max(ranks, plan.sizes[-1] // 4 // _RING_OF // ranks * ranks)
    ring = _ring(entries, plan.repeats, wire)
    models: list[tuple[str, ModelTimes, bool]] = []
    operators: list[tuple[str, CodingTimes]] = []
    if rank == 0:
        models = [(name, *_model(name, where, plan, device)) for name, where in plan.models]
        if plan.operators:
            operators = [
                (one.name.split("(")[0], coding_times(one, _ENTRIES, plan.repeats, device))
                for one in OPERATORS
            ]
    wait_for_all()
    return CalibrationFindings(
        tuple(inside), tuple(network), tuple(models), tuple(operators), 32.0 * entries, ring
    )


def _ring(entries: int, repeats: int, device: str) -> float:
    """Least seconds of the backend's own all-reduce, on the slowest rank."""
    x = torch.ones(entries, dtype=torch.float32, device=device)
    wait_for_all()
    taken = least_seconds(lambda: add_up(x), repeats, device)
    return max(float(one) for one in gathered(torch.tensor([taken], device=device)))


def _model(name: str, where: str, plan: CalibrationPlan, device: str) -> tuple[ModelTimes, bool]:
    """Times of a step, and whether they were measured."""
    if not where:
        return estimated_times(
            WORKLOADS[name], plan.samples, flop_rate(plan.repeats, device)
        ), False
    module, inputs = _module(name, where)
    return module_times(module, inputs, plan.repeats, device), True


def require_models(plan: CalibrationPlan) -> None:
    """Import the modules that are to be timed, before ranks are started for them.

    Raises:
        ValueError: not a tuple of a torch module and its inputs, or of another size than the model
            that it is named as.
    """
    for name, where in plan.models:
        if where:
            _module(name, where)


def _module(name: str, where: str) -> tuple[nn.Module, tuple[Any, ...]]:
    found = imported(where)
    if not (isinstance(found, tuple) and found and isinstance(found[0], nn.Module)):
        raise ValueError(
            f"{where} must be a tuple of a torch module and its inputs, got something of type "
            f"{type(found).__name__}"
        )
    module, *inputs = found
    mine = sum(p.numel() for p in module.parameters())
    if mine != WORKLOADS[name].parameters:
        raise ValueError(
            f"{where} must have the {WORKLOADS[name].parameters} parameters of {name}, got {mine}"
        )
    return module, tuple(inputs)


def cluster_from(
    plan: CalibrationPlan, found: CalibrationFindings, machines: int, each: int
) -> Cluster:
    """The description of what was measured on ``machines`` of ``each`` ranks.

    With one machine its own link stands for a network, and with one rank a machine the network for
    what is inside.

    Raises:
        ValueError: no link was measured, or times that are not positive.
    """
    bits = [8.0 * size for size in plan.sizes]
    lists = {name: times for name, times in
             (("inside", found.inside), ("network", found.network)) if times}  # fmt: skip
    if not lists:
        raise ValueError("found must have the seconds of one link at least, got none")
    fitted = {name: link_points(bits, times) for name, times in lists.items()}
    any_link = next(iter(fitted.values()))
    points = {name: fitted.get(name, any_link)[0] for name in ("inside", "network")}
    told = [
        f"messages of {plan.sizes[0]} to {plan.sizes[-1]} bytes both ways at once, the least of "
        f"{plan.repeats} each; "
        + ", ".join(
            f"{name} within a factor {off:.3g} of them" for name, (_, off) in fitted.items()
        )
    ]
    told += [f"{name} not measured, as the other" for name in points if name not in fitted]
    told += [
        f"{name}: {'measured' if seen else 'estimated from products of matrices'}"
        for name, _, seen in found.models
    ]
    told.append("what computing leaves of bandwidth was not measured")
    return Cluster(
        plan.name, f"{machines} machines of {each} workers, calibrated", "; ".join(told), machines,
        each, points["network"], points["inside"], 1.0,
        tuple((name, times) for name, times, _ in found.models), found.operators,
    )  # fmt: skip


def ring_prediction(cluster: Cluster, bits: float) -> float:
    """Seconds of a ring of all workers on vectors of so many bits."""
    channel = sums(cluster, cluster.size, "ring").whole
    return float(channel.ends(np.zeros(1), np.array([bits]), 0.0)[0])
