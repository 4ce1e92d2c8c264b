"""Error against the number of workers when every worker may send the same number of bits.

What a practitioner asks of compression: more workers average more noise away, compression buys more
steps, and some methods (one without memory, a shared quantisation) stop gaining.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.catalogue import Row
from algorithms.engine.run import Diverged, Trace, run
from algorithms.problems.base import Problem
from algorithms.tuning.grid import Best
from proofs_check.cell import CellResult
from proofs_check.curves import WorkerSeries, band
from proofs_check.instruments.rates import fit_power
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

SIZES = (1, 2, 4, 8, 16, 32)
PROBLEM = "quadratic-sc"
DENSE_MESSAGES = 50
"""The budget: so many uncompressed gradients a worker."""

MOST_STEPS = 1200
REPLICAS = 16
_CHECK = "error against workers"


def error_at_budget(
    row: Row, build: Callable[[int], Problem], seed: int = 1, sizes: tuple[int, ...] = SIZES,
    best: Best | None = None,
) -> CellResult:  # fmt: skip
    """E f - f* where each worker has sent ``DENSE_MESSAGES`` dense messages' worth of bits.

    ``build(n)`` makes the problem called ``PROBLEM`` for n workers, which are those of ``sizes``.
    A method that cannot spend its budget in ``MOST_STEPS`` steps is taken there; ``spent`` says how
    much of the budget that was. Nothing is asserted: "compared", with the fitted exponent of n.
    ``best`` tunes every run, so that rows are told apart and not their theorems; without it each
    has its theorem's stepsize, or a cautious one.
    """
    least = row.recipe.least_workers if row.recipe else 1
    sizes = tuple(n for n in sizes if n >= least)
    try:
        points = [_at(row, build(n), seed, best) for n in sizes]
    except Diverged as error:
        verdict = Verdict(
            subject=row.key, problem=PROBLEM, check=_CHECK,
            kind=CheckKind.WORKERS, claim="the method makes progress",
            outcome=Outcome.REFUTED, evidence=str(error), provenance=f"seed {seed}",
        )  # fmt: skip
        return CellResult((verdict,))
    y = np.stack([gap for gap, _ in points], axis=1)
    spent = np.array([share for _, share in points])
    x = np.array(sizes, dtype=np.float64)
    series = WorkerSeries(x, *band(y), spent=spent)
    description = "tuned by theorem or guess" if best is None else best.description
    return CellResult((_verdict(row, x, y, spent, f"seed {seed}, {description}"),), (series,))


def _at(row: Row, built: Problem, seed: int, best: Best | None) -> tuple[Floats, float]:
    """Suboptimality ``[R]`` at the budget, and the share of the budget that was spent."""
    budget = DENSE_MESSAGES * built.d * 8 * built.dtype.itemsize
    bits, _ = row.message_bits(built, 8 * built.dtype.itemsize)
    steps = max(20, min(MOST_STEPS, round(budget / max(bits, 1.0))))
    tuned = row.tune(built, steps) if best is None else best.tuned(row, built, steps)
    trace = run(tuned.method, built, steps=steps, seed=seed, replicas=REPLICAS)
    return _interpolated(trace, budget)


def _interpolated(trace: Trace, budget: float) -> tuple[Floats, float]:
    """The first record at or beyond the budget, else the last."""
    spent = trace.sent_bits.mean(0)
    at = min(int(np.searchsorted(spent, budget)), len(spent) - 1)
    return trace.suboptimality[:, at], float(min(1.0, spent[at] / budget))


def _verdict(row: Row, x: Floats, y: Floats, spent: Floats, how: str) -> Verdict:
    claim = f"E f - f* falls with n at {DENSE_MESSAGES} dense messages' worth of bits a worker"
    description = f"{how}, {REPLICAS} replicas, n from {x[0]:g} to {x[-1]:g}"
    evidence = f"{y[:, 0].mean():.3g} at n = {x[0]:g}, {y[:, -1].mean():.3g} at n = {x[-1]:g}"
    try:
        fit = fit_power(x, y, TEST_ERROR)
    except ValueError as error:
        return Verdict(
            subject=row.key, problem=PROBLEM, check=_CHECK, kind=CheckKind.WORKERS, claim=claim,
            outcome=Outcome.COMPARED, evidence=f"{evidence}; {error}", provenance=description,
        )  # fmt: skip
    return Verdict(
        subject=row.key, problem=PROBLEM, check=_CHECK,
        kind=CheckKind.WORKERS, claim=claim, outcome=Outcome.COMPARED,
        statistic=fit.slope, bound=0.0, uncertainty=fit.half_width, resolution=fit.resolution,
        evidence=f"{evidence}; exponent of n {fit.slope:.3f} +- {fit.half_width:.2g}; "
        f"{spent.min():.0%} to {spent.max():.0%} of the budget spent",
        provenance=description,
    )  # fmt: skip
