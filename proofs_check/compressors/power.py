"""The smallest faults of an operator that its checks see.

Of outcomes at the six vectors of Monte Carlo: an excess e of the variance (every squared error
times 1 + e, where the claimed constant is attained) and a bias b (every outcome times 1 + b).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from algorithms.compressors.base import Compressor
from algorithms.run import one_thread
from proofs_check.compressors.evidence import Evidence, Outcomes, sampled
from proofs_check.instruments.statistics import ROUNDOFF, ErrorBudget, bound_test, mean_test
from theory.claims import Unbiased

_AS_GOOD = 0.98  # of the largest ratio: vectors at which a constant is nearly attained


class SmallestFaults(NamedTuple):
    """What checks see of one operator.

    Attributes:
        excess: smallest relative excess of the variance that is seen.
        bias: smallest relative bias that is seen (None: it does not claim to be unbiased).
        laws: at how many of the vectors the law was read off the code.
    """

    excess: float
    bias: float | None
    laws: int


def smallest_faults(operator: Compressor, d: int, seed: int = 0) -> SmallestFaults:
    """Smallest faults that are seen in R^d.

    Raises:
        ValueError: the operator's parameters do not fit d.
    """
    claims = operator.claims(d)
    budget = ErrorBudget()
    with one_thread():
        found = sampled(Evidence(operator, d, seed, budget))
    alpha, gain = budget.alpha / len(found), found["flat"].gain
    seen = [r for r in found.values() if bool(r.x.any())]
    largest = max(float(r.errors.mean()) for r in seen)
    near = [r for r in seen if float(r.errors.mean()) >= _AS_GOOD * largest]
    unbiased = any(isinstance(claim, Unbiased) for claim in claims)
    bias = min(mean_test(r.values, r.x, alpha, gain, r.chance).resolution / 2 for r in seen)
    return SmallestFaults(
        min(_excess(r, alpha) for r in near),
        bias if unbiased else None,
        sum(r.law is not None for r in found.values()),
    )


def _excess(seen: Outcomes, alpha: float) -> float:
    test = bound_test(seen.errors, math.inf, alpha, 1.0, seen.chance)
    low = test.mean - test.half_width
    return test.half_width / low if low > 0 else ROUNDOFF if test.mean == 0 else math.inf
