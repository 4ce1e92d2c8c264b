"""Class that fits: unbiased U(omega), contraction B(delta), both after scaling, or neither."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy

from proofs_check.audit.history import shown
from proofs_check.audit.measure import Measure
from proofs_check.audit.moments import Sample
from proofs_check.verdict import Outcome, Verdict

LEAST_DELTA = 1e-5
_EXACT = 1e-4

Simpler = Callable[[Sample, Callable[[Sample], bool]], Sample]


@final
@dataclass(frozen=True)
class Fit:
    """The class, in a word and in a sentence; ``factor`` makes cC what the sentence says of it.

    Attributes:
        name: the class, in a word.
        text: the class, in a sentence.
    """

    name: str
    text: str
    factor: float | None = None


def fit(measures: Sequence[Measure], simpler: Simpler) -> Fit:
    """The class that fits what was measured in all dimensions.

    ``simpler`` gives a plainer look that shows the same as another one.
    """
    biased = any(one.biased for one in measures)
    contracts = all(one.high < 1 for one in measures)
    if not biased:
        return _unbiased(measures, contracts, simpler)
    if contracts or not any(seen.expands for one in measures for seen in one.all):
        return _contraction(measures, contracts)
    scaled = _scaled(measures, simpler)
    if scaled is not None:
        return scaled
    return Fit("neither", f"neither unbiased nor contractive: {_witness(measures, simpler)}")


def at_all_sizes(found: Fit, sizes: Sequence[Verdict]) -> Fit:
    """The class, less what zero, huge and tiny vectors show."""
    broken = [one for one in sizes if one.outcome is Outcome.REFUTED]
    if not broken or found.name == "neither":
        return found
    description = "; ".join(f"{one.check}: {one.evidence}" for one in broken)
    if all(one.check == "zero" for one in broken):
        return Fit(
            f"{found.name}, except at zero", f"{found.text}; but {description}", found.factor
        )
    text = f"{found.text}; so at ordinary sizes, elsewhere more is lost: {description}"
    return Fit(f"{found.name}, at ordinary sizes only", text, found.factor)


def _unbiased(measures: Sequence[Measure], contracts: bool, simpler: Simpler) -> Fit:
    if any(not one.worst.look.finite for one in measures):
        return Fit("neither", f"outcomes are not finite: {_witness(measures, simpler)}")
    omegas = _constants(measures, lambda ratio: ratio)
    text = f"unbiased U(omega), omega = {omegas}"
    if contracts:
        deltas = _constants(measures, lambda ratio: 1 - ratio)
        return Fit("both", f"{text}; a contraction as it is, delta = {deltas}", 1.0)
    top = measures[-1].worst.look.ratio
    deltas = _constants(measures, lambda ratio: 1 / (1 + ratio))
    description = f"{text}; C / (1 + omega) is a contraction B(delta), delta = {deltas}"
    return Fit("unbiased", description, 1 / (1 + top))


def _contraction(measures: Sequence[Measure], settled: bool) -> Fit:
    """A contraction; where it is not ``settled``, as far as chance lets see."""
    deltas = _constants(measures, lambda ratio: 1 - ratio)
    text = f"biased contraction B(delta), delta = {deltas}"
    if not settled:
        dims = ", ".join(str(one.d) for one in measures if not one.high < 1)
        description = (
            f"{text}; no ratio of 1 was seen, but in d = {dims} delta = 0 is within reach of "
            "chance: more samples would tell"
        )
        return Fit("contraction, not settled", description)
    factors = [_common(one) for one in measures]
    if all(factor is not None for factor in factors):
        description = _list(measures, [factor for factor in factors if factor is not None])
        return Fit(
            "contraction, unbiased after scaling", f"{text}; E C(x) = c x, c = {description}"
        )
    return Fit("contraction", text)


def _common(one: Measure) -> float | None:
    """The c with E C(x) = c x at all vectors, if there is one."""
    if any(look.skewed for look in one.all):
        return None
    low = max(look.a - look.c_width for look in one.all)
    high = min(look.a + look.c_width for look in one.all)
    return (low + high) / 2 if low <= high and low > 0 else None


def _scaled(measures: Sequence[Measure], simpler: Simpler) -> Fit | None:
    """A multiple of it that is a contraction in each dimension where anything was drawn."""
    seen = [(one, [look for look in one.all if not look.undrawn]) for one in measures]
    description = [one for one, drawn in seen if drawn]
    found = [_factor(drawn) for _, drawn in seen if drawn]
    if not found or any(not pair[1] > LEAST_DELTA for pair in found):
        return None
    factors = _list(description, [pair[0] for pair in found])
    deltas = _list(description, [pair[1] for pair in found])
    text = f"biased, and no contraction as it is; c C is one, c = {factors}, delta = {deltas}"
    name = "contraction after scaling"
    if silent := ", ".join(str(one.d) for one, drawn in seen if not drawn):
        name += ", not settled"
        text += f"; in d = {silent} nothing came of any vector: more samples would tell"
    return Fit(name, f"{text}; {_witness(measures, simpler)}", found[-1][0])


def _factor(looks: Sequence[Sample]) -> tuple[float, float]:
    """The c with the smallest largest ratio c^2 b - 2 c a + 1, and its delta."""
    a, b = np.array([one.a for one in looks]), np.array([one.b for one in looks])
    if not (np.isfinite(a).all() and np.isfinite(b).all() and (b > 0).all() and (a > 0).all()):
        return math.nan, math.nan
    top = float((a / b).max())
    found = scipy.optimize.minimize_scalar(
        lambda c: float((c * c * b - 2 * c * a).max()), bounds=(0, top)
    )
    return float(found.x), -float(found.fun)


def _witness(measures: Sequence[Measure], simpler: Simpler) -> str:
    """The smallest vectors that show a bias, and a ratio of at least 1."""
    description = []
    biased = next((one.most_biased for one in measures if one.biased), None)
    if biased is not None:
        seen = simpler(biased, lambda other: other.biased)
        description.append(f"E C(x) = {shown(seen.mean)} at x = {shown(seen.x)}")
    large = next((seen for one in measures for seen in one.largest_first if seen.expands), None)
    if large is not None:
        seen = simpler(large, lambda other: other.expands)
        description.append(f"E||C(x)-x||^2/||x||^2 = {seen.ratio:.6g} at x = {shown(seen.x)}")
    return "; ".join(description)


def _constants(measures: Sequence[Measure], of: Callable[[float], float]) -> str:
    """A constant in each dimension, with the interval that the ratio's interval gives."""
    description = []
    for one in measures:
        seen = one.worst.look
        ends = sorted((of(max(seen.ratio_low, 0.0)), of(seen.ratio_high)))
        interval = f" [{ends[0]:.3g}, {ends[1]:.3g}]" if ends[1] - ends[0] > _EXACT / 50 else ""
        description.append(f"{_near_one(of(seen.ratio))}{interval} (d = {one.d})")
    return ", ".join(description)


def _list(measures: Sequence[Measure], values: Sequence[float]) -> str:
    pairs = zip(measures, values, strict=True)
    return ", ".join(f"{_near_one(value)} (d = {one.d})" for one, value in pairs)


def _near_one(value: float) -> str:
    """A number; one near 1 by what it lacks."""
    return f"1 - {1 - value:.3g}" if 0.9995 < value < 1 else f"{value:.4g}"
