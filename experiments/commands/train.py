"""``torchrun ... -m experiments.launch train``: torch modules under DDP, rows as their hooks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from algorithms.network.given_session import Session
from algorithms.network.phases import PhaseClock
from experiments.commands.launch import on_ranks
from experiments.storage.files import write_atomically
from experiments.training.hooked import hook_rows
from experiments.training.plan import TrainingPlan
from experiments.training.table import training_table
from experiments.training.tasks import task_of
from experiments.training.training import TrainedModule, TrainingDiverged, train
from proofs_check.methods.on_given_ranks import RankSeconds, seconds_on_ranks


def train_on_ranks(
    keys: Sequence[str], task_names: Sequence[str], *, steps: int, rate: float, seeds: int,
    dtype: str, every: int, out: Path, checkpoints: Path | None, device: str, patience: float,
) -> int:  # fmt: skip
    """Every row in turn on every task, with every seed; the files are written after each row.

    A training that diverges is told of and the others go on; exit code 2 if none is left.
    """

    def work(ranks: Session) -> int:
        place, told = ranks.place, list[dict[str, Any]]()
        if out.suffix != ".json" or seeds < 1:
            raise ValueError(
                f"out must end in .json and seeds be at least 1, got out={out}, seeds={seeds}"
            )
        for name in task_names:
            task = task_of(name, place.ranks, 0)
            rows = hook_rows(task, rate, steps) if "all" in keys else keys
            for plan in [_plan(key, name, seed) for key in rows for seed in range(seeds)]:
                clock = PhaseClock(ranks.link.device)
                ranks.roll.clock = clock
                ranks.roll.note(f"{plan.row} on {name}, seed {plan.seed}")
                try:
                    found = train(plan, task, clock, ranks.link.device, ranks.roll.note)
                except TrainingDiverged as error:  # on all ranks alike
                    told.append(_words(plan, task.name, place.ranks) | {"failed": str(error)})
                    continue
                seconds = seconds_on_ranks(clock, ranks.link)
                told.append(_line(plan, task.name, place.ranks, found, seconds))
                if place.rank == 0:
                    write_atomically(out, json.dumps(told, indent=1).encode())
                    write_atomically(out.with_suffix(".md"), training_table(told).encode())
        if place.rank == 0:
            print(training_table(told), end="", flush=True)
        failed = [one["failed"] for one in told if "failed" in one]
        if len(failed) == len(told):
            raise TrainingDiverged("; ".join(failed))
        return 0

    def _plan(key: str, task: str, seed: int) -> TrainingPlan:
        words = *(word.replace(":", "-") for word in (task, key)), f"seed-{seed}"
        folder = None if checkpoints is None else checkpoints.joinpath(*words)
        return TrainingPlan(key, steps, rate, seed, dtype, every, folder)

    told = {
        "rows": ",".join(keys), "tasks": ",".join(task_names), "steps": steps, "rate": rate,
        "seeds": seeds, "dtype": dtype, "every": every,
    }  # fmt: skip
    return on_ranks(work, {word: str(value) for word, value in told.items()}, device, patience)


def _words(plan: TrainingPlan, task: str, ranks: int) -> dict[str, Any]:
    return {
        "row": plan.row, "task": task, "ranks": ranks, "seed": plan.seed, "rate": plan.rate,
        "dtype": plan.dtype,
    }  # fmt: skip


def _line(
    plan: TrainingPlan, task: str, ranks: int, found: TrainedModule, seconds: RankSeconds
) -> dict[str, Any]:
    return _words(plan, task, ranks) | {
        "began at step": found.began, "steps": sorted(found.seen),
        "loss": [found.seen[t] for t in sorted(found.seen)], "sent_bits": found.sent_bits,
        "dense_bits": found.dense_bits, "seconds of a step": dict(seconds.mean),
        "seconds of a step, slowest rank": dict(seconds.slowest),
    }  # fmt: skip
