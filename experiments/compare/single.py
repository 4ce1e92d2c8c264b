"""One row on one problem: the run, its interval over replicas, and the bound that speaks of it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
from matplotlib.figure import Figure

from algorithms.catalogue import Row
from algorithms.engine.replicas import middle
from algorithms.problems.base import Problem
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from experiments.compare.clustered import OnCluster, clocked, in_cluster_time
from experiments.compare.device import usable_device
from experiments.figures.html import block, frame_html, picture, sentence
from experiments.figures.panels import RunCurves, three_panels
from experiments.figures.signs import pretty
from experiments.figures.spread import RunErrors, SpreadCurves, spread_figure
from experiments.figures.style import styled
from proofs_check.curves import BAND, MEDIAN_BAND, RunSeries
from proofs_check.methods.run_series import AGREEMENT, run_series, shown
from proofs_check.methods.tuned_run import TunedRun, tuned_run
from theory.arrays import Floats
from theory.stepsizes import Stepsize
from theory.theorem import Metric, Theorem

if TYPE_CHECKING:
    import pandas as pd

CLOCK = "modelled time"
_TRACED = (
    "suboptimality", "squared_gradient", "squared_distance", "consensus", "sent_bits",
    "received_bits", "gradients", "seconds",
)  # fmt: skip

LABELS = {
    Metric.AVERAGE_SQUARED_GRADIENT.value: r"$\mathrm{mean}_{s<t}\ \mathrm{E}"
    r"\Vert\nabla f(x_s)\Vert^2$",
    Metric.MINIMUM_SQUARED_GRADIENT.value: r"$\mathrm{E}\Vert\nabla f(x_t)\Vert^2$",
    Metric.SUBOPTIMALITY.value: r"$\mathrm{E}\,f(x_t)-f^\star$",
    Metric.WEIGHTED_SUBOPTIMALITY.value: r"$\mathrm{E}\,f(\hat x_t)-f^\star$, weighted mean",
    Metric.SQUARED_DISTANCE.value: r"$\mathrm{E}\Vert x_t-x^\star\Vert^2$",
    Metric.CONSENSUS_POTENTIAL.value: r"$\mathrm{E}\,\sum_i\Vert x_i-\bar x\Vert^2"
    r"+\Vert x_i-\hat x_i\Vert^2$",
    Metric.PUSH_SUM_POTENTIAL.value: r"$\mathrm{E}\,\sum_i\Vert s_i-w_i\bar x\Vert^2$",
    Metric.AVERAGE_REGRET.value: r"$\mathrm{mean}_{s<t}\ f_s(x_s)-f_s(x^\star)$",
    Metric.AVERAGE_GRADIENT_ONE_NORM.value: r"$\mathrm{mean}_{s<t}\ \mathrm{E}"
    r"\Vert\nabla f(x_s)\Vert_1$",
    Metric.AVERAGE_GRADIENT_NORM.value: r"$\mathrm{mean}_{s<t}\ \mathrm{E}\Vert\nabla f(x_s)\Vert$",
    Metric.AVERAGE_SUBOPTIMALITY.value: r"$\mathrm{mean}_{s<t}\ \mathrm{E}\,f(x_s)-f^\star$",
    Metric.ERGODIC_OBJECTIVE.value: r"$|\mathrm{E}\,\mathrm{mean}_i\ f_i(\hat x_{i,t})-f^\star|$",
    Metric.ERGODIC_DISAGREEMENT.value: r"$\mathrm{E}\Vert\hat x_{i,t}-\hat x_{j,t}\Vert$",
    AGREEMENT: r"$\mathrm{E}\,\sum_i\Vert x_i-\bar x\Vert^2$",
}
"""What a run shows, by the name of the quantity."""


@final
@dataclass(frozen=True)
class Quantity:
    """One measured number: what is typical of replicas, with its 95% interval.

    Attributes:
        name: what was measured.
        mean: the mean over replicas; of errors whose noise has no variance the median.
        low: lower end of its interval; NaN or minus infinity where replicas are too few for one.
        high: upper end of it; NaN or infinity there.
        unit: its unit; empty: a pure number.
    """

    name: str
    mean: float
    low: float
    high: float
    unit: str = ""

    @property
    def half_width(self) -> float:
        """Half of the interval's length."""
        return (self.high - self.low) / 2


