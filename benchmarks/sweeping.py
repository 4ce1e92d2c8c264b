"""A sweep on two processes over the same sweep on one: ``rateproof.sweep`` as users call it.

Starting the processes counts. No figure can come near two where the machine does other work.
"""

from __future__ import annotations

import io
import tempfile
import time
from functools import partial
from typing import Any

from rich.console import Console

import rateproof
from benchmarks.alternating import Rounds

ROWS, SEEDS, STEPS = ("bsp-sgd", "qsgd", "d-psgd", "choco-sgd"), 16, 2000


def swept(processes: int, steps: int, seeds: int) -> float:
    """Time [s] of ``seeds`` runs of each row into an empty folder."""
    study = {
        "name": "benchmark",
        "replicas": 16,
        "block": 4,
        "grid": {
            "row": list(ROWS), "problem": ["logreg-breast-cancer"], "n": [16], "steps": [steps],
            "seed": {"from": 1, "to": seeds},
        },
    }  # fmt: skip
    console = Console(file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        rateproof.sweep(study, folder, workers=processes, console=console)
        return time.perf_counter() - start


def measured(rounds: int, seeds: int = SEEDS, steps: int = STEPS) -> dict[str, Any]:
    """How many times as fast two processes are, in turns of ``seeds`` runs a row."""
    programs = {str(processes): partial(swept, processes, steps) for processes in (1, 2)}
    found = Rounds(programs, 0.0, rounds, seeds)
    return {
        "runs": seeds * len(ROWS),
        "steps": steps,
        "seconds": found.times["1"][0] * seeds,
        "two over one": found.ratio("1", "2"),
    }
