"""Do the six findings of survey 001's Table 2 come out of the predictions? Counted, not judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from algorithms.schedules.bulk import BULK
from algorithms.schedules.step import TrainingStep
from experiments.predictions.cluster import FITTED_ON, MODELS, NETWORKS, SIZES, ClusterModel
from experiments.predictions.fig4 import METHODS, Prediction

TIE = 0.01
"""Relative difference up to which two throughputs are a tie."""

Rates = dict[tuple[str, str, str, int], float]
_PLACES = [(model, network, n) for model in MODELS for network in NETWORKS for n in SIZES]


class Finding(NamedTuple):
    """One finding of Table 2 beside what was predicted.

    Attributes:
        number: in the survey's table.
        said: what the survey says, in short.
        follows: whether the predictions show it; None where they cannot tell.
        description: the counts.
    """

    number: int
    said: str
    follows: bool | None
    description: str


def findings(cluster: ClusterModel, points: tuple[Prediction, ...]) -> tuple[Finding, ...]:
    """The six, each with its counts."""
    rates = {(p.model, p.network, p.method, p.gpus): p.samples_per_second for p in points}
    return (
        _intensity(cluster, rates),
        _batch(cluster),
        _architectures(rates),
        _overlap(cluster, rates),
        _fusion(rates),
        _partition(rates),
    )


def crossings(points: tuple[Prediction, ...]) -> tuple[str, ...]:
    """Cases of WFBP-A2A behind BSP-A2A, start-ups costing more than overlap hides; and where it
    is ahead by no more than a tie, which is said."""
    rates = {(p.model, p.network, p.method, p.gpus): p.samples_per_second for p in points}
    description = []
    for model, network, n, gain in _gains(rates, "WFBP-A2A", "BSP-A2A"):
        if gain <= TIE:
            ahead = f" (ahead by {gain:.1%}: a tie)" if gain > 0 else ""
            description.append(f"{model} on {network} with {n} GPUs{ahead}")
    return tuple(description)


def best_methods(points: tuple[Prediction, ...]) -> tuple[str, ...]:
    """The fastest method of each model on 100GbIB with 32 GPUs, beside the survey's."""
    said = {"ResNet-50": "ByteScheduler-PS", "BERT-Base": "MG-WFBP", "BERT-Large": "MG-WFBP"}
    description = []
    for model in MODELS:
        here = [p for p in points if (p.model, p.network, p.gpus) == (model, FITTED_ON, SIZES[-1])]
        most = max(p.samples_per_second for p in here)
        best = " and ".join(p.method for p in here if p.samples_per_second == most)
        description.append(f"{model}: {best} (survey: {said[model]})")
    return tuple(description)


def _intensity(cluster: ClusterModel, rates: Rates) -> Finding:
    right = 0
    places = [(network, n) for network in NETWORKS for n in SIZES]
    for network, n in places:
        best = [
            max(rates[model, network, method, n] for method in METHODS) * _alone(cluster, model)
            for model in MODELS
        ]
        right += best == sorted(best, reverse=True)
    description = (
        f"speedups fall from ResNet-50 to BERT-Base to BERT-Large in {right} of {len(places)}"
    )
    return Finding(
        1, "higher model intensity is easier to parallelise", right == len(places), description
    )


def _alone(cluster: ClusterModel, model: str) -> float:
    """Seconds of one GPU for one sample."""
    point = next(p for p in cluster.points if p.model == model)
    return 1 / point.single


def _batch(cluster: ClusterModel) -> Finding:
    speedups = []
    for times in (1, 2, 4, 8):
        step = _longer(cluster.step("BERT-Large"), times)
        seconds = BULK.seconds(step, cluster.all_to_all("BERT-Large", FITTED_ON, 32))
        speedups.append(32 * step.compute / seconds)
    rising = all(a < b for a, b in pairwise(speedups))
    description = "BERT-Large, 32 GPUs, BSP-A2A, batches of 8, 16, 32, 64: speedups " + ", ".join(
        f"{x:.1f}" for x in speedups
    )
    return Finding(2, "a larger batch makes it easier", rising, description)


