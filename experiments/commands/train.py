"""``torchrun ... -m experiments.launch train``: torch modules under DDP, rows as their hooks."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from algorithms.network.given_session import Session
from algorithms.network.phases import PhaseClock
from experiments.commands.launch import on_ranks
from experiments.files import write_atomically
from experiments.training.plan import TrainingPlan
from experiments.training.tasks import task_of
from experiments.training.training import TrainedModule, train
from proofs_check.methods.on_given_ranks import RankSeconds, seconds_on_ranks


def train_on_ranks(
    keys: Sequence[str], task_name: str, *, steps: int, rate: float, seeds: int, dtype: str,
    every: int, out: Path, checkpoints: Path | None, device: str, patience: float,
) -> int:  # fmt: skip
    """Every row in turn, with every seed; the file is written after each training."""

    def play(ranks: Session) -> int:
        place, told = ranks.place, list[dict[str, Any]]()
        if out.suffix != ".json" or seeds < 1:
            raise ValueError(
                f"out must end in .json and seeds be at least 1, got out={out}, seeds={seeds}"
            )
        plans = [_plan(key, seed) for key in keys for seed in range(seeds)]
        for plan in plans:
            clock = PhaseClock(ranks.link.device)
            ranks.roll.clock = clock
            ranks.roll.note(f"{plan.row}, seed {plan.seed}")
            task = task_of(task_name, place.ranks, 0)
            found = train(plan, task, clock, ranks.link.device, ranks.roll.note)
            seconds = seconds_on_ranks(clock, ranks.link)
            if place.rank == 0:
                told.append(_line(plan, task.name, place.ranks, found, seconds))
                write_atomically(out, json.dumps(told, indent=1).encode())
        if place.rank == 0:
            for key in keys:
                print(_summary(key, [one for one in told if one["row"] == key]), flush=True)
        return 0

    def _plan(key: str, seed: int) -> TrainingPlan:
        words = key.replace(":", "-"), f"seed-{seed}"
        folder = None if checkpoints is None else checkpoints.joinpath(*words)
        return TrainingPlan(key, steps, rate, seed, dtype, every, folder)

    told = {
        "rows": ",".join(keys), "task": task_name, "steps": steps, "rate": rate, "seeds": seeds,
        "dtype": dtype, "every": every,
    }  # fmt: skip
    return on_ranks(play, {word: str(value) for word, value in told.items()}, device, patience)


def _line(
    plan: TrainingPlan, task: str, ranks: int, found: TrainedModule, seconds: RankSeconds
) -> dict[str, Any]:
    return {
        "row": plan.row, "task": task, "ranks": ranks, "seed": plan.seed, "rate": plan.rate,
        "dtype": plan.dtype, "began at step": found.began, "steps": sorted(found.seen),
        "loss": [found.seen[t] for t in sorted(found.seen)], "sent_bits": found.sent_bits,
        "dense_bits": found.dense_bits, "seconds of a step": dict(seconds.mean),
        "seconds of a step, slowest rank": dict(seconds.slowest),
    }  # fmt: skip


def _summary(key: str, lines: Sequence[dict[str, Any]]) -> str:
    """One row: final loss over seeds, length of its messages, and where a step's time goes."""
    losses = [one["loss"][-1] for one in lines]
    spread = f" ± {statistics.stdev(losses):.2g} over {len(losses)} seeds" if losses[1:] else ""
    sent, dense = lines[0]["sent_bits"], lines[0]["dense_bits"]
    shorter = "bits not told" if sent is None else f"{dense / max(1, sent):.3g} times shorter"
    phases = lines[0]["seconds of a step"]
    each = {name: statistics.fmean(one["seconds of a step"][name] for one in lines)
            for name in phases}  # fmt: skip
    spent = ", ".join(f"{name} {1e3 * mean:.3g}" for name, mean in each.items())
    return f"{key}: loss {statistics.fmean(losses):.4g}{spread}; {shorter}; ms a step: {spent}"
