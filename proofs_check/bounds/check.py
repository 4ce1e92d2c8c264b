"""A theorem in a setting where its assumptions hold: the whole curve must lie under its bound.

The stepsize is the theorem's own, the constants are those of the method on the problem and what
the setting states beside; a theorem whose assumptions fail gives "not applicable" and says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import record_steps
from algorithms.methods.base import Method
from algorithms.methods.parts.push import PushState
from algorithms.problems.base import Problem
from proofs_check.bounds.exact_start import exact_start
from proofs_check.cell import CellResult
from proofs_check.curves import RunSeries, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.graph_ladder import potential
from proofs_check.instruments.paths import path
from proofs_check.instruments.power_laws.average import bound_slope
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.regret import RegretSeries, regrets
from proofs_check.instruments.under_bound import curve_under_bound, late_bound_verdict
from proofs_check.methods.run_series import cited
from proofs_check.methods.tuned_run import at_start, measured
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.theorem import Metric, Theorem

Make = Callable[[Stepsize, Problem, int], Method[Any]]
Series = tuple[Floats, Floats, tuple[Floats, Floats], float]

REPLICAS = 64
_SEED = 91
_READ = ("x", "view", "local", "told", "versions")  # what states call points of gradients
_PROBE = ConstantStep(1.0)  # the method's constants do not depend on its stepsize


def nothing_more(problem: Problem) -> Constants:
    """The setting states no more than problem and method do."""
    return Constants()


@final
@dataclass(frozen=True)
class BoundCheck:
    """``theorem`` on the survey's ``row``: ``make(step, problem, steps)`` on ``setting()``.

    ``states(problem)`` adds what is true of this setting by construction, a G2 within the ball of
    ``radius`` around 0 only. ``rated`` fits the exponent of T over four horizons too, each with the
    stepsize prescribed for it.
    """

    row: str
    problem: str
    theorem: Theorem
    setting: Callable[[], Problem]
    make: Make
    steps: int
    states: Callable[[Problem], Constants] = nothing_more
    radius: float = np.inf
    rated: bool = False

    @property
    def name(self) -> str:
        """Row, theorem and problem."""
        return f"{self.row}:{self.theorem.name}:{self.problem}"

    def constants(self, problem: Problem) -> Constants:
        """Known constants of method, problem and setting."""
        method = self.make(_PROBE, problem, self.steps)
        return method.constants(problem).merge(self.states(problem)).completed()

    def result(self) -> CellResult:
        """64 replicas with the theorem's stepsize, held under its bound at every record."""
        problem = self.setting()
        c = self.constants(problem)
        step = self.theorem.stepsize(c, self.steps)
        broken = self.theorem.violations(c, step, self.steps)
        if broken:
            return CellResult((self._judged(Outcome.NOT_APPLICABLE, "; ".join(broken), step),))
        try:
            times, series, bits, start = self._series(problem, c, step)
        except Diverged as failure:
            return CellResult((self._judged(Outcome.REFUTED, str(failure), step),))
        if not np.isfinite(series).all():
            return CellResult((self._judged(Outcome.REFUTED, "the metric overflows", step),))
        bound = self.theorem.bound(c, step, times)
        verdict = curve_under_bound(
            series, bound, ALPHA, subject=self.row, problem=self.problem, floor=1e-13,
            claim=f"whole curve of {self.theorem.metric.value} under {self.theorem.name}",
            provenance=self._described(step),
        )  # fmt: skip
        run = RunSeries(
            self.theorem.metric.value, times, *band(series), sent_bits=bits[0],
            received_bits=bits[1], bound=bound, theorem=cited(self.theorem),
        )  # fmt: skip
        held = replace(verdict, theorem=self.theorem.name)
        late = late_bound_verdict(
            start, series, bound, ALPHA, subject=self.row, problem=self.problem,
            theorem=self.theorem.name, provenance=self._described(step), floor=1e-13,
        )  # fmt: skip
        rate = self._rate(step, times, series, bound)
        rates = () if rate is None else (rate,)
        begins = exact_start(self.theorem, c, step, start, subject=self.row, problem=self.problem)
        stays = (*self._ball(problem, step), *self._domain(problem, c, step))
        return CellResult((held, late, *rates, *begins, *stays), (run,))

    def _rate(self, step: Stepsize, times: Floats, series: Floats, bound: Floats) -> Verdict | None:
        """The exponent of T against the bound's own from T/8 on: along the run where stepsizes are
        anytime, else over horizons, if it is ``rated``."""
        if "T" not in self.theorem.order.exponents:
            return None
        if isinstance(step, InverseTimeStep):
            tail = times >= self.steps / 8
            return self._judged_rate(times[tail], series[:, tail], bound[tail])
        return self._over_horizons(series[:, -1], bound[-1]) if self.rated else None

    def _over_horizons(self, last: Floats, limit: float) -> Verdict | None:
        """Three shorter runs beside the one that ended at ``last`` ``[R]`` under ``limit``."""
        problem = self.setting()
        ends, limits = [last], [limit]
        for k in (1, 2, 3):
            short = replace(self, steps=self.steps >> k)
            c = short.constants(problem)
            step = self.theorem.stepsize(c, short.steps)
            times, series, _, _ = short._series(problem, c, step, _SEED + k)
            ends.insert(0, series[:, -1])
            limits.insert(0, float(self.theorem.bound(c, step, times)[-1]))
        x = np.array([float(self.steps >> k) for k in (3, 2, 1, 0)])
        return self._judged_rate(x, np.stack(ends, axis=1), np.array(limits))

    def _judged_rate(self, x: Floats, ends: Floats, due: Floats) -> Verdict | None:
        theorem = self.theorem
        power = float(theorem.order.exponents["T"])
        try:
            fit = fit_power(x, ends, ALPHA, groups=REPLICAS)
        except ValueError:
            return None
        verdict = rate_verdict(
            fit, power, False, subject=self.row,
            problem=self.problem, reference=max(power, bound_slope(x, due, fit.points)),
            claim=f"{theorem.metric.value} falls with T as fast as {theorem.name} for T from "
            f"{x[0]:g} to {x[-1]:g}",
            provenance=f"{theorem.source}; {REPLICAS} replicas, error {ALPHA:g}",
        )  # fmt: skip
        return replace(verdict, theorem=theorem.name)

    def _series(self, problem: Problem, c: Constants, step: Stepsize, seed: int = _SEED) -> Series:
        """Times after the start ``[K]``, the metric ``[R, K]``, bits sent and received ``[K]``, the
        metric's mean at the start."""
        if self.theorem.metric is Metric.AVERAGE_REGRET:
            return self._regretted(problem, step, seed)
        if self.theorem.metric.of_agreement:
            return self._followed(problem, step, potential_of, Over.NOW)
        method = self.make(step, problem, self.steps)
        if self.theorem.metric is Metric.AVERAGE_GRADIENT_ONE_NORM:
            return self._followed(problem, step, one_norm(method, problem), Over.AVERAGE)
        if self.theorem.metric is Metric.MINIMUM_SQUARED_GRADIENT:
            return self._followed(problem, step, squared_gradient(method, problem), Over.LEAST)
        return self._descent(problem, c, step, seed)

    def _descent(self, problem: Problem, c: Constants, step: Stepsize, seed: int = _SEED) -> Series:
        weighted = self.theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY
        averaged = self.theorem.metric is Metric.AVERAGE_SQUARED_GRADIENT

        def weight(t: int) -> float:
            return self.theorem.weight(c, step, t)

        trace = run(
            self.make(step, problem, self.steps), problem, steps=self.steps, seed=seed,
            replicas=REPLICAS, every=int(averaged), weight=weight if weighted else None,
        )  # fmt: skip
        series = measured(trace, self.theorem.metric)
        assert series is not None
        bits = trace.sent_bits.mean(axis=0)[1:], trace.received_bits.mean(axis=0)[1:]
        return trace.steps[1:].astype(np.float64), series[:, 1:], bits, at_start(trace, series)

    def _regretted(self, problem: Problem, step: Stepsize, seed: int) -> Series:
        """Average regret by whole clocks; at the start that of gradients taken there."""
        found = self._regrets(problem, step, seed)
        assert problem.f_star is not None
        start = float(problem.value(problem.start())) - problem.f_star
        return found.gradients, found.average, (found.sent, found.received), start

    def _regrets(self, problem: Problem, step: Stepsize, seed: int = _SEED) -> RegretSeries:
        method, point = self.make(step, problem, self.steps), problem.x_star
        assert point is not None
        return regrets(method, problem, point, self.steps, seed=seed, replicas=REPLICAS)

    def _followed(
        self, problem: Problem, step: Stepsize, look: Callable[[Any], Tensor], over: Over
    ) -> Series:
        """Values of ``look`` in the states, or ``over`` all states before; the mean of replicas'
        least values is at most the least mean."""
        due = set(record_steps(self.steps, 200)[1:].tolist())
        times, columns, sent, received = [], [], [], []
        method = self.make(step, problem, self.steps)
        start, before = 0.0, torch.full((REPLICAS,), over.first, dtype=torch.float64)
        for t, state, context in path(method, problem, self.steps, seed=_SEED, replicas=REPLICAS):
            seen = look(state)
            if t == 0:
                start = float(seen.mean())
            if t in due:
                account = context.network.account((REPLICAS,))
                times.append(float(t))
                value = before / t if over is Over.AVERAGE else before
                columns.append((seen if over is Over.NOW else value).numpy().copy())
                sent.append(account.sent_bits.double().mean().item())
                received.append(account.received_bits.double().mean().item())
            before = torch.minimum(before, seen) if over is Over.LEAST else before + seen
        return (
            np.array(times),
            np.stack(columns, axis=1),
            (np.array(sent), np.array(received)),
            start,
        )

    def _ball(self, problem: Problem, step: Stepsize) -> tuple[Verdict, ...]:
        """Whether a bounded second moment that holds in a ball was used inside that ball."""
        radius = min(self.radius, problem.G2_radius)
        if "G2" not in self.theorem.needs or radius == np.inf:
            return ()
        method = self.make(step, problem, self.steps)
        moments = path(method, problem, self.steps, seed=_SEED, replicas=REPLICAS)
        longest = max(
            float(torch.linalg.norm(rows, dim=-1).max())
            for m in moments
            for rows in (method.models(m.state), *(getattr(m.state, name, None) for name in _READ))
            if isinstance(rows, Tensor)
        )
        inside = longest <= radius
        verdict = Verdict(
            subject=self.row, problem=self.problem, check="assumption", kind=CheckKind.ASSUMPTION,
            claim="the run stays in the ball where the stated G2 holds",
            outcome=Outcome.SUPPORTED if inside else Outcome.REFUTED,
            statistic=longest, bound=radius, tightness=longest / radius,
            evidence=f"largest ||x_i|| of all steps {longest:.4g}, radius {radius:.4g}",
            provenance=self._described(step),
        )  # fmt: skip
        return (verdict,)

    def _domain(self, problem: Problem, c: Constants, step: Stepsize) -> tuple[Verdict, ...]:
        """Whether all points that occur lie within the diameter that was used."""
        if "diameter" not in self.theorem.needs:
            return ()
        spread, most = self._regrets(problem, step).spread, c.need("diameter")
        verdict = Verdict(
            subject=self.row, problem=self.problem, check="assumption", kind=CheckKind.ASSUMPTION,
            claim="all points that occur lie within the stated diameter",
            outcome=Outcome.SUPPORTED if spread <= most else Outcome.REFUTED,
            statistic=spread, bound=most, tightness=spread / most,
            evidence=f"no two points of a replica lie {spread:.4g} apart, diameter {most:.4g}",
            provenance=self._described(step),
        )  # fmt: skip
        return (verdict,)

    def _judged(self, outcome: Outcome, evidence: str, step: Stepsize) -> Verdict:
        return Verdict(
            subject=self.row, problem=self.problem, check="curve under bound",
            kind=CheckKind.BOUND, outcome=outcome,
            claim=f"{self.theorem.name} applies", evidence=evidence,
            provenance=self._described(step),
        )  # fmt: skip

    def _described(self, step: Stepsize) -> str:
        return (
            f"{self.theorem.source} ({self.theorem.confidence.value}); seed {_SEED}, {REPLICAS} "
            f"replicas, {self.steps} steps, {step}, error {ALPHA:g}"
        )


class Over(Enum):
    """States that a value is taken over: the present one, or all before it."""

    NOW = "now"
    AVERAGE = "average"
    LEAST = "least"

    @property
    def first(self) -> float:
        """What all before are before the first."""
        return np.inf if self is Over.LEAST else 0.0


def potential_of(state: Any) -> Tensor:
    """Potential of gossip ``[...]``: distances to the mean, with push-sum sum_i ||s_i - xbar
    w_i||^2."""
    if not isinstance(state, PushState):
        return potential(state)
    mean = state.s.mean(-2, keepdim=True)
    return (state.s - mean * state.w).square().sum((-2, -1))


def one_norm(method: Method[Any], problem: Problem) -> Callable[[Any], Tensor]:
    """||grad f||_1 at the mean model of a state ``[...]``."""
    return lambda state: problem.mean_gradient(method.models(state).mean(-2)).abs().sum(-1)


def squared_gradient(method: Method[Any], problem: Problem) -> Callable[[Any], Tensor]:
    """||grad f||^2 at the mean model of a state ``[...]``."""
    return lambda state: problem.mean_gradient(method.models(state).mean(-2)).square().sum(-1)
