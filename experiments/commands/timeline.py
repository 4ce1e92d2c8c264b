"""``rateproof timeline``: a training step under a schedule, drawn and traced."""

from __future__ import annotations

import re
from pathlib import Path

from torch import nn

from algorithms.names import look_up
from algorithms.schedules import SCHEDULES
from algorithms.schedules.base import CommunicationSchedule
from algorithms.schedules.carrier import Carrier, all_gather, all_reduce, servers
from algorithms.schedules.priority import ByteScheduler, tuned
from algorithms.schedules.sparse_layers import SparseLayers
from algorithms.schedules.step import TrainingStep, step_of
from algorithms.schedules.tictac import TicTac
from algorithms.workloads import WORKLOADS, Workload
from algorithms.workloads.module import forward_seconds, workload_of
from experiments.commands.console import at_least, bad_input, console, dump, files_written, writable
from experiments.figures.style import save, styled
from experiments.figures.timeline import timeline_figure
from experiments.files import write_atomically
from experiments.tracing import chrome_trace
from proofs_check.audit.loading import imported
from proofs_check.lanes import lane_panel
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta

ON_SERVERS = "-ps"
"""Ends the name of a schedule that is to run over parameter servers."""


def timeline_command(
    model: str, schedule: str, n: int, compute: float, alpha: float, gigabits: float, out: Path,
    as_json: bool, *, tune: bool = False, measured: bool = False,
) -> int:  # fmt: skip
    """Write the pictures and the trace, print what the step takes."""
    with bad_input():
        workload, times = _model(model, measured)
        at_least("n", n, 1)
        if not gigabits > 0:
            raise ValueError(f"gigabits must be positive, got gigabits={gigabits}")
        step = step_of(workload, compute, measured=times)
        made, carrier = chosen(schedule, n, AlphaBeta(alpha, 1e-9 / gigabits))
        if tune:
            made = _tuned(made, step, carrier)
        line = made.timeline(step, carrier)
        seconds = made.seconds(step, carrier)
        writable(out)
    stem = re.sub(r"[^a-z0-9]+", "-", f"{model}-{schedule}-{n}".lower())
    title = f"{workload.title}, {n} workers, {made.name}"
    with styled():
        files = save(timeline_figure(lane_panel(line, title)), out, stem)
    trace = out / f"{stem}.trace.json"
    write_atomically(trace, chrome_trace(line))
    if as_json:
        dump({
            "model": model, "schedule": made.name, "workers": n, "seconds": seconds,
            "compute": step.compute, "files": [str(path) for path in (*files, trace)],
        })  # fmt: skip
        return 0
    console(False).print(
        f"{workload.title} under {made.name}: {seconds:.6g} s a step, computing takes "
        f"{step.compute:.6g} s; {len(step.tensors)} tensors, {len(line.tasks)} tasks",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    files_written(console(False), files)
    console(False).print(f"trace: {trace}", highlight=False, soft_wrap=True)
    return 0


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


def _tuned(
    made: CommunicationSchedule, step: TrainingStep, carrier: Carrier
) -> CommunicationSchedule:
    if not isinstance(made, ByteScheduler):
        raise ValueError(
            f"tune is for bytescheduler and bytescheduler{ON_SERVERS}, got {made.name}"
        )
    return tuned(step, carrier)


def chosen(name: str, n: int, link: AlphaBeta) -> tuple[CommunicationSchedule, Carrier]:
    """The schedule of that name and what carries its messages; ``-ps`` behind it: servers.

    Raises:
        ValueError: there is none.
    """
    bare = name.removesuffix(ON_SERVERS)
    made = look_up("schedule", bare, SCHEDULES)
    if name != bare or isinstance(made, TicTac):
        return made, servers(link, n, n)
    return made, (all_gather if isinstance(made, SparseLayers) else all_reduce)(link, n)
