"""Ratios of the public path to other programs and to the byte bound.

    python -m benchmarks.speed [--only small,medium,large] [--dtypes float32] [--quick]

All jobs of :mod:`benchmarks.jobs`, written to ``benchmarks/results.json`` (sizes that are not asked
for stay as they were) and from there to the tables of ``docs/performance.md``. The byte bound is
the minibatches' bytes over the bandwidth of a copy (bytes read and written): no step is faster
than reading its data once from memory. The copy takes its turn among the programs.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from benchmarks import machine, page
from benchmarks.alternating import Program, Rounds
from benchmarks.jobs import BATCH, DTYPES, LAM, METHODS, SIZES, Size
from benchmarks.programs import eager_torch, module_loop, numpy_loop, ours

CORES = len(os.sched_getaffinity(0))
SHARED, SHARED_COPY = "ours, all cores", "copy, all cores"
ALONE, ALONE_SHARED = "ours, 1 replica", "ours, 1 replica, all cores"
RESULTS = Path(__file__).with_name("results.json")
ROUNDS = 5


def programs(name: str, problem: Logistic, replicas: int) -> dict[str, Program]:
    """Who takes steps of a job: all but ours one replica, beside replicas ours of one too."""
    rows = problem.rows  # samples times labels: all labels are then 1
    ones = torch.ones(rows.shape[:2], dtype=rows.dtype)
    found: dict[str, Program] = {"ours": partial(ours.seconds, name, problem, replicas=replicas)}
    found[SHARED] = partial(ours.seconds, name, problem, replicas=replicas, threads=CORES)
    found["numpy"] = partial(numpy_loop.seconds, name, rows.numpy(), ones.numpy())
    if replicas > 1:
        found[ALONE] = partial(ours.seconds, name, problem)
        found[ALONE_SHARED] = partial(ours.seconds, name, problem, threads=CORES)
    else:
        found["eager torch"] = partial(eager_torch.seconds, name, rows, ones)
        found["modules"] = partial(module_loop.seconds, name, rows, ones)
    return found


def job(name: str, size: Size, problem: Logistic, replicas: int, turn: float) -> dict[str, Any]:
    """One line: speeds in worker-steps of a replica per second, ratios, share of the bound."""
    copy, copied = machine.copy()
    copies = {"copy": copy, SHARED_COPY: machine.copy(CORES)[0]}
    rounds = Rounds({**programs(name, problem, replicas), **copies}, turn, ROUNDS)
    step_bytes = size.n * BATCH * size.d * problem.rows.element_size()
    done = {
        p: size.n * (replicas if p in ("ours", SHARED) else 1)
        for p in rounds.times if p not in copies
    }  # fmt: skip
    found = {
        "method": name,
        "dtype": str(problem.dtype).removeprefix("torch."),
        "replicas": replicas,
        "speeds": {p: rounds.speed(p, count) for p, count in done.items()},
        "over": {p: rounds.ratio(p, "ours", replicas) for p in done if not p.startswith("ours")},
        "of_bound": rounds.ratio("copy", "ours", replicas * step_bytes / copied),
        "cores": CORES,
        "by_cores": rounds.ratio("ours", SHARED),
        "over_by_cores": {"numpy": rounds.ratio("numpy", SHARED, replicas)},
        "of_bound_by_cores": rounds.ratio(SHARED_COPY, SHARED, replicas * step_bytes / copied),
    }
    if replicas > 1:
        found["cost"] = rounds.ratio("ours", ALONE)
        found["cost_by_cores"] = rounds.ratio(SHARED, ALONE_SHARED)
    return found


def limits(problem: Logistic, turn: float) -> dict[str, Any]:
    """What the machine does at most on this problem's data, in turn: bytes and operations a
    second."""
    kinds = {
        "copy": machine.copy(),
        SHARED_COPY: machine.copy(CORES),
        "random rows": machine.random_rows(problem.rows.numpy(), BATCH),
        "matrix product": machine.product(str(problem.dtype).removeprefix("torch.")),
    }
    rounds = Rounds({name: program for name, (program, _) in kinds.items()}, turn, ROUNDS)
    return {name: rounds.speed(name, done) for name, (_, done) in kinds.items()}


def measured(size: Size, dtype: str, turn: float) -> Iterator[tuple[str, Any]]:
    """The limits and then each job of one size and type."""
    problem = synthetic(size.n, size.samples, size.d, L2(LAM), batch=BATCH, dtype=DTYPES[dtype])
    _ = problem.f_star
    yield "limits", limits(problem, turn)
    for replicas in (1, size.replicas) if size.replicas else (1,):
        for name in METHODS:
            yield "job", job(name, size, problem, replicas, turn)


def main() -> None:
    """Measure, write, and make the page's tables anew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(size.name for size in SIZES))
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--quick", action="store_true", help="short turns")
    asked = parser.parse_args()
    turn = 0.05 if asked.quick else 0.4
    torch.set_num_threads(1)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for size in SIZES:
        for dtype in asked.dtypes.split(","):
            if size.name not in asked.only.split(","):
                continue
            found: dict[str, Any] = {"machine": machine.described(), "jobs": []}
            found["load"] = os.getloadavg()[0]
            for kind, line in measured(size, dtype, turn):
                if kind == "limits":
                    found["limits"] = line
                    continue
                found["jobs"].append(line)
                over = ", ".join(f"{r[0]:.2f} x {p}" for p, r in line["over"].items())
                print(
                    f"{size.name} {dtype} {line['method']} R={line['replicas']}: {over}, "
                    f"{line['of_bound'][0]:.0%} of the bound; {CORES} threads "
                    f"{line['by_cores'][0]:.2f} times as fast, {line['of_bound_by_cores'][0]:.0%}",
                    flush=True,
                )
            kept[f"{size.name} {dtype}"] = found
            RESULTS.write_text(json.dumps(page.rounded(kept), indent=1) + "\n")
    page.write(json.loads(RESULTS.read_text()))


if __name__ == "__main__":
    main()
