"""Memory of a run, in a process of its own: ``python -m benchmarks.memory METHOD DTYPE n S d``.

The most that is resident, above what is resident once everything is imported and compiled, over
what the run has to hold: data, state, and one batch of gradients. And the bytes of a trace, which
keeps series of numbers by record, whatever d is, and the last model.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from benchmarks.jobs import BATCH, DTYPES, LAM, METHODS, Size, method

STEPS, ENDS = 20, (10, 100_000)
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def resident(most: bool = False) -> int:
    """Bytes resident now, or the most since :func:`forgotten`."""
    word = "VmHWM" if most else "VmRSS"
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(word))
    return 1024 * int(line.split()[1])


def forgotten() -> None:
    """The most that was resident is from now on what is resident now."""
    gc.collect()
    _CLEAR.write_text("5")


def tensors(state: Any) -> Iterator[Tensor]:
    """All tensors of a state."""
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, tuple):
        for part in state:
            yield from tensors(part)


def state_bytes(name: str, problem: Logistic) -> int:
    """Bytes of the state of one replica, by the shapes of a small problem's."""
    from algorithms.core.key import Key
    from algorithms.methods.base import RunContext
    from algorithms.network.simulated import Simulated

    context = RunContext(problem, Simulated(problem.n), Key.seed(0), torch.arange(1))
    made = method(name, problem.n).init(problem.start(), context)
    once = {part.data_ptr(): part for part in tensors(made)}
    return sum(part.numel() * part.element_size() for part in once.values())


def one_run(name: str, dtype: str, size: Size) -> dict[str, float]:
    """Peaks [bytes] above the level after imports: making the data, finding the minimum, running.

    Called in a fresh process.
    """

    def job(n: int, samples: int, d: int) -> Logistic:
        return synthetic(n, samples, d, L2(LAM), batch=BATCH, dtype=DTYPES[dtype])

    torch.set_num_threads(1)
    warm = job(4, 40, 30)
    run(method(name, 4), warm, steps=STEPS, points=5)  # all that is imported and compiled late
    del warm
    forgotten()
    level = resident()
    problem = job(size.n, size.samples, size.d)
    peaks = {"data": float(resident(most=True) - level)}
    forgotten()
    _ = problem.f_star
    peaks["minimum"] = float(resident(most=True) - level)
    forgotten()
    run(method(name, size.n), problem, steps=STEPS, points=5)
    peaks["run"] = float(resident(most=True) - level)
    one = problem.rows.element_size()
    held = {
        "data held": problem.rows.numel() * one,
        "state held": state_bytes(name, problem),
        "gradients held": size.n * size.d * one,
    }
    return {**peaks, **{name: float(bytes_) for name, bytes_ in held.items()}}


def line(name: str, dtype: str, size: Size) -> dict[str, Any]:
    """The peaks of one method over what it holds, in a process of its own."""
    sizes = [str(number) for number in (size.n, size.samples, size.d)]
    command = [sys.executable, "-m", "benchmarks.memory", name, dtype, *sizes]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    held = found["data held"] + found["state held"] + found["gradients held"]
    peaks = {kind: found[kind] / held for kind in ("data", "minimum", "run")}
    return {"method": name, "dtype": dtype, "held": held, "peaks": peaks}


def trace_bytes(trace: Trace) -> tuple[int, int]:
    """Bytes of a trace's series and bills, and of the last models."""
    series = sum(part.nbytes for part in vars(trace).values() if isinstance(part, np.ndarray))
    bills = sum(part.numel() * part.element_size() for part in trace.account)
    models = sum(part.numel() * part.element_size() for part in (trace.model, trace.rows))
    return series + bills, models


def history(d: int, records: int) -> dict[str, int]:
    """Bytes of the trace of a run of BSP with so many records, n = 4."""
    problem = synthetic(4, 8, d, L2(LAM), batch=BATCH, dtype=torch.float32)
    trace = run(method("BSP", 4), problem, steps=records - 1, points=records)
    history, models = trace_bytes(trace)
    return {"d": d, "records": len(trace.steps), "history": history, "models": models}


def measured(
    size: Size, ends: tuple[int, ...] = ENDS, methods: tuple[str, ...] = METHODS, records: int = 50
) -> dict[str, Any]:
    """A line for each method and type, and the histories."""
    lines = [line(name, dtype, size) for dtype in DTYPES for name in methods]
    histories = [history(d, records) for d in ends]
    return {"n": size.n, "d": size.d, "samples": size.samples, "lines": lines, "trace": histories}


if __name__ == "__main__":
    asked, kind, *numbers = sys.argv[1:]
    workers, samples, d = map(int, numbers)
    print(json.dumps(one_run(asked, kind, Size("asked", workers, d, samples, 0))))
