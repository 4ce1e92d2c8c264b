"""One catalogue row on one problem: the run, what theory says of it, and whether it held.

The row is tuned by the first of its theorems whose assumptions hold (else by a cautious rule); the
whole measured curve is held under that theorem's bound, the rate in T is fitted, and the bits in
the ledger are held against the closed form.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from algorithms.catalogue import Row
from algorithms.engine.run import Diverged
from algorithms.engine.trace import only_agrees
from algorithms.network.ledger import Account
from algorithms.problems.base import Problem
from algorithms.tuning.grid import Best
from proofs_check.cell import CellResult
from proofs_check.instruments.betting import lower_end
from proofs_check.instruments.limits import quantile
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.under_bound import curve_under_bound, late_bound_verdict
from proofs_check.methods.received import received_traffic
from proofs_check.methods.run_rates import rates_by_variable
from proofs_check.methods.run_series import practice, run_series
from proofs_check.methods.tuned_run import VACUOUS, TunedRun, about, at_start, grid_run, tuned_run
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

_BESIDE = 8  # replicas of the run that is drawn beside a theorem's
_STATIONARY = 1e-6  # what is left of a gradient at a minimiser that was found by iteration
_FLOOR = 1e-13  # of a metric, below which it is rounding


def run_row(
    row: Row, problem: Problem, *, steps: int, replicas: int, seed: int, rates: bool = True,
    best: Best | None = None, both: bool = True,
) -> CellResult:  # fmt: skip
    """All that one row shows on one problem: prepared and run, judged, and its series.

    ``best`` is what a grid's search found there: it tunes where no theorem does; else, where
    ``both`` are wanted, it is drawn beside the theorem's run, in a few replicas.
    """
    try:
        if best is not None and row.tune(problem, steps).theorem is None:
            result = grid_run(row, problem, best, steps, replicas, seed)
        else:
            result = tuned_run(row, problem, steps, replicas, seed)
    except Diverged as error:
        diverged = Verdict(
            row.key, "the method makes progress", "progress", Outcome.REFUTED,
            kind=CheckKind.PROGRESS, problem=problem.name, evidence=str(error),
            provenance=f"seed {seed}",
        )  # fmt: skip
        return CellResult((diverged,))
    incoming = received_traffic(row, problem, result.tuned.method, result.trace, result.description)
    verdicts = (_progress(result), _bill(result), incoming, *_under_bound(result))
    if rates:
        verdicts += rates_by_variable(result)
    series = run_series(result)
    if both and best is not None and not result.note and not result.tuned.stepless:
        series = replace(series, beside=practice(best, result, min(replicas, _BESIDE)))
    return CellResult(verdicts, (series,))


def _progress(result: TunedRun) -> Verdict:
    """The mean squared gradient of the last record against the first, by a paired lower limit.

    f - f* in its place where minima are no stationary points, f is not smooth, or gradients may
    grow on the way down. Refuted is what rises for sure.
    """
    series, name = result.trace.squared_gradient, "||grad f||^2"
    if only_agrees(series, result.trace.consensus):
        series, name = result.trace.consensus, "consensus distance"
    elif not _falls_to_zero(result.problem):
        series, name = result.trace.suboptimality, "f - f*"
    first, last = series[:, 0], series[:, -1]
    start, drop = float(first.mean()), first - last
    half = quantile(TEST_ERROR, len(drop)) * float(drop.std(ddof=1)) / math.sqrt(len(drop))
    unsure = Outcome.REFUTED if _rises(first, last) else Outcome.COMPARED
    return result.judged(
        CheckKind.PROGRESS, "progress", f"{name} falls from start to end",
        Outcome.SUPPORTED if float(drop.mean()) - half > 0 else unsure,
        f"{name} {first.mean():.4g} -> {last.mean():.4g}",
        f"{result.description}, error {TEST_ERROR:g}",
        statistic=float(last.mean() / first.mean()) if start > 0 else float("nan"), bound=1.0,
        uncertainty=half / start, resolution=2 * half / start,
    )  # fmt: skip


def _rises(first: Floats, last: Floats) -> bool:
    """Whether a quantity does not fall, for sure: by Markov's inequality all R replicas end at c
    times the start or more with probability at most c^-R if their mean does not rise. One that
    stays where it was does not fall either."""
    factor = TEST_ERROR ** (-1 / len(last))
    return bool((last >= factor * first).all() or (last == first).all())


def _falls_to_zero(problem: Problem) -> bool:
    """Whether the gradient does on the way to the minimum; where that is not known it is said to.

    Not where f has kinks (no L is stated), nor where a set keeps x* from the minimum over R^d, nor
    where f* is known and f not convex: descent lowers f, over slopes that may be steeper.
    """
    if problem.f_star is None or problem.x_star is None:
        return True
    if problem.constants().convex is False:
        return False
    slope = problem.mean_gradient(problem.x_star).norm()
    here = problem.mean_gradient(problem.start()).norm()
    return problem.constants().L is not None and bool(slope <= _STATIONARY * (1 + here))


def _bill(result: TunedRun) -> Verdict:
    """Bits per message in the ledger against the closed form: exact, or a bound if they vary."""
    account, problem = result.trace.account, result.problem
    width = 8 * problem.dtype.itemsize
    stated, fixed = result.row.message_bits(problem, width)
    messages, sent = account.sent_messages.sum().item(), account.sent_bits.sum().item()
    what = (
        CheckKind.BITS,
        "bits",
        f"ledger bits {'=' if fixed else '<='} messages x closed-form length",
    )
    if messages == 0:
        return result.judged(*what, Outcome.NOT_APPLICABLE, "no message was sent")
    mean = sent / messages
    held = sent == messages * stated if fixed else mean <= stated + _noise_of(account)
    within = Outcome.AGREES if fixed else Outcome.COMPARED
    return result.judged(
        *what, within if held else Outcome.REFUTED,
        f"{sent:.0f} bits in {messages:.0f} messages sent; d={problem.d}, {width}-bit floats",
        statistic=mean, bound=float(stated),
    )  # fmt: skip


def _noise_of(account: Account) -> float:
    """Largest excess by chance of the mean length of a message [bits] over its expectation: lengths
    are not negative, so that a lower limit holds whatever their law."""
    bits = account.sent_bits.double().sum(-1) / account.sent_messages.double().sum(-1)
    if bits.numel() < 2:
        return 0.0
    return float(bits.mean()) - lower_end(bits, TEST_ERROR)


def _under_bound(result: TunedRun) -> tuple[Verdict, ...]:
    """The whole curve under its theorem's bound, with a word where that says nothing of this run,
    however true it is; and how the bound grips at the end."""
    theorem, series = result.theorem, result.series
    claim = f"whole curve under {theorem.name}" if theorem else "whole curve under a bound"
    if theorem is None or series is None:
        return (result.no_theorem(CheckKind.BOUND, "curve under bound", claim),)
    bound = result.bound(result.trace.steps.astype(float))
    keep = np.isfinite(series).all(axis=0)
    held = curve_under_bound(
        series[:, keep], bound[keep], TEST_ERROR, claim=claim, floor=_FLOOR,
        subject=result.row.key, problem=result.problem.name,
        provenance=f"{theorem.source} ({theorem.confidence.value}); {result.description}",
    )  # fmt: skip
    if result.vacuous:
        held = replace(held, evidence=f"{held.evidence}; {VACUOUS}")
    late = late_bound_verdict(
        at_start(result.trace, series), series[:, keep], bound[keep], TEST_ERROR, floor=_FLOOR,
        subject=result.row.key, problem=result.problem.name, theorem=theorem.name,
        provenance=result.description,
    )  # fmt: skip
    return about(held, theorem), about(late, theorem)
