"""One catalogue row on one problem: the run, what theory says of it, and whether it held.

The row is tuned by the first of its theorems whose assumptions hold (else by a cautious rule); the
whole measured curve is held under that theorem's bound, the rate in T is fitted, and the bits in
the ledger are held against the closed form.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import stats

from algorithms.catalogue import Row
from algorithms.problems.base import Problem
from algorithms.run import Diverged
from algorithms.trace import only_agrees
from algorithms.tuning.grid import Best
from proofs_check.cell import CellResult
from proofs_check.instruments.rates import curve_under_bound, fit_power, rate_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.methods.received import received_bill
from proofs_check.methods.sweep import horizons
from proofs_check.methods.tuned_run import (
    VACUOUS,
    TunedRun,
    grid_run,
    measured,
    practice,
    run_series,
    tuned_run,
)
from proofs_check.verdict import Outcome, Verdict
from theory.constants import MissingConstants
from theory.theorem import Theorem

_BESIDE = 8  # replicas of the run that is drawn beside a theorem's
_STATIONARY = 1e-6  # what is left of a gradient at a minimiser that was found by iteration


def run_row(
    row: Row, problem: Problem, *, steps: int, replicas: int, seed: int, rates: bool = True,
    best: Best | None = None, both: bool = True,
) -> CellResult:  # fmt: skip
    """All that one row shows on one problem.

    ``best`` is what a grid's search found there: it tunes where no theorem does; else, where
    ``both`` are wanted, it is drawn beside the theorem's run, in a few replicas.
    """
    try:
        if best is not None and row.tune(problem, steps).theorem is None:
            played = grid_run(row, problem, best, steps, replicas, seed)
        else:
            played = tuned_run(row, problem, steps, replicas, seed)
    except Diverged as error:
        return CellResult((_diverged(row, problem, error, seed),))
    heard = received_bill(row, problem, played.tuned.method, played.trace, _told(played))
    verdicts = [_progress(row, problem, played), _bill(row, problem, played), heard]
    verdicts.append(_under_bound(row, problem, played))
    if rates:
        verdicts.append(_rate(row, problem, played, replicas, seed))
    series = run_series(played, problem.n)
    if both and best is not None and not played.note and not played.tuned.stepless:
        beside = practice(row, problem, best, played, min(replicas, _BESIDE), seed)
        series = replace(series, beside=beside)
    return CellResult(tuple(verdicts), (series,))


def _told(played: TunedRun, seed: int | None = None) -> str:
    trace = played.trace
    return (
        f"seed {trace.seed if seed is None else seed}, {len(trace.squared_gradient)} replicas, "
        f"{played.steps} steps, {played.tuned.step_text}{f', {played.note}' if played.note else ''}"
    )


def _diverged(row: Row, problem: Problem, error: Diverged, seed: int) -> Verdict:
    return Verdict(
        subject=row.key, problem=problem.name, check="progress", claim="the method makes progress",
        outcome=Outcome.REFUTED, evidence=str(error), provenance=f"seed {seed}",
    )  # fmt: skip


def _progress(row: Row, problem: Problem, played: TunedRun) -> Verdict:
    """The mean squared gradient of the last record against the first, by a paired lower limit.

    f - f* in its place where minima are no stationary points, or f is not smooth.
    """
    series, name = played.trace.squared_gradient, "||grad f||^2"
    if only_agrees(series, played.trace.consensus):
        series, name = played.trace.consensus, "consensus distance"
    elif not _falls_to_zero(problem):
        series, name = played.trace.suboptimality, "f - f*"
    first, last = series[:, 0], series[:, -1]
    drop = first - last
    half = float(stats.t.isf(TEST_ERROR, len(drop) - 1) * drop.std(ddof=1) / np.sqrt(len(drop)))
    ratio = float(last.mean() / first.mean()) if first.mean() > 0 else float("nan")
    sure = float(drop.mean()) - half > 0
    unsure = Outcome.COMPARED if ratio < 1 else Outcome.REFUTED
    return Verdict(
        subject=row.key, problem=problem.name, check="progress",
        claim=f"{name} falls from start to end",
        outcome=Outcome.SUPPORTED if sure else unsure,
        statistic=ratio, bound=1.0, uncertainty=half / float(first.mean()),
        resolution=2 * half / float(first.mean()),
        evidence=f"{name} {first.mean():.4g} -> {last.mean():.4g}",
        provenance=f"{_told(played)}, error {TEST_ERROR:g}",
    )  # fmt: skip


def _falls_to_zero(problem: Problem) -> bool:
    """Whether the gradient does on the way to the minimum; where that is not known it is said to.

    Not where f has kinks (no L is stated), nor where a set keeps x* from the minimum over R^d.
    """
    if problem.f_star is None or problem.x_star is None:
        return True
    slope = problem.mean_gradient(problem.x_star).norm()
    here = problem.mean_gradient(problem.start()).norm()
    return problem.constants().L is not None and bool(slope <= _STATIONARY * (1 + here))


def _bill(row: Row, problem: Problem, played: TunedRun) -> Verdict:
    """Bits per message in the ledger against the closed form: exact, or a bound if they vary."""
    account = played.trace.account
    bits = 8 * problem.dtype.itemsize
    stated, fixed = row.message_bits(problem, bits)
    messages, sent = account.sent_messages.sum().item(), account.sent_bits.sum().item()
    claim = f"ledger bits {'=' if fixed else '<='} messages x closed-form length"
    if messages == 0:
        return Verdict(
            row.key, claim, "bits", Outcome.NOT_APPLICABLE, problem=problem.name,
            evidence="no message was sent", provenance=_told(played),
        )  # fmt: skip
    mean = sent / messages
    held = sent == messages * stated if fixed else mean <= stated
    within = Outcome.AGREES if fixed else Outcome.COMPARED
    return Verdict(
        subject=row.key, problem=problem.name, check="bits",
        claim=claim,
        outcome=within if held else Outcome.REFUTED,
        statistic=mean, bound=float(stated),
        evidence=f"{sent:.0f} bits in {messages:.0f} messages sent; d={problem.d}, "
        f"{bits}-bit floats",
        provenance=_told(played),
    )  # fmt: skip


def _reasons(row: Row, played: TunedRun) -> str:
    """Why none of the row's theorems applies, or cannot be held against a trace."""
    theorem = played.tuned.theorem
    if theorem is not None:
        return (
            f"{theorem.name} applies; its metric ({theorem.metric.value}) is not in a trace, or"
            " it has no order in T: its bound has a check of its own"
        )
    told = [f"{theorem.name}: {_reason(theorem, played)}" for theorem in row.theorems]
    return " | ".join(told) or row.why or "no theorem is stated for this row"


