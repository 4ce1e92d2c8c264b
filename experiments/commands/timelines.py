"""Drawings of ``rateproof timeline``: a step under a schedule, a pipeline, jobs on one network."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from algorithms.core.names import look_up
from algorithms.schedules import SCHEDULES
from algorithms.schedules.base import CommunicationSchedule
from algorithms.schedules.carrier import Carrier, all_gather, all_reduce, servers
from algorithms.schedules.contention import SharedNetwork, TrainingJob
from algorithms.schedules.pipeline import pipeline_of
from algorithms.schedules.priority import tuned
from algorithms.schedules.sparse_layers import SparseLayers
from algorithms.schedules.step import TrainingStep
from algorithms.schedules.tictac import TicTac
from algorithms.schedules.timeline import Timeline
from experiments.commands.console import at_least
from theory.seconds.costs import AlphaBeta

ON_SERVERS = "-ps"
"""Ends the name of a schedule that is to run over parameter servers."""

JOBS = "jobs"
"""Several models, each trained by a job of its own."""


class SimulationSetting(NamedTuple):
    """Setting of a simulated step.

    Attributes:
        n: workers; stages of a pipeline.
        link: of each of them.
        rounds: microbatches of a pipeline, steps of each of several jobs.
        tune: whether ByteScheduler's sizes are searched for.
    """

    n: int
    link: AlphaBeta
    rounds: int = 8
    tune: bool = False


def surroundings(
    n: int, alpha: float, gigabits: float, count: int, *, tune: bool
) -> SimulationSetting:
    """Those of a link of so many Gbit/s.

    Raises:
        ValueError: n or count < 1, no bandwidth, or a negative start-up.
    """
    at_least("n", n, 1)
    at_least("count", count, 1)
    if not gigabits > 0:
        raise ValueError(f"gigabits must be positive, got gigabits={gigabits}")
    return SimulationSetting(n, AlphaBeta(alpha, 1e-9 / gigabits), count, tune)


class SimulatedTimeline(NamedTuple):
    """A timeline and what it says.

    Attributes:
        name: of the schedule.
        line: the tasks.
        seconds: what the words say it takes.
        description: what these seconds are.
    """

    name: str
    line: Timeline
    seconds: float
    description: str


def simulated_timeline(
    schedule: str, steps: dict[str, TrainingStep], where: SimulationSetting
) -> SimulatedTimeline:
    """A timeline of the steps of one or several models by name.

    Raises:
        ValueError: there is no such schedule, it has no form there, or models are more than one
            and no jobs.
    """
    if where.tune and schedule.removesuffix(ON_SERVERS) != "bytescheduler":
        raise ValueError(
            f"tune is for bytescheduler and bytescheduler{ON_SERVERS}, got schedule={schedule}"
        )
    if len(steps) > 1 and schedule != JOBS:
        raise ValueError(f"schedule must be {JOBS} for several models, got schedule={schedule}")
    if schedule in OTHERS:
        return OTHERS[schedule](steps, where)
    (step,) = steps.values()
    made, carrier = chosen_schedule(schedule, where.n, where.link)
    if where.tune:
        made = tuned(step, carrier)
    line = made.timeline(step, carrier)
    description = f"a step, computing takes {step.compute:.6g} s"
    return SimulatedTimeline(made.name, line, made.seconds(step, carrier), description)


def _pipeline(steps: dict[str, TrainingStep], where: SimulationSetting) -> SimulatedTimeline:
    """Stages on n devices; between neighbours a message's start-up, for no model states how large
    its activations are."""
    (step,) = steps.values()
    made = pipeline_of(step, where.n, where.rounds, where.link.alpha)
    line = made.timeline()
    slowest = max(f + b for f, b in zip(made.forward, made.backward, strict=True))
    description = (
        f"for {where.rounds} microbatches of {step.compute:.6g} s each on one device, "
        f"{slowest:.6g} s on the slowest stage; the first stage keeps "
        f"{made.versions()[0]} versions of its weights"
    )
    return SimulatedTimeline(made.name, line, line.seconds, description)


def _jobs(steps: dict[str, TrainingStep], where: SimulationSetting) -> SimulatedTimeline:
    """Jobs that sum all gradients behind the backward pass, on rings whose links they share."""
    channel = all_reduce(where.link, where.n).channels[0]
    if not channel.beta > 0:
        raise ValueError(f"n must be at least 2 for jobs that send, got n={where.n}")
    network = SharedNetwork(channel.beta)
    jobs = tuple(
        TrainingJob(name, step.compute, float(step.bits.sum()), where.rounds)
        for name, step in steps.items()
    )
    line, ends = network.timeline(jobs), network.ends(jobs)
    alone = [network.ends((job,))[0] for job in jobs]
    description = f"for {where.rounds} steps of each; " + ", ".join(
        f"{job.name} is done after {end:.6g} s, alone after {one:.6g}"
        for job, end, one in zip(jobs, ends, alone, strict=True)
    )
    return SimulatedTimeline(network.name, line, line.seconds, description)


OTHERS: dict[str, Callable[[dict[str, TrainingStep], SimulationSetting], SimulatedTimeline]] = {
    "1f1b": _pipeline, JOBS: _jobs,
}  # fmt: skip
"""What is no schedule of one data-parallel step, by the name that the command uses."""


def chosen_schedule(name: str, n: int, link: AlphaBeta) -> tuple[CommunicationSchedule, Carrier]:
    """The schedule of that name and what carries its messages; ``-ps`` behind it: servers.

    Raises:
        ValueError: there is none.
    """
    bare = name.removesuffix(ON_SERVERS)
    known: dict[str, object] = {**SCHEDULES, **OTHERS}
    made = look_up("schedule", bare, known)
    if not isinstance(made, CommunicationSchedule):
        raise ValueError(f"schedule must be {bare}, which has no form on servers, got {name}")
    if name != bare or isinstance(made, TicTac):
        return made, servers(link, n, n)
    return made, (all_gather if isinstance(made, SparseLayers) else all_reduce)(link, n)
