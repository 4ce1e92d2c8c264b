"""A run on a device over the same run on the CPU: from which size on it is faster, and how much.

``python -m benchmarks.parts --only device`` where there is a GPU; left out where there is none. The
CPU's run is what it is by default, in compiled blocks and on one thread.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import torch

from algorithms.engine.run import run
from algorithms.network.simulated import Simulated
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from benchmarks.alternating import Rounds
from benchmarks.jobs import BATCH, LAM, method

METHODS = ("BSP", "QSGD", "top-1%")
SIZES = ((8, 50), (64, 1000), (64, 10_000), (256, 10_000))
SAMPLES, REPLICAS = 64, (1, 32)


def taken(name: str, problem: Logistic, replicas: int, steps: int) -> float:
    """Time [s] of a whole run on the device of the problem; its end is read, so all is done."""
    start = time.perf_counter()
    network = Simulated(problem.n, problem.device)
    trace = run(
        method(name, problem.n), problem, steps=steps, replicas=replicas, points=2, network=network
    )
    trace.model.cpu()
    return time.perf_counter() - start


def measured(
    turn: float, rounds: int, device: str = "cuda",
    sizes: tuple[tuple[int, int], ...] = SIZES, replicas: tuple[int, ...] = REPLICAS,
) -> dict[str, Any]:  # fmt: skip
    """A line for each size, number of replicas and method: the CPU's time over the device's."""
    lines = []
    for n, d in sizes:
        here = synthetic(n, SAMPLES, d, L2(LAM), batch=BATCH, dtype=torch.float32)
        there = here.to(torch.device(device))
        for many in replicas:
            for name in METHODS:
                programs = {
                    kind: partial(taken, name, problem, many)
                    for kind, problem in (("cpu", here), ("device", there))
                }
                found = Rounds(programs, turn, rounds)
                ratio = found.ratio("cpu", "device")
                lines.append({"n": n, "d": d, "replicas": many, "method": name, "over": ratio})
    kind = torch.cuda.get_device_name() if device == "cuda" else device
    return {"device": kind, "lines": lines}
