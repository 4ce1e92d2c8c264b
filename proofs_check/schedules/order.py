"""Does a schedule keep the order of a step's DAG? One task at a time, gradients before messages,
messages before the passes that need them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from algorithms.catalogue import ROWS
from algorithms.schedules.base import CommunicationSchedule
from algorithms.schedules.carrier import Carrier, all_reduce, servers
from algorithms.schedules.step import TrainingStep, step_of
from algorithms.schedules.tictac import TicTac
from algorithms.schedules.timeline import TaskKind, Timeline
from algorithms.schedules.wait_free import WAIT_FREE
from algorithms.workloads import WORKLOADS
from proofs_check.cell import CellResult
from proofs_check.gantt import lane_panel
from proofs_check.instruments.study import SystemCheck
from proofs_check.schedules.drawn import SEED, drawn_channel, drawn_servers, drawn_step
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta

_STEPS = 60


_MOST = 12


_UNIT = 3.2e7  # bits of a gradient: one partition or two, twenty slices


_SLACK = 1e-9


_SHOWN, _SECONDS, _WORKERS = "resnet-50", 0.25, 16  # of the picture


def check_order(schedule: CommunicationSchedule = WAIT_FREE, row: str = "") -> Verdict:
    """The DAG's order in drawn steps on drawn channels, read off the timeline's own tasks."""
    random = np.random.default_rng(SEED)
    found, looked = "", 0
    for i in range(_STEPS):
        step = drawn_step(random, 1 + i % _MOST, _UNIT)
        one = Carrier((drawn_channel(random, i % 2 == 1, _UNIT),))
        two = drawn_servers(random, _UNIT)
        for carrier in (two,) if isinstance(schedule, TicTac) else (one, two):
            try:
                found = found or _fault(schedule, step, carrier)
            except ValueError as error:
                if "carrier must have" not in str(error):
                    raise
                continue
            looked += 1
    return Verdict(
        subject=row or schedule.name,
        claim="one task at a time on each resource, no message before its gradients, no forward "
        "pass before what it waits for, and all bits are sent",
        check="order of the DAG",
        outcome=Outcome.REFUTED if found else Outcome.SUPPORTED,
        statistic=float(looked),
        resolution=_SLACK,
        evidence=found or f"{schedule.name}: {looked} timelines of up to {_MOST} gradients",
        provenance=f"steps and channels drawn from seed {SEED}",
    )


def _fault(schedule: CommunicationSchedule, step: TrainingStep, carrier: Carrier) -> str:
    """Fault in the order; empty if there is none."""
    line, messages = schedule.timeline(step, carrier), schedule.messages(step, carrier)
    if clash := line.conflicts():
        one, other = clash[0]
        return f"{schedule.name}: {one.name} and {other.name} at once on {one.resource}"
    done, begun = _ends(step, line), _starts(step, line)
    first, last = carrier.channels[0].name, carrier.channels[-1]
    sent = sorted(_sent(line, first))
    spans = [step.layers[a : b + 1] for a, b in zip(messages.first, messages.last, strict=True)]
    needed = sorted(float(done[span].max()) for span in spans)
    if any(start < need - _SLACK for (start, _), need in zip(sent, needed, strict=True)):
        return f"{schedule.name}: a message left before its gradients were there"
    arrived = max(stop for _, stop in _sent(line, last.name)) + last.latency
    if schedule.barrier and begun.min() < arrived - _SLACK:
        return f"{schedule.name}: a forward pass before the last message"
    if abs(float(messages.bits.sum() / step.bits.sum()) - 1) > _SLACK:
        return f"{schedule.name}: {messages.bits.sum():g} of {step.bits.sum():g} bits are sent"
    return _waits(schedule, step, carrier, begun)


def _waits(
    schedule: CommunicationSchedule, step: TrainingStep, carrier: Carrier, begun: Floats
) -> str:
    simulated, messages = schedule.simulated(step, carrier), schedule.messages(step, carrier)
    for k, (a, b) in enumerate(zip(messages.first, messages.last, strict=True)):
        for layer in step.layers[a : b + 1]:
            if begun[layer] < simulated.arrivals[k] - _SLACK:
                return f"{schedule.name}: {step.names[layer]} began before its parameters arrived"
    return ""


def _ends(step: TrainingStep, line: Timeline) -> Floats:
    """End of each layer's backward pass, by the tasks."""
    at = {t.name: t.stop for t in line.tasks if t.kind is TaskKind.BACKWARD}
    return np.asarray([at[name] for name in step.names])


def _starts(step: TrainingStep, line: Timeline) -> Floats:
    at = {t.name: t.start for t in line.tasks if t.kind is TaskKind.FORWARD}
    return np.asarray([at[name] for name in step.names])


def _sent(line: Timeline, channel: str) -> list[tuple[float, float]]:
    return [(t.start, t.stop) for t in line.tasks_on(channel) if t.kind is TaskKind.COMMUNICATION]


def _checks() -> Iterator[SystemCheck]:
    """One for each schedule of a training step that a row stands for."""
    for row in ROWS:
        for part in row.subject.parts if row.subject else ():
            if isinstance(part, CommunicationSchedule):
                yield SystemCheck(row.key, part.name, partial(_result, part, row.key))


def _result(schedule: CommunicationSchedule, row: str) -> CellResult:
    step, link = step_of(WORKLOADS[_SHOWN], _SECONDS), AlphaBeta(2e-5, 1e-10)
    whole = isinstance(schedule, TicTac)
    carrier = servers(link, _WORKERS, _WORKERS) if whole else all_reduce(link, _WORKERS)
    title = f"{WORKLOADS[_SHOWN].title}, {_WORKERS} workers on 10 Gbit/s, {schedule.name}"
    return CellResult(
        (check_order(schedule, row),), (lane_panel(schedule.timeline(step, carrier), title),)
    )


SYSTEM_CHECKS = tuple(_checks())
