"""Trace: what a run leaves behind, and the recorder that collects it.

The recorder observes: it charges nothing and changes nothing.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.engine.noted_records import NotedRecords, averages, mean_model
from algorithms.methods.base import Method, RunContext
from algorithms.network.clock import Clocked
from algorithms.network.ledger import Account
from algorithms.network.simulated import Simulated
from theory.arrays import Floats

Values = TypeVar("Values", Floats, Tensor)

WORTH_NOTING = 1 << 17
"""Numbers of a record's models up to which it pays to note it: beyond, its operations take longer
than their calls, and the copies that notes are a fifth more."""

MOST_NOTED = 1 << 20
"""Numbers of the models that are kept of records between blocks."""

_ROUNDING = 1e-24  # of a squared gradient, beside the squared distance between workers


@final
@dataclass(frozen=True)
class Trace:
    """Record of one run; x_t is the mean model over workers.

    steps             [K]     steps done at each record, the first 0
    suboptimality     [R, K]  f(x_t) - f* [f]; f(x_t) where f* is unknown (``f_star_known``)
    squared_gradient  [R, K]  ||grad f(x_t)||^2
    average_squared_gradient [R, K]  mean of ||grad f(x_s)||^2 over the sampled s < t
    squared_distance  [R, K]  ||x_t - x*||^2, NaN where x* is unknown
    consensus         [R, K]  (1/n) sum_i ||x_i - x_t||^2
    weighted_suboptimality [R, K]  f(weighted average of x_0 .. x_{t-1}) - f*, NaN without weights
    workers_suboptimality [R, K]  (1/n) sum_i f(x_i) - f* [f], NaN unless the run was asked for it
    sent_bits, received_bits, messages [R, K]  mean per worker, messages sent and received
    gradients         [R, K]  mean per worker: those of its schedule, or that a stopwatch counted;
                              else NaN
    seconds           [R, K]  modelled time: the method's schedule, or a stopwatch; else NaN
    wall_seconds      [K]     measured, recording left out
    model             [R, d]  last mean model
    rows              [R, m or 1, d]  last model rows held here
    account           per-worker totals at the end

    Attributes:
        problem: name of the problem.
        seed: seed of the run.
        heavy_tailed: whether the noise has no variance, so that errors have no mean.
    """

    method: str
    problem: str
    seed: int
    steps: NDArray[np.int64]
    suboptimality: Floats
    squared_gradient: Floats
    average_squared_gradient: Floats
    squared_distance: Floats
    consensus: Floats
    weighted_suboptimality: Floats
    workers_suboptimality: Floats
    sent_bits: Floats
    received_bits: Floats
    messages: Floats
    gradients: Floats
    seconds: Floats
    wall_seconds: Floats
    model: Tensor
    rows: Tensor
    account: Account
    f_star_known: bool
    heavy_tailed: bool = False


def record_steps(steps: int, points: int) -> NDArray[np.int64]:
    """At most ``points`` record times from 0 to ``steps``: even early on, geometric later."""
    if points >= steps + 1:
        return np.arange(steps + 1)
    inner = np.geomspace(1.0, steps, points - 1)
    inner[-1] = steps
    return np.unique(np.round(np.append(0.0, inner)).astype(np.int64))


def _squared(gradient: Tensor) -> Tensor:
    return gradient.square().sum(-1).double().cpu()


@final
class Recorder:
    """Collects the series of one run: an observer that charges nothing and changes nothing.

    Where one replica is computed for ``replicas`` that are alike, the trace has all of them.
    """

    def __init__(
        self,
        method: Method[Any],
        context: RunContext,
        due: NDArray[np.int64],
        every: int,
        weight: Callable[[int], float] | None,
        of_workers: bool,
        replicas: int,
    ) -> None:
        self.method, self.context, self.every, self.weight = method, context, every, weight
        self.of_workers, self.replicas = of_workers, replicas
        self.due = set(due.tolist())
        self.in_order: list[int] = sorted(self.due)
        self.columns: dict[str, list[Any]] = {}
        self.gradient_sum = torch.zeros(context.replicas.shape, dtype=torch.float64)
        self.gradients = 0
        self.weighted_sum: Tensor | None = None
        self.weight_sum = 0.0
        self.clock = self.tick = 0.0
        self.state: Any = None
        alone = isinstance(context.network, Simulated) and context.problem.device.type == "cpu"
        rows = 1 if method.shared_model else context.problem.n
        small = rows * context.problem.d * context.replicas.numel() <= WORTH_NOTING
        self.notes = alone and small and not (every or weight or of_workers)
        self.rows_kept = rows if self.notes else 1
        self.noted, self.passed = (NotedRecords(method, context) for _ in range(2))

    def next_stop(self, t: int) -> int:
        """The first step after t (below the last) at which a block must end: the next record, or
        the last where records are noted within blocks."""
        return self.in_order[-1 if self.notes else bisect_right(self.in_order, t)]

    def looks(self, t: int, until: int) -> list[int]:
        """Steps between t and ``until``, both excluded, after which the mean model is looked at."""
        if self.notes:
            first = bisect_right(self.in_order, t)
            return self.in_order[first : bisect_left(self.in_order, until, first)]
        spacing = 1 if self.weight else self.every
        return list(range(t - t % spacing + spacing, until, spacing)) if spacing else []

    def start_clock(self) -> None:
        """Measure from now on, until :meth:`stop_clock`."""
        self.tick = time.perf_counter()

    def stop_clock(self) -> None:
        """Add what was measured, but for what was spent on looks."""
        self.clock += time.perf_counter() - self.tick

    def forget_notes(self) -> None:
        """Begin a block's notes."""
        self.noted = NotedRecords(self.method, self.context)

    def note(self, state: Any, t: int) -> None:
        """Note the record after t steps within a block."""
        begin = time.perf_counter()
        self.noted.note(state, t, self.clock + begin - self.tick)
        self.clock -= time.perf_counter() - begin

    def broken_note(self) -> int | None:
        """Steps before the first noted record whose model is not finite; None: all are."""
        begin = time.perf_counter()
        broken = self.noted.broken()
        self.clock -= time.perf_counter() - begin
        return broken

    def record_notes(self, clocked: Sequence[Clocked]) -> None:
        """Make the noted records, with the stopwatch's reading at each, if there is one."""
        begin = time.perf_counter()
        self._make_passed()
        self.noted.clocked += clocked
        self._make(self.noted)
        self.clock -= time.perf_counter() - begin

    def _pass(self, state: Any, t: int) -> None:
        """Note a record between blocks or steps.

        Raises:
            FloatingPointError: its mean model is not finite.
        """
        rows, watch = self.passed.note(state, t, self.clock), self.context.network.stopwatch
        if watch is not None:
            self.passed.clocked.append(Clocked(watch.seconds, watch.worked))
        broken = not bool(torch.isfinite(mean_model(self.method, self.context.network, rows)).all())
        if broken or len(self.passed.notes) * rows.numel() >= MOST_NOTED:
            self._make_passed()
        if broken:
            raise FloatingPointError(f"model not finite after {t} steps")

    def _make_passed(self) -> None:
        """Make the records that were noted between blocks."""
        if self.passed.notes:
            self._make(self.passed)
            self.passed = NotedRecords(self.method, self.context)

    def _make(self, noted: NotedRecords) -> None:
        series = {
            name: value.detach().double().numpy() if isinstance(value, Tensor) else value
            for name, value in noted.series().items()
        }
        squared = series["squared_gradient"]
        series["average_squared_gradient"], self.gradient_sum = averages(
            self.gradient_sum, self.gradients, squared
        )
        self.gradients += len(squared)
        for name, column in series.items():
            self.columns.setdefault(name, []).extend(column)

    def mean(self, state: Any) -> Tensor:
        """The mean model of a state, its own storage."""
        tick = time.perf_counter()
        mean = mean_model(self.method, self.context.network, self.method.models(state))
        mean = mean.clone() if self.method.shared_model else mean
        self.clock -= time.perf_counter() - tick
        return mean

    def observe(self, looks: Sequence[int], means: Sequence[Tensor]) -> None:
        """Average over mean models after ``looks`` steps, none of which is recorded."""
        tick = time.perf_counter()
        averaged = [mean for t, mean in zip(looks, means, strict=True) if self._averages(t)]
        if averaged:
            self._average(self._slopes(averaged))
        for t, mean in zip(looks, means, strict=True) if self.weight else ():
            self._weigh(mean, t)
        self.clock -= time.perf_counter() - tick

    def _averages(self, t: int) -> bool:
        """Whether the squared gradient after t steps, at no record, is part of the average."""
        return self.every > 0 and t % self.every == 0

    def _slopes(self, means: Sequence[Tensor]) -> Tensor:
        """Squared gradients ``[S, ...]`` at mean models ``[..., d]``, each as it is alone: where
        the problem is not row by row, in the memory of its own, whose alignment rounding feels."""
        problem = self.context.problem
        if problem.mean_rowwise:
            gradients: Iterable[Tensor] = problem.mean_gradient(torch.stack(list(means)))
        else:
            gradients = map(problem.mean_gradient, means)
        return torch.stack([_squared(one) for one in gradients])

    def _average(self, squared: Tensor) -> None:
        """Take squared gradients ``[S, ...]`` into the average, one after another."""
        for one in squared:
            self.gradient_sum += one
        self.gradients += len(squared)

    def _weigh(self, mean: Tensor, t: int) -> None:
        """Take the mean model after t steps into the weighted average."""
        assert self.weight is not None
        w = self.weight(t)
        self.weight_sum += w
        self.weighted_sum = w * mean + (0 if self.weighted_sum is None else self.weighted_sum)

    def see(self, state: Any, t: int) -> None:
        """Look at the state after t steps, if anything is due.

        Raises:
            FloatingPointError: the mean model is not finite.
        """
        recording = t in self.due
        averaging = recording if self.every == 0 else self._averages(t)
        if not (recording or averaging or self.weight):
            return
        if self.notes:
            self._pass(state, t)
            return
        self.state = state
        rows = self.method.models(state)
        mean = mean_model(self.method, self.context.network, rows)
        squared, problem = None, self.context.problem
        if recording:
            value, gradient = problem.value_and_gradient(mean)
            squared = _squared(gradient)
            self._record(rows, mean, value, squared, t)
            if not bool(torch.isfinite(mean).all()):
                raise FloatingPointError(f"model not finite after {t} steps")
        if averaging:
            if squared is None:
                squared = _squared(problem.mean_gradient(mean))
            self._average(squared[None])
        if self.weight:
            self._weigh(mean, t)

    def _record(self, rows: Tensor, mean: Tensor, value: Tensor, squared: Tensor, t: int) -> None:
        problem, network = self.context.problem, self.context.network
        floor = problem.f_star or 0.0
        unknown = torch.full(mean.shape[:-1], float("nan"), dtype=torch.float64)
        spread = (rows - mean[..., None, :]).square().sum(-1, keepdim=True)
        account = network.account(tuple(mean.shape[:-1]))
        average = None if self.weighted_sum is None else self.weighted_sum / self.weight_sum
        self._put(
            steps=t,
            wall_seconds=self.clock,
            suboptimality=value.double() - floor,
            squared_gradient=squared,
            average_squared_gradient=self.gradient_sum / self.gradients
            if self.gradients
            else squared,
            squared_distance=unknown
            if problem.x_star is None
            else (mean - problem.x_star).square().sum(-1),
            consensus=mean_model(self.method, network, spread)[..., 0],
            weighted_suboptimality=unknown if average is None else problem.value(average) - floor,
            workers_suboptimality=self._of_workers(rows) - floor if self.of_workers else unknown,
            sent_bits=account.sent_bits.double().mean(-1),
            received_bits=account.received_bits.double().mean(-1),
            gradients=self._gradients(t, unknown),
            seconds=self._seconds(t, unknown),
            messages=(account.sent_messages + account.received_messages).double().mean(-1),
        )

    def _seconds(self, t: int, unknown: Tensor) -> Tensor:
        """Modelled time after t steps."""
        own = self.method.seconds(self.state, t)
        watch = self.context.network.stopwatch
        if own is not None:
            return own
        return unknown if watch is None else watch.seconds

    def _of_workers(self, rows: Tensor) -> Tensor:
        """(1/n) sum_i f(x_i) ``[...]``."""
        values = self.context.problem.value(rows).double()[..., None]
        return mean_model(self.method, self.context.network, values)[..., 0]

    def _gradients(self, t: int, unknown: Tensor) -> Tensor:
        """Gradients a worker after t steps."""
        own = self.method.computed(self.state, t)
        if own is not None:
            return own
        watch = self.context.network.stopwatch
        return unknown if watch is None else watch.worked.double().mean(-1)

    def _put(self, **values: Any) -> None:
        for name, value in values.items():
            if isinstance(value, Tensor):
                value = value.detach().cpu().double().numpy()
            self.columns.setdefault(name, []).append(value)

    def trace(self, state: Any, seed: int) -> Trace:
        """The series so far and where the run stands."""
        self._make_passed()
        context, rows = self.context, self.method.models(state)
        series = {name: np.stack(column, axis=-1) for name, column in self.columns.items()}
        steps, wall_seconds = series.pop("steps"), series.pop("wall_seconds")
        account = context.network.account(tuple(context.replicas.shape))
        return Trace(
            method=self.method.name,
            problem=context.problem.name,
            seed=seed,
            steps=steps.astype(np.int64),
            wall_seconds=wall_seconds,
            **{name: self._of_all(column) for name, column in series.items()},
            model=self._of_all(mean_model(self.method, context.network, rows)),
            rows=self._of_all(rows),
            account=Account(*map(self._of_all, account)),
            f_star_known=context.problem.f_star is not None,
            heavy_tailed=context.problem.heavy_tailed,
        )

    def _of_all(self, values: Values) -> Values:
        """``[R, ...]`` from ``[R, ...]``, or from the ``[1, ...]`` of one replica for all."""
        if len(values) == self.replicas:
            return values
        if isinstance(values, Tensor):
            return values.expand(self.replicas, *values.shape[1:]).clone()
        return np.repeat(values, self.replicas, axis=0)


def only_agrees(squared_gradient: Floats, consensus: Floats) -> bool:
    """Whether the mean model is the minimiser from the start ``[..., K]``, so that all that is left
    to do is to agree on it."""
    start = float(np.mean(consensus[..., 0]))
    return float(np.mean(squared_gradient[..., 0])) <= _ROUNDING * start
