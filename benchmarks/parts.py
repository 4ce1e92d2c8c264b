"""Benchmarks of parts: what a run is made of, and what surrounds it.

    python -m benchmarks.parts [--only mlp,random,...,commands,device] [--quick]

Written to ``benchmarks/results.json`` beside the jobs (parts that are not asked for stay as they
were), to the tables of ``docs/performance.md`` and to ``docs/scaling.png``. What is compared takes
turns; times of whole commands stand alone. ``device`` needs a GPU and is left out without one.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import torch

from benchmarks import (
    bookkeeping,
    commands,
    device,
    machine,
    memory,
    mlp,
    page,
    parts_page,
    randoms,
    scaling,
    scaling_figure,
    sweeping,
)
from benchmarks.jobs import SIZES
from benchmarks.speed import RESULTS, ROUNDS

_MEDIUM, _LARGE = SIZES[1], SIZES[2]
Measure = Callable[[float, int], dict[str, Any]]

PARTS: dict[str, Measure] = {
    "mlp": mlp.measured,
    "random": randoms.measured,
    "books": lambda turn, rounds: bookkeeping.measured(_MEDIUM, rounds),
    "memory": lambda turn, rounds: memory.measured(_LARGE),
    "scaling": lambda turn, rounds: scaling.measured(turn / 4, rounds),
    "sweep": lambda turn, rounds: sweeping.measured(rounds),
    "commands": lambda turn, rounds: commands.measured(),
    "device": device.measured,
}


def main() -> None:
    """Measure, write, and make the page's tables anew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = [part for part in PARTS if part != "device" or torch.cuda.is_available()]
    parser.add_argument("--only", default=",".join(here))
    parser.add_argument("--quick", action="store_true", help="short turns, three rounds")
    asked = parser.parse_args()
    turn, rounds = (0.1, 3) if asked.quick else (0.8, ROUNDS)
    torch.set_num_threads(1)
    for name in asked.only.split(","):
        load, day = os.getloadavg()[0], datetime.now(UTC).date().isoformat()
        print(f"{name}, load {load:.1f}", flush=True)
        found = PARTS[name](turn, rounds)
        kept = json.loads(RESULTS.read_text())
        about = {"machine": machine.described(), "load": load, "day": day}
        kept.setdefault("parts", {})[name] = {**about, **found}
        RESULTS.write_text(json.dumps(page.rounded(kept), indent=1) + "\n")
    parts = json.loads(RESULTS.read_text())["parts"]
    parts_page.write(parts)
    if "scaling" in parts:
        scaling_figure.write(parts["scaling"])


if __name__ == "__main__":
    main()
