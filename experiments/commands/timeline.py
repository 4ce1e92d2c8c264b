"""``rateproof timeline``: a training step under a schedule, drawn and traced."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from torch import nn

from algorithms.core.names import look_up
from algorithms.schedules.step import TrainingStep, step_of
from algorithms.workloads import WORKLOADS, Workload
from algorithms.workloads.module import forward_seconds, workload_of
from experiments.commands.console import bad_input, console, dump, files_written, writable
from experiments.commands.timelines import SimulationSetting, simulated_timeline
from experiments.figures.style import save, styled
from experiments.figures.timeline import timeline_figure
from experiments.processes.tracing import chrome_trace
from experiments.storage.files import write_atomically
from proofs_check.audit.loading import imported
from proofs_check.gantt import lane_panel
from theory.arrays import Floats


def timeline_command(
    model: str,
    schedule: str,
    where: SimulationSetting,
    compute: float,
    out: Path,
    *,
    measured: bool,
    as_json: bool,
) -> int:
    """Write the pictures and the trace, print what the step takes."""
    with bad_input():
        if not compute > 0:
            raise ValueError(f"compute must be positive seconds, got compute={compute}")
        steps: dict[str, TrainingStep] = {}
        for name in model.split(","):
            workload, times = _model(name, measured)
            steps[_apart(workload.title, steps)] = step_of(workload, compute, measured=times)
        found = simulated_timeline(schedule, steps, where)
        writable(out)
    stem = re.sub(r"[^a-z0-9]+", "-", f"{model}-{schedule}-{where.n}".lower())
    models = " and ".join(steps)
    title = f"{models}, {where.n} workers, {found.name}"
    with styled():
        files = save(timeline_figure(lane_panel(found.line, title)), out, stem)
    trace = out / f"{stem}.trace.json"
    write_atomically(trace, chrome_trace(found.line))
    if as_json:
        dump({
            "model": model, "schedule": found.name, "workers": where.n, "seconds": found.seconds,
            "compute": compute, "description": found.description,
            "files": [str(path) for path in (*files, trace)],
        })  # fmt: skip
        return 0
    tensors = sum(len(step.tensors) for step in steps.values())
    console(False).print(
        f"{models} under {found.name}: {found.seconds:.6g} s {found.description}; "
        f"{tensors} tensors, {len(found.line.tasks)} tasks",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    files_written(console(False), files)
    console(False).print(f"trace: {trace}", highlight=False, soft_wrap=True)
    return 0


def _apart(name: str, taken: Collection[str]) -> str:
    """The name, numbered if another job has it."""
    return name if name not in taken else f"{name}, job {len(taken) + 1}"


def _model(name: str, measured: bool) -> tuple[Workload, Floats | None]:
    """A model by name or MODULE:ATTRIBUTE, and seconds of its layers if they are measured."""
    if ":" not in name:
        if measured:
            raise ValueError(
                f"measured is for a torch module of your own, as mine:PAIR, got model={name}"
            )
        return look_up("model", name, WORKLOADS), None
    found = imported(name)
    if isinstance(found, Workload) and not measured:
        return found, None
    if isinstance(found, tuple) and found and isinstance(found[0], nn.Module):
        module, *inputs = found
        times = forward_seconds(module, *inputs) if measured else None
        return workload_of(module, *inputs, name=name), times
    raise ValueError(
        f"{name} must be a tuple of a torch module and its inputs, or a Workload (which cannot be "
        f"measured), got something of type {type(found).__name__}"
    )