def _reason(theorem: Theorem, played: TunedRun) -> str:
    missing = played.constants.missing(theorem.needs)
    if missing:
        return f"needs {', '.join(missing)}"
    try:
        step = theorem.stepsize(played.constants, played.steps)
    except MissingConstants as error:
        return str(error)
    return "; ".join(theorem.violations(played.constants, step, played.steps))


def _no_theorem(row: Row, problem: Problem, played: TunedRun, check: str, claim: str) -> Verdict:
    return Verdict(
        subject=row.key, problem=problem.name, check=check, claim=claim,
        outcome=Outcome.NOT_APPLICABLE, evidence=_reasons(row, played),
        provenance=_told(played),
    )  # fmt: skip


def _under_bound(row: Row, problem: Problem, played: TunedRun) -> Verdict:
    theorem = played.tuned.theorem
    claim = f"whole curve under {theorem.name}" if theorem else "whole curve under a bound"
    series = measured(played.trace, theorem.metric) if theorem else None
    if theorem is None or series is None:
        return _no_theorem(row, problem, played, "curve under bound", claim)
    bound = theorem.bound(played.constants, played.tuned.step, played.trace.steps.astype(float))
    keep = np.isfinite(series).all(axis=0)
    verdict = curve_under_bound(
        series[:, keep], bound[keep], TEST_ERROR, subject=row.key, problem=problem.name,
        claim=claim,
        provenance=f"{theorem.source} ({theorem.confidence.value}); {_told(played)}",
        floor=1e-13,
    )  # fmt: skip
    return _said(_about(verdict, theorem), played)


def _about(verdict: Verdict, theorem: Theorem) -> Verdict:
    """With the theorem's name; what rests on memory or orders alone is compared, not asserted."""
    outcome = verdict.outcome if theorem.confidence.assertable else Outcome.COMPARED
    return replace(verdict, outcome=outcome, theorem=theorem.name)


def _said(verdict: Verdict, played: TunedRun) -> Verdict:
    """With a word where the bound says nothing of this run, however true it is."""
    if not played.vacuous:
        return verdict
    return replace(verdict, evidence=f"{verdict.evidence}; {VACUOUS}")


def _rate(row: Row, problem: Problem, played: TunedRun, replicas: int, seed: int) -> Verdict:
    """Exponent of T in the theorem's metric: along one curve where the stepsize is anytime, else
    over horizons each tuned for itself."""
    theorem = played.tuned.theorem
    claim = "rate in T of the theorem's metric"
    power = theorem.order.exponents.get("T") if theorem else None
    if theorem is None or power is None or measured(played.trace, theorem.metric) is None:
        return _no_theorem(row, problem, played, "rate in T", claim)
    if played.vacuous:  # shorter horizons are further still from what the order is about
        unsaid = _no_theorem(row, problem, played, "rate in T", claim)
        return replace(unsaid, evidence=f"{theorem.name} applies, but {VACUOUS}")
    times, values = horizons(row, problem, played, theorem.metric, replicas, seed)
    try:
        fit = fit_power(times, values, TEST_ERROR)
    except ValueError as error:
        return Verdict(
            subject=row.key, problem=problem.name, check="rate in T", claim=claim,
            outcome=Outcome.COMPARED, order=f"T^{float(power):g}", evidence=str(error),
            provenance=_told(played),
        )  # fmt: skip
    verdict = rate_verdict(
        fit, float(power), False, subject=row.key, problem=problem.name,
        claim=f"{theorem.metric.value} is {theorem.order} ({theorem.name})",
        provenance=f"{theorem.source}; {_told(played)}, error {TEST_ERROR:g}",
    )  # fmt: skip
    return _about(_settled(verdict), theorem)


def _settled(verdict: Verdict) -> Verdict:
    """An order is a limit, so a slope short of it at these horizons is told, not called a fault.

    What the theorem states of every horizon, its bound, is held over the whole curve; orders are
    asserted in ``studies``, where the setting is chosen for the leading term to rule.
    """
    if verdict.outcome is not Outcome.REFUTED:
        return verdict
    evidence = f"{verdict.evidence}; these horizons are short of the leading term's regime"
    return replace(verdict, outcome=Outcome.COMPARED, evidence=evidence)