def _longer(step: TrainingStep, times: float) -> TrainingStep:
    """The step with a batch so many times as large."""
    return replace(
        step,
        forward=tuple(times * x for x in step.forward),
        backward=tuple(times * x for x in step.backward),
    )


def _architectures(rates: Rates) -> Finding:
    wins = {"servers": 0, "all-reduce": 0, "neither": 0}
    for model, network, n in _PLACES:
        best = {
            kind: max(
                rates[model, network, m, n]
                for m in METHODS
                if m.endswith("-PS") == (kind == "servers")
            )
            for kind in ("servers", "all-reduce")
        }
        gap = best["servers"] / best["all-reduce"] - 1
        wins["neither" if abs(gap) <= TIE else "servers" if gap > 0 else "all-reduce"] += 1
    description = (
        ", ".join(f"{name} {count}" for name, count in wins.items()) + f" of {len(_PLACES)}"
    )
    return Finding(
        3, "no single winner of servers and all-to-all",
        wins["servers"] > 0 and wins["all-reduce"] > 0,
        f"the best method is of: {description}; neither: "
        f"within {TIE:.0%}",
    )  # fmt: skip


def _gains(rates: Rates, one: str, other: str) -> Iterator[tuple[str, str, int, float]]:
    for model, network, n in _PLACES:
        yield model, network, n, rates[model, network, one, n] / rates[model, network, other, n] - 1


def _overlap(cluster: ClusterModel, rates: Rates) -> Finding:
    servers = sum(gain > 0 for *_, gain in _gains(rates, "WFBP-PS", "BSP-PS"))
    ring = sum(gain > 0 for *_, gain in _gains(rates, "WFBP-A2A", "BSP-A2A"))
    share, best = max(
        (gain, f"{model} on {network} with {n} GPUs, communication / computation "
         f"{_ratio(cluster, model, network, n):.2f}")
        for model, network, n, gain in _gains(rates, "MG-WFBP", "BSP-A2A")
    )  # fmt: skip
    count = len(_PLACES)
    description = (
        f"WFBP gains on servers in {servers}, on all-reduce in {ring} of {count}; the largest gain "
        f"of MG-WFBP over BSP-A2A, {share:.0%}, is at {best}"
    )
    return Finding(4, "overlap hides some communication", servers + ring > count, description)


def _ratio(cluster: ClusterModel, model: str, network: str, n: int) -> float:
    step = cluster.step(model)
    return BULK.seconds(step, cluster.all_to_all(model, network, n)) / step.compute - 1


def _fusion(rates: Rates) -> Finding:
    gains = list(_gains(rates, "MG-WFBP", "WFBP-A2A"))
    never_worse = sum(gain >= -1e-12 for *_, gain in gains)
    at = {n: max(gain for *_, m, gain in gains if m == n) for n in SIZES}
    description = (
        f"MG-WFBP is no slower than WFBP-A2A in {never_worse} of {len(gains)}; largest gains "
        + (", ".join(f"{gain:.0%} with {n} GPUs" for n, gain in at.items()))
    )
    return Finding(5, "tensor fusion suits all-to-all", never_worse == len(gains), description)


def _partition(rates: Rates) -> Finding:
    ring = [gain for *_, gain in _gains(rates, "ByteScheduler-A2A", "WFBP-A2A")]
    on_ring = f"on all-reduce ByteScheduler gains over WFBP in {sum(g > 0 for g in ring)} of "
    on_ring += f"{len(ring)} (mean {sum(ring) / len(ring):+.1%})"
    if METHODS["ByteScheduler-PS"] == METHODS["WFBP-PS"]:
        return Finding(
            6, "tensor partition suits servers", None,
            "on servers ByteScheduler and WFBP are one model here: both cut tensors into 4.096 MB; "
            + on_ring,
        )  # fmt: skip
    servers = [gain for *_, gain in _gains(rates, "ByteScheduler-PS", "WFBP-PS")]
    description = (
        f"ByteScheduler gains over WFBP on servers in {sum(g > 0 for g in servers)} of "
        f"{len(servers)} (mean {sum(servers) / len(servers):+.1%}); {on_ring}"
    )
    gains = sum(servers) > max(0.0, sum(ring))
    return Finding(6, "tensor partition suits servers", gains, description)