@final
@dataclass(frozen=True)
class Single:
    """A finished run with what theory says of it.

    Attributes:
        row: the row that was run.
        problem: the problem that it was run on.
        result: the run, with the constants and the theorem it was tuned by.
        timing: whose seconds it is told in.
        proven: the run that a theorem tunes, drawn beside one that users' parameters tune.
    """

    row: Row
    problem: Problem
    result: TunedRun
    timing: Timing = STANDARD
    proven: TunedRun | None = None

    @property
    def theorem(self) -> Theorem | None:
        """The first of the row's theorems that applies; it set the stepsize."""
        return self.result.tuned.theorem

    @property
    def heavy(self) -> bool:
        """Whether noise has no variance, so that all is told by medians."""
        return self.result.trace.heavy_tailed

    @property
    def series(self) -> RunSeries:
        """Series shown of the run."""
        return run_series(self.result)

    @property
    def bound(self) -> Floats | None:
        """The theorem's bound on what is shown at the recorded steps, NaN at the start."""
        return self.series.bound

    def curves(self) -> RunCurves:
        """Curves of the three panels."""
        replicas = len(self.result.trace.suboptimality)
        name = f"{self.row.key} on {self.problem.name}, n = {self.problem.n}, {replicas} replicas"
        series = self.series
        if self.proven is not None:
            beside = replace(run_series(self.proven), tuning="its theorem")
            series = replace(series, beside=beside, tuning="best of a grid")
        return run_curves(series, name)

    def last(self) -> Quantity:
        """Quantity shown, at the last step."""
        what = shown(self.result)
        return self._end(what.quantity, what.samples)

    def _end(self, name: str, values: Floats, unit: str = "") -> Quantity:
        """The last of ``values`` ``[R, K]``."""
        at, low, high = (float(one[0]) for one in middle(values[:, -1:], self.heavy))
        return Quantity(name, at, low, high, unit)

    def quantities(self) -> tuple[Quantity, ...]:
        """The final numbers, those that are known."""
        trace = self.result.trace
        value = "f(x_T) - f*" if trace.f_star_known else "f(x_T)"
        last = (
            self._end(value, trace.suboptimality),
            self._end("||grad f(x_T)||^2", trace.squared_gradient),
            self._end("||x_T - x*||^2", trace.squared_distance),
            self._end("(1/n) sum ||x_i - xbar||^2", trace.consensus),
            self._end("(1/n) sum f(x_i) - f*", trace.workers_suboptimality),
            self._end("sent per worker", trace.sent_bits, "bit"),
            self._end("received per worker", trace.received_bits, "bit"),
            self._end(CLOCK, trace.seconds, "s"),
        )
        return tuple(one for one in last if math.isfinite(one.mean))

    @property
    def frame(self) -> pd.DataFrame:
        """Tidy data: row, problem, n, seed, replica, steps, and what the trace has of each."""
        import pandas as pd

        trace = self.result.trace
        replicas, records = trace.suboptimality.shape
        description = {"row": self.row.key, "problem": self.problem.name, "n": self.problem.n}
        return pd.DataFrame(
            {
                **description,
                "seed": trace.seed,
                "replica": np.repeat(np.arange(replicas), records),
                "steps": np.tile(trace.steps, replicas),
                **{name: getattr(trace, name).ravel() for name in _TRACED},
            }
        )

    def figure(self) -> Figure:
        """Plot of the bounded quantity against steps, bits and modelled seconds, with the bound."""
        with styled():
            return three_panels(self.curves())

    def replicas_figure(self) -> Figure:
        """Spread over replicas of what is shown at the last step, beside the run that a theorem
        tunes where that shows the same.

        Raises:
            ValueError: there is one replica.
        """
        what = shown(self.result)
        errors = {self.row.key if self.proven is None else "best of a grid": what.samples[:, -1]}
        if self.proven is not None and shown(self.proven).quantity == what.quantity:
            errors["its theorem"] = shown(self.proven).samples[:, -1]
        runs = tuple(
            RunErrors(name, one, *(float(end[0]) for end in middle(one[:, None], self.heavy)))
            for name, one in errors.items()
        )
        replicas = len(runs[0].errors)
        title = f"{self.row.key} on {self.problem.name}, n = {self.problem.n}, {replicas} replicas"
        label = re.sub(r"\\mathrm\{E\}(\\,)?", "", LABELS[what.quantity])  # of each, no mean
        with styled():
            return spread_figure(SpreadCurves(title, label, centre_of(self.heavy), runs))

    def _repr_html_(self) -> str:
        import pandas as pd

        last = pd.DataFrame(self.quantities())
        theorem = self.theorem
        description = f"no theorem tunes it: {self.row.why}" if theorem is None else str(theorem)
        title = f"{self.row.key} on {self.problem.name}, n = {self.problem.n}"
        several = len(self.result.trace.suboptimality) > 1
        spread = [picture(self.replicas_figure, f"{title}: errors over replicas")] * several
        return block(
            title,
            sentence(f"{self.result.tuned.step_text}; {description}"),
            frame_html(last),
            picture(self.figure, f"{title}: error against steps, bits and seconds"),
            *spread,
        )


