"""Modelled seconds of a run, added up again by a clock in plain arithmetic, worker by worker."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.catalogue import Row
from algorithms.core.key import Key
from algorithms.engine.run import one_thread, run
from algorithms.methods.base import RunContext
from algorithms.network.clock import Clock
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta

ROUNDING = 1e-12
STEPS, REPLICAS = 12, 2
TIMINGS = (STANDARD, replace(STANDARD, link=AlphaBeta(4e-3, 1e-6)))
"""The survey's, and one whose messages take longer than gradients."""
_TOGETHER = 64  # gradients whose times share a key


@final
class PlainClock(Clock):
    """Hours ``[R, n]`` of workers under one timing, whose links share nothing.

    A gradient takes its worker's time; a message to the server has all wait for the last, an answer
    takes its time at each; neighbours' messages leave a worker one after another.
    """

    def __init__(
        self, timing: Timing, n: int, key: Key, replicas: Tensor, speeds: Tensor | None
    ) -> None:
        self._timing, self._n, self._key, self._ids = timing, n, key.fold("stopwatch"), replicas
        self._speeds = np.ones((n, n)) if speeds is None else speeds.numpy()
        self._hours, self._mark = (np.zeros((len(replicas), n)) for _ in range(2))
        self._count, self._still = 0, False
        self.worked = torch.zeros((len(replicas), n), dtype=torch.int64)

    @property
    def seconds(self) -> Tensor:
        return torch.from_numpy(self._hours.max(1))

    def work(self, gradients: int = 1, subset: Tensor | None = None) -> None:
        if self._still:
            return
        who = self._rows(True if subset is None else subset).astype(bool)
        for _ in range(gradients):
            first = self._count // _TOGETHER * _TOGETHER
            draws = self._key.fold(first).draws(self._ids, torch.arange(self._n))
            took = self._timing.times.seconds(draws, _TOGETHER, first)[..., self._count - first]
            self._hours = np.where(who, self._hours + took.numpy(), self._hours)
            self._count += 1
        self.worked = self.worked + gradients * torch.from_numpy(who.astype(np.int64))

    def up(self, bits: int | Tensor, messages: int | Tensor, subset: Tensor | None = None) -> None:
        sent = self._hours + self._message(bits, messages)
        who = self._rows(True if subset is None else subset).astype(bool)
        for r in range(len(sent)):
            if who[r].any():
                sent[r][who[r]] = sent[r][who[r]].max()
        self._hours = sent

    def down(self, bits: int | Tensor, messages: int | Tensor = 1) -> None:
        self._hours = self._hours + self._message(bits, messages)

    def exchange(self, bits: int | Tensor, incoming: Tensor) -> None:
        size = self._rows(bits)
        hears = np.broadcast_to(incoming.numpy(), (len(size), self._n, self._n)).astype(bool)
        link, came = self._timing.link, self._hours.copy()
        for r, w in np.ndindex(*size.shape):
            for h in np.flatnonzero(hears[r, :, w]):
                came[r, w] += link.alpha + link.beta * size[r, w] / self._speeds[h, w]
        self._hours = came.copy()
        for r, h in np.ndindex(*size.shape):
            self._hours[r, h] = max([came[r, h], *came[r][hears[r, h]]])

    @contextmanager
    def paused(self) -> Iterator[None]:
        before, self._still = self._still, True
        try:
            yield
        finally:
            self._still = before

    @contextmanager
    def merging(self) -> Iterator[None]:
        yield

    @contextmanager
    def overlapped(self) -> Iterator[None]:
        here, self._hours = self._hours, self._mark
        try:
            yield
        finally:
            self._hours = self._mark = np.maximum(here, self._hours)

    def _message(self, bits: int | Tensor, messages: int | Tensor) -> Floats:
        link = self._timing.link
        return self._rows(messages) * link.alpha + self._rows(bits) * link.beta

    def _rows(self, value: float | Tensor) -> Floats:
        """A number for each worker of each replica."""
        own = np.asarray(torch.as_tensor(value).cpu(), dtype=np.float64)
        return np.broadcast_to(own, self._hours.shape).copy()


def clock_verdict(row: Row, problem: Problem, seed: int, provenance: str) -> Verdict:
    """Seconds that a run records after every step, and gradients that its clock counts, against
    :class:`PlainClock` beside the method's own steps; on fast links and on slow ones, behind which
    no computing hides."""
    method, worst = row.build(problem, STEPS), None
    for timing in TIMINGS:
        due = _plain(method, problem, seed, timing)
        if due is None:
            continue
        network = Simulated(problem.n)
        trace = run(
            method, problem, steps=STEPS, seed=seed, replicas=REPLICAS, points=STEPS + 1,
            timing=timing, network=network,
        )  # fmt: skip
        hours, worked = due
        off = float(np.abs(trace.seconds - hours).max() / hours.max())
        counted = network.stopwatch is not None and torch.equal(network.stopwatch.worked, worked)
        worst = max(worst or 0.0, off if counted else math.inf)
    return Verdict(
        subject=row.key, problem=problem.name, check="clock", kind=CheckKind.INVARIANT,
        claim="a run's seconds are those of its gradients and messages, worker by worker",
        outcome=Outcome.NOT_APPLICABLE if worst is None
        else Outcome.AGREES if worst <= ROUNDING else Outcome.REFUTED,
        statistic=worst, bound=None if worst is None else ROUNDING, resolution=ROUNDING,
        evidence="its schedule tells the time, see records" if worst is None
        else "other numbers of gradients are counted" if worst == math.inf
        else f"{worst:.2g} off over {STEPS} steps of {REPLICAS} replicas, on fast and slow links",
        provenance=provenance,
    )  # fmt: skip


def _plain(
    method: Any, problem: Problem, seed: int, timing: Timing
) -> tuple[Floats, Tensor] | None:
    """Seconds ``[R, K]`` by the plain clock, and gradients that workers computed; None where a
    schedule tells the time, or nothing takes any."""
    replicas, network, key = torch.arange(REPLICAS), Simulated(problem.n), Key.seed(seed)
    context = RunContext(problem, network, key, replicas)
    clock = PlainClock(timing, problem.n, key, replicas, method.link_speeds)
    network.stopwatch = clock
    with one_thread():
        state = method.init(problem.start(), context)
        if method.seconds(state, 0) is not None:
            return None
        hours = [clock.seconds.clone()]
        for t in range(STEPS):
            state = method.step(state, t, context)
            hours.append(clock.seconds.clone())
    found = torch.stack(hours, 1).numpy()
    return (found, clock.worked) if found.max() > 0 else None
