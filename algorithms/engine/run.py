"""run: one method on one problem, all replicas at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import Tensor

from algorithms.compressors.requirements import OutOfRange
from algorithms.core.faults import NO_FAULTS, Faults
from algorithms.core.key import Key, NumbersAsked
from algorithms.engine.allocation import keep_freed
from algorithms.engine.trace import Recorder, Trace, record_steps
from algorithms.kernels.deferred_checks import DeferredChecks, NotFinite, deferred_checks
from algorithms.methods.base import Method, RunContext
from algorithms.network.base import Network
from algorithms.network.simulated import Simulated
from algorithms.pipeline.advance import Blocks
from algorithms.problems.base import Problem, require_finite
from algorithms.synchronisation.stopwatch import Stopwatch, Timing
from algorithms.synchronisation.worker_states import WorkerLost

__all__ = ["Diverged", "Trace", "one_thread", "run"]


class Diverged(ArithmeticError):
    """A run left the range of its number type; ``trace`` holds what was finished before."""

    def __init__(self, message: str, trace: Trace) -> None:
        super().__init__(message)
        self.trace = trace


def run(
    method: Method[Any],
    problem: Problem,
    *,
    steps: int,
    seed: int = 0,
    replicas: int = 1,
    network: Network | None = None,
    x0: Tensor | None = None,
    points: int = 200,
    every: int = 0,
    weight: Callable[[int], float] | None = None,
    timing: Timing | None = None,
    faults: Faults = NO_FAULTS,
    of_workers: bool = False,
    late: bool | None = None,
) -> Trace:
    """Run ``steps`` steps of ``replicas`` independent runs from x0 (default: the problem's start).

    ``points`` bounds the number of records; ``every`` > 0 takes the squared gradient every so many
    steps into the running average (1: the exact average; 0: at records only). ``weight(t)`` is the
    weight of x_t in the weighted average. ``timing`` sets a stopwatch on a simulated run of a
    method without a schedule of its own. ``faults`` are planted in gradients. ``of_workers``
    records the mean value of the workers' models too, at the price of n values of f a record. A
    ``network`` that was used before starts anew: an empty ledger, and no stopwatch but this run's.

    What is not finite is told at its step, or with ``late`` at the next record, which names the
    steps since the last one: then no step has the host wait. None: late on a GPU.

    Plain methods on logistic regression use as many threads as torch is set to
    (``torch.set_num_threads``), where steps are long; no number depends on how many. The process
    keeps what it frees from then on, up to 256 MB (:mod:`algorithms.engine.allocation`).

    Where nothing is drawn but the stopwatch's times, and no ``network`` is given, all replicas are
    alike and one is computed for all.

    Raises:
        ValueError: an argument is out of range (named with its value).
        Diverged: a model, gradient or message stopped being finite; carries the trace up to there.
        WorkerLost: the run waits for a worker that never comes; carries the trace up to there.
    """
    for name, value, least in (
        ("steps", steps, 1),
        ("replicas", replicas, 1),
        ("points", points, 2),
        ("every", every, 0),
    ):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {name}={value}")
    simulated = network is None
    network = network or Simulated(problem.n, device=problem.device)
    if network.n != problem.n:
        raise ValueError(
            f"network has n={network.n} workers, problem {problem.name} has n={problem.n}; "
            "make them equal"
        )
    start = (problem.start() if x0 is None else x0).to(problem.dtype)
    if start.shape != (problem.d,):
        raise ValueError(f"x0 must have shape [{problem.d}], got {list(start.shape)}")
    require_finite("x0", start)
    ids = torch.arange(replicas, device=problem.device)
    due = record_steps(steps, points)

    def traced(key: Key, computed: Tensor) -> Trace:
        network.restart()
        if timing is not None:
            watch = Key.seed(seed)
            network.stopwatch = Stopwatch(timing, problem.n, watch, ids, method.link_speeds)
        context = RunContext(problem, network, key, computed, faults)
        recorder = Recorder(method, context, due, every, weight, of_workers, replicas)
        asked = late if late is not None else problem.device.type != "cpu"
        with deferred_checks(asked) as checks:
            return _loop(method, context, start, steps, recorder, seed, checks, threads)

    keep_freed()
    with one_thread() as threads:
        if simulated and replicas > 1:
            with suppress(NumbersAsked):
                return traced(Key.seed(seed).without_numbers(), ids[:1])
        return traced(Key.seed(seed), ids)


@contextmanager
def one_thread() -> Iterator[int]:
    """One thread for torch's own operations, as before afterwards; tells how many those were.

    A step is a dozen operations on small tensors: two threads meet at a barrier in each, which on a
    busy machine costs a hundred times the work (``docs/decisions/threads-and-memory.md``).
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield threads
    finally:
        torch.set_num_threads(threads)


def _loop(
    method: Method[Any], context: RunContext, start: Tensor, steps: int, recorder: Recorder, seed:
    int, checks: DeferredChecks | None, threads: int,
) -> Trace:  # fmt: skip
    state = method.init(start, context)
    if method.seconds(state, 0) is not None:
        context.network.stopwatch = None  # its schedule tells the time
    try:
        blocks, t = None if checks else Blocks(method, context, threads), 0
        while t < steps:
            if checks is not None and t in recorder.due:
                checks.read(t)
            recorder.see(state, t)
            recorder.start_clock()
            done = 0
            if blocks is not None:
                state, done = blocks.advance(state, t, recorder.next_stop(t), recorder)
            if not done:
                with context.network.stepping(t):
                    state = method.step(state, t, context)
            recorder.stop_clock()
            t += done or 1
        if checks is not None:
            checks.read(steps)
        recorder.see(state, steps)
    except WorkerLost as error:
        error.trace = recorder.trace(state, seed)
        raise
    except (NotFinite, OutOfRange, FloatingPointError) as error:
        raise Diverged(
            f"{method.name} on {context.problem.name}: {error}; a smaller stepsize would do",
            recorder.trace(state, seed),
        ) from error
    return recorder.trace(state, seed)
