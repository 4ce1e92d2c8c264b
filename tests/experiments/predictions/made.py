"""A made cluster's throughputs, written as the published file is: the project brings no data."""

from __future__ import annotations

import csv
from pathlib import Path

from algorithms.schedules.bulk import BULK
from algorithms.schedules.carrier import Carrier, Channel
from algorithms.schedules.step import step_of
from algorithms.schedules.wait_free import WAIT_FREE
from algorithms.workloads import WORKLOADS
from experiments.predictions.cluster import MODELS, NETWORKS, NODE, SIZES, start_up
from experiments.predictions.throughputs import COLUMNS, FILE

HOP, LEFT = 3e-5, 0.4
BATCHES = {"ResNet-50": (64, 250.0), "BERT-Base": (64, 200.0), "BERT-Large": (8, 50.0)}
BANDWIDTHS = {"10GbE": 1.2e9, "100GbE": 2.5e9, "100GbIB": 4.5e9}  # bytes a second
INSIDE = 5e9


def write(folder: Path) -> None:
    """48 points of a cluster with ``HOP`` and ``LEFT``."""
    with (folder / FILE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for method, networks in (("BSP-A2A", NETWORKS), ("WFBP-A2A", ("100GbIB",))):
            for model in MODELS:
                for network in networks:
                    for n in SIZES:
                        batch, single = BATCHES[model]
                        mean = batch * n / _seconds(model, network, method, n)
                        writer.writerow((model, batch, network, method, single, n, mean, 0.0))


def _seconds(model: str, network: str, method: str, n: int) -> float:
    batch, single = BATCHES[model]
    step = step_of(WORKLOADS[MODELS[model]], batch / single)
    between = 2 * (n // NODE - 1)
    hop = HOP + start_up(network) - start_up("100GbIB")
    start = 8.4e-6 + (2 * (n - 1) - between) * 5.7e-6 + between * hop  # NCCL's tuning.cc
    beta = (1 / BANDWIDTHS[network] if n > NODE else 1 / INSIDE) / 8 * 2 * (n - 1) / n
    slowed = max(beta, 2 * 3 / 4 / 8 / INSIDE / LEFT)
    wait = sum(step.backward) / len(step.tensors)
    channel = Channel("all-reduce", start, beta, 0.0, slowed, busy_wait=wait)
    schedule = BULK if method == "BSP-A2A" else WAIT_FREE
    return schedule.seconds(step, Carrier((channel,)))
