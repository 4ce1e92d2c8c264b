"""Time of a worker-step against the number of workers and against the dimension.

l2 logistic regression, float32, 32 samples a worker, one thread; all sizes of a method take turns
in one run. The public path: compiled blocks of steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from benchmarks.alternating import Rounds
from benchmarks.jobs import BATCH, LAM
from benchmarks.programs import ours

METHODS, SAMPLES = ("BSP", "QSGD", "CHOCO top-1%"), 32
WORKERS, AT_D, BASE_N = (1, 4, 16, 64, 256, 1024, 4096), 1000, 64
DIMENSIONS, AT_N, BASE_D = (10, 100, 1000, 10_000, 100_000, 1_000_000), 16, 1000
_LEAST = 4  # steps of a run
_RING = 3  # workers that a ring has at least
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"K": 1 << 10, "M": 1 << 20}


def job(n: int, d: int) -> Logistic:
    """Its minimum is not looked for: at d = 1,000,000 that takes longer than all steps."""
    problem = synthetic(n, SAMPLES, d, L2(LAM), batch=BATCH, dtype=torch.float32)
    vars(problem)["_minimum"] = None
    return problem


def along(
    name: str, problems: dict[int, Logistic], base: int, each: str, turn: float, rounds: int
) -> dict[str, Any]:
    """One method at all sizes: time of a worker-step (``each`` "n"), or of a coordinate of one
    ("d"), over that at ``base``; and microseconds of a worker-step."""
    programs = {str(size): partial(_several, name, p) for size, p in problems.items()}
    found = Rounds(programs, turn, rounds)
    done = {size: p.n * (p.d if each == "d" else 1) for size, p in problems.items()}
    points = [
        {
            "at": size,
            "bytes": p.rows.numel() * p.rows.element_size(),
            "relative": found.ratio(str(size), str(base), done[base] / done[size]),
            "microseconds": 1e6 / found.speed(str(size), p.n).median,
        }
        for size, p in problems.items()
    ]
    return {"method": name, "base": base, "points": points}


def _several(name: str, problem: Logistic, count: int) -> float:
    """Time [s] of ``count`` steps, of a run of that many times ``_LEAST``: one that takes seconds a
    step would else be one step, and what comes once in a run would be taken for its own."""
    return ours.seconds(name, problem, _LEAST * count) / _LEAST


def caches() -> dict[str, int]:
    """Bytes of the caches of data that the system tells of, by level."""
    return dict(_caches())


def _caches() -> Iterator[tuple[str, int]]:
    for folder in sorted(_CACHES.glob("index*")):
        if (folder / "type").read_text().strip() != "Instruction":
            size = (folder / "size").read_text().strip()
            yield f"L{(folder / 'level').read_text().strip()}", int(size[:-1]) * _UNITS[size[-1]]


def measured(
    turn: float,
    rounds: int,
    workers: tuple[int, ...] = WORKERS,
    dimensions: tuple[int, ...] = DIMENSIONS,
    methods: tuple[str, ...] = METHODS,
    at: tuple[int, int] = (AT_D, AT_N),
    bases: tuple[int, int] = (BASE_N, BASE_D),
) -> dict[str, Any]:
    """Both curves of each method."""
    found: dict[str, Any] = {"caches": caches(), "d": at[0], "n": at[1], "samples": SAMPLES}
    by_n = {n: job(n, at[0]) for n in workers}
    found["against n"] = [
        along(name, _fit(name, by_n), bases[0], "n", turn, rounds) for name in methods
    ]
    by_n.clear()
    by_d = {d: job(at[1], d) for d in dimensions}
    found["against d"] = [along(name, by_d, bases[1], "d", turn, rounds) for name in methods]
    return found


def _fit(name: str, problems: dict[int, Logistic]) -> dict[int, Logistic]:
    """Those that have enough workers for the method."""
    least = _RING if "CHOCO" in name else 1
    return {n: problem for n, problem in problems.items() if n >= least}