def run_single(
    row: Row,
    problem: Problem,
    *,
    steps: int = 2000,
    replicas: int = 32,
    seed: int = 0,
    step: Stepsize | None = None,
    place: OnCluster | None = None,
    of_workers: bool = False,
    proven: Row | None = None,
    device: str = "cpu",
) -> Single:
    """Run a row, tuned as the catalogue tunes it, or with a ``step`` of one's own; its seconds are
    those of a cluster if there is a ``place``. If a theorem tunes the row ``proven``, its run is
    kept beside. ``of_workers``: the workers' mean error is recorded too: f at every model. All is
    computed on ``device``, ``cpu``, ``cuda`` or ``cuda:1``; stepsizes and constants on the CPU.

    Raises:
        ValueError: an argument is out of range, the row is planned, the place does not fit it, or
            this machine has no such device.
        Diverged: the run left the range of its number type.
    """
    where = usable_device(device)
    timing = (place or OnCluster()).timing(row, problem)
    row = clocked(row, timing)
    result = tuned_run(
        row, problem, steps, replicas, seed, step, timing=timing, of_workers=of_workers,
        device=where,
    )  # fmt: skip
    trace = in_cluster_time(result.trace, result.tuned.method, timing)
    other = None
    if proven is not None and proven.tune(problem, steps).theorem is not None:
        other = tuned_run(
            clocked(proven, timing), problem, steps, replicas, seed, timing=timing, device=where
        )
        other = other._replace(trace=in_cluster_time(other.trace, other.tuned.method, timing))
    return Single(row, problem, result._replace(trace=trace), timing, other)


def run_curves(series: RunSeries, title: str) -> RunCurves:
    """A run for the three panels."""
    centre = centre_of(series.heavy)
    return RunCurves(
        title=title,
        label=LABELS[series.quantity],
        steps=series.steps,
        mean=series.mean,
        low=series.low,
        high=series.high,
        band=MEDIAN_BAND if series.heavy else BAND,
        bits=series.sent_bits + series.received_bits,
        seconds=series.seconds,
        clock=CLOCK,
        bound=series.bound,
        bound_label=f"bound: {series.theorem.short}" if series.theorem else "bound",
        bound_order=pretty(series.theorem.order) if series.theorem else "",
        ends=series.ends,
        name=f"{centre}, {series.tuning}" if series.tuning else f"measured {centre}",
        beside=series.beside and _practice(series.beside, series.quantity),
    )


def centre_of(heavy: bool) -> str:
    """Kind of average of errors, in a word."""
    return "median" if heavy else "mean"


def _practice(series: RunSeries, quantity: str) -> RunCurves:
    """Another run beside this one, named with what it shows if that is another quantity."""
    words = "" if series.quantity == quantity else f", {LABELS[series.quantity]}"
    return replace(
        run_curves(series, ""), name=f"{centre_of(series.heavy)}, {series.tuning}{words}"
    )
