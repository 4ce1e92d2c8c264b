"""Cost of a tick of an asynchronous method against the number of workers.

    python -m benchmarks.ticks

A tick computes the gradients of those that arrive. Seconds per tick of ASP, of SSP (per gradient,
as a tick may take several) and of BSP, on l2 logistic regression (d = 1000, batch 32, float32), as
ratios to the smallest n of the same method; the runs are taken in turn, best of several.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.stale import SSP
from theory.stepsizes import ConstantStep

WORKERS = (8, 64, 512)
D, SAMPLES, TICKS, REPEATS = 1000, 64, 256, 5
STEP = ConstantStep(1e-4)
Make = Callable[[], Method[Any]]

METHODS: dict[str, Make] = {
    "asp": lambda: ParameterServer(STEP, TICKS, Exponential(), replicas=1),
    "ssp(3), a gradient": lambda: ParameterServer(
        STEP, TICKS, Exponential(), SSP(3), Weighting.ALL, replicas=1
    ),
    "bsp": lambda: BSP(STEP),
}


def gradients(method: Method[Any], n: int) -> int:
    """Gradients computed in all ticks: of those that arrive, of all for BSP."""
    if not isinstance(method, ParameterServer) or "SSP" not in method.name:
        return TICKS
    return int((method.schedule(n).arrivals < n).sum())


def main() -> None:
    """Print one line per method: microseconds at the smallest n, then ratios."""
    problems: dict[int, Logistic] = {
        n: synthetic(n, SAMPLES, D, L2(1e-3), batch=32) for n in WORKERS
    }
    best: dict[tuple[str, int], float] = {}
    for _ in range(REPEATS):
        for name, make in METHODS.items():
            for n, problem in problems.items():
                method = make()
                trace = run(method, problem, steps=TICKS, points=2)
                each = float(trace.wall_seconds[-1]) / gradients(method, n)
                best[name, n] = min(each, best.get((name, n), each))
    for name in METHODS:
        first = best[name, WORKERS[0]]
        ratios = ", ".join(f"n={n}: {best[name, n] / first:.2f}" for n in WORKERS)
        print(f"{name}: {first * 1e6:.0f} us at n={WORKERS[0]}; relative cost {ratios}")


if __name__ == "__main__":
    main()
