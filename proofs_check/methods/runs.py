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
from proofs_check.instruments.second_half import late_bound_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.methods.provenance_text import about, no_theorem, told
from proofs_check.methods.received import received_bill
from proofs_check.methods.run_rates import rate_in_time
from proofs_check.methods.tuned_run import (
    VACUOUS,
    TunedRun,
    at_start,
    grid_run,
    measured,
    practice,
    run_series,
    tuned_run,
)
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

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
    heard = received_bill(row, problem, played.tuned.method, played.trace, told(played))
    verdicts = [_progress(row, problem, played), _bill(row, problem, played), heard]
    verdicts += _under_bound(row, problem, played)
    if rates:
        verdicts.append(rate_in_time(row, problem, played, replicas, seed))
    series = run_series(played, problem.n)
    if both and best is not None and not played.note and not played.tuned.stepless:
        beside = practice(row, problem, best, played, min(replicas, _BESIDE), seed)
        series = replace(series, beside=beside)
    return CellResult(tuple(verdicts), (series,))


def _diverged(row: Row, problem: Problem, error: Diverged, seed: int) -> Verdict:
    return Verdict(
        subject=row.key, problem=problem.name, check="progress",
        kind=CheckKind.PROGRESS, claim="the method makes progress",
        outcome=Outcome.REFUTED, evidence=str(error), provenance=f"seed {seed}",
    )  # fmt: skip


def _progress(row: Row, problem: Problem, played: TunedRun) -> Verdict:
    """The mean squared gradient of the last record against the first, by a paired lower limit.

    f - f* in its place where minima are no stationary points, f is not smooth, or gradients may
    grow on the way down. Refuted is what rises for sure.
    """
    series, name = played.trace.squared_gradient, "||grad f||^2"
    if only_agrees(series, played.trace.consensus):
        series, name = played.trace.consensus, "consensus distance"
    elif not _falls_to_zero(problem):
        series, name = played.trace.suboptimality, "f - f*"
    first, last = series[:, 0], series[:, -1]
    drop = first - last
    half = quantile(TEST_ERROR, len(drop)) * float(drop.std(ddof=1)) / math.sqrt(len(drop))
    ratio = float(last.mean() / first.mean()) if first.mean() > 0 else float("nan")
    sure = float(drop.mean()) - half > 0
    unsure = Outcome.REFUTED if _rises(first, last) else Outcome.COMPARED
    return Verdict(
        subject=row.key, problem=problem.name, check="progress", kind=CheckKind.PROGRESS,
        claim=f"{name} falls from start to end",
        outcome=Outcome.SUPPORTED if sure else unsure,
        statistic=ratio, bound=1.0, uncertainty=half / float(first.mean()),
        resolution=2 * half / float(first.mean()),
        evidence=f"{name} {first.mean():.4g} -> {last.mean():.4g}",
        provenance=f"{told(played)}, error {TEST_ERROR:g}",
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


def _bill(row: Row, problem: Problem, played: TunedRun) -> Verdict:
    """Bits per message in the ledger against the closed form: exact, or a bound if they vary."""
    account = played.trace.account
    bits = 8 * problem.dtype.itemsize
    stated, fixed = row.message_bits(problem, bits)
    messages, sent = account.sent_messages.sum().item(), account.sent_bits.sum().item()
    claim = f"ledger bits {'=' if fixed else '<='} messages x closed-form length"
    if messages == 0:
        return Verdict(
            row.key, claim, "bits", Outcome.NOT_APPLICABLE,
            kind=CheckKind.BITS, problem=problem.name,
            evidence="no message was sent", provenance=told(played),
        )  # fmt: skip
    mean = sent / messages
    held = sent == messages * stated if fixed else mean <= stated + _noise_of(account)
    within = Outcome.AGREES if fixed else Outcome.COMPARED
    return Verdict(
        subject=row.key, problem=problem.name, check="bits", kind=CheckKind.BITS,
        claim=claim,
        outcome=within if held else Outcome.REFUTED,
        statistic=mean, bound=float(stated),
        evidence=f"{sent:.0f} bits in {messages:.0f} messages sent; d={problem.d}, "
        f"{bits}-bit floats",
        provenance=told(played),
    )  # fmt: skip


def _noise_of(account: Account) -> float:
    """How far the mean length of a message [bits] may lie above its expectation by chance: lengths
    are not negative, so that a lower limit holds whatever their law."""
    bits = account.sent_bits.double().sum(-1) / account.sent_messages.double().sum(-1)
    if bits.numel() < 2:
        return 0.0
    return float(bits.mean()) - lower_end(bits, TEST_ERROR)


def _under_bound(row: Row, problem: Problem, played: TunedRun) -> tuple[Verdict, ...]:
    theorem = played.tuned.theorem
    claim = f"whole curve under {theorem.name}" if theorem else "whole curve under a bound"
    series = measured(played.trace, theorem.metric) if theorem else None
    if theorem is None or series is None:
        return (no_theorem(row, problem, played, "curve under bound", claim),)
    bound = theorem.bound(played.constants, played.tuned.step, played.trace.steps.astype(float))
    keep = np.isfinite(series).all(axis=0)
    verdict = curve_under_bound(
        series[:, keep], bound[keep], TEST_ERROR, subject=row.key, problem=problem.name,
        claim=claim,
        provenance=f"{theorem.source} ({theorem.confidence.value}); {told(played)}",
        floor=1e-13,
    )  # fmt: skip
    late = late_bound_verdict(
        at_start(played.trace, series), series[:, keep], bound[keep], TEST_ERROR, subject=row.key,
        problem=problem.name, theorem=theorem.name, provenance=told(played), floor=1e-13,
    )  # fmt: skip
    return _said(about(verdict, theorem), played), about(late, theorem)


def _said(verdict: Verdict, played: TunedRun) -> Verdict:
    """With a word where the bound says nothing of this run, however true it is."""
    if not played.vacuous:
        return verdict
    return replace(verdict, evidence=f"{verdict.evidence}; {VACUOUS}")
