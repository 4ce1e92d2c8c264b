"""An exact exponent as a verdict with its curve, and how it stands when something is changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from proofs_check.cell import CellResult
from proofs_check.curves import RatePanel, RateSeries
from proofs_check.facts import ExponentFacts, VariantFacts
from proofs_check.instruments.rates import rational
from proofs_check.instruments.standings import COARSE, NEAR, RateStanding, in_regime, standing_of
from proofs_check.moments.reasons import NotLinear
from proofs_check.table_iv.exact import ExactExponent, exact_exponent
from proofs_check.table_iv.trial import TableTrial
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.survey.classification import Objective

_FACTOR = 4


def exact_result(trial: TableTrial, variable: str, seed: int) -> CellResult:
    """The exponent of ``variable`` in a cell by exact moments.

    Raises:
        NotLinear: the cell's method has none.
        ValueError: nothing moves the variable, or fewer than three values are left.
    """
    found = exact_exponent(trial, variable, seed)
    verdict = exact_verdict(trial, variable, found)
    own = None if found.formula is None else found.formula.power
    variants = tuple(_variants(trial, seed)) if variable == "T" else ()
    facts = ExponentFacts(
        trial.line, str(trial.objective), variable, True, own, found.instance,
        str(trial.unstated(variable) or ""), variants,
    )  # fmt: skip
    return CellResult((verdict,), (_panel(trial, variable, found, verdict),), (facts,))


def exact_verdict(
    trial: TableTrial, variable: str, found: ExactExponent, planted: float | None = None
) -> Verdict:
    """Refuted where a theorem with constants covers the runs, its bound's own slope is the order
    and the exponent is more than NEAR above it; ``planted``: in place of the stated order."""
    power = trial.order_in(variable) if planted is None else planted
    formula, theorem = found.formula, found.theorem
    name = theorem.name if theorem else trial.result.name if trial.result else ""
    claim = f"{trial.name}: {found.metric.value} as a power of {variable}"
    evidence = f"exponent of {variable} {found.slope:.4f} +- {found.half_width:.4f}, by exact "
    evidence += f"moments; {found.description}; {found.instance}"
    if formula is not None:
        evidence += f"; the bound of {formula.name} has the exponent {formula.power:.3g} there"
        evidence += f" ({formula.description})" if formula.description else ""
    common = Verdict(
        subject=trial.row.key, problem=found.instance.partition(":")[0], kind=CheckKind.RATE,
        check=f"Table IV, rate in {variable}", claim=claim, outcome=Outcome.NOT_APPLICABLE,
        statistic=found.slope, uncertainty=found.half_width, resolution=2 * found.half_width,
        theorem=name, evidence=evidence, provenance="no noise: expectations over all draws",
    )  # fmt: skip
    if power is None:
        return replace(common, evidence=f"{evidence}; {trial.unstated(variable)}")
    own = None if formula is None else formula.power
    sure = theorem is not None and theorem.confidence.assertable and in_regime(own, power)
    outcome = Outcome.COMPARED
    if sure and found.half_width <= COARSE:
        off = found.slope - found.half_width > power + NEAR
        outcome = Outcome.REFUTED if off else Outcome.SUPPORTED
    return replace(
        common, claim=f"{claim}: exponent <= {power:g}" + (f" ({name})" if name else ""),
        outcome=outcome, order=f"{variable}^{power:g}", exponent=rational(power),
        bound=power if own is None else own, evidence=f"{evidence}; {trial.basis}",
    )  # fmt: skip


def _variants(trial: TableTrial, seed: int) -> Iterator[VariantFacts]:
    """The exponent of T again, with one thing changed each."""
    longer, shorter = (replace(trial, first=trial.first * by) for by in (_FACTOR, 1 / _FACTOR))
    tries: dict[str, Callable[[], ExactExponent]] = {
        f"T x {_FACTOR}": lambda: exact_exponent(trial, "T", seed, _FACTOR),
    }
    if trial.scheduled:  # whose periods take long to look at
        tries["seed + 1000"] = lambda: exact_exponent(trial, "T", seed + 1000)
    else:
        tries[f"first stepsize x {_FACTOR}"] = lambda: exact_exponent(longer, "T", seed)
        tries[f"first stepsize / {_FACTOR}"] = lambda: exact_exponent(shorter, "T", seed)
    for name, measure in tries.items():
        try:
            found = measure()
        except (NotLinear, ValueError):
            yield VariantFacts(name, math.nan, math.nan, str(RateStanding.UNFITTED))
            continue
        own = None if found.formula is None else found.formula.power
        order = trial.order_in("T")
        standing = standing_of(found.slope, found.half_width, order, own)
        yield VariantFacts(name, found.slope, found.half_width, str(standing))


def _panel(trial: TableTrial, variable: str, found: ExactExponent, verdict: Verdict) -> RatePanel:
    x, y = found.x, found.values
    nothing = np.full_like(x, np.nan)
    line = y[-1] * (x / x[-1]) ** found.slope
    reference = (
        nothing if verdict.exponent is None else y[-1] * (x / x[-1]) ** float(verdict.exponent)
    )
    along = trial.objective is Objective.CONVEX and variable == "T"
    series = RateSeries(x, y, nothing, nothing, line, reference, ())
    label = "T + a" if along else variable
    return RatePanel(f"{trial.name}: {trial.row.key}", label, found.metric.value, series)
