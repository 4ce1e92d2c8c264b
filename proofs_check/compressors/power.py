"""The smallest faults of an operator that its checks see.

Of outcomes at the six vectors of Monte Carlo: an excess e of the variance (every squared error
times 1 + e, where the claimed constant is attained) and a bias b (every outcome times 1 + b).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.engine.run import one_thread
from proofs_check.compressors.evidence import Evidence, sampled
from proofs_check.compressors.longer import AS_GOOD, EXTRA, longer
from proofs_check.instruments.statistics import (
    ROUNDOFF,
    ErrorBudget,
    along_test,
    bound_test,
    mean_test,
)
from theory.claims import Unbiased


class SmallestFaults(NamedTuple):
    """Smallest detectable operator faults.

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
    evidence = Evidence(operator, d, seed, ErrorBudget())
    with one_thread():
        found = sampled(evidence)
        more = longer(evidence, found)
    alpha, gain = evidence.budget.alpha / (len(found) + EXTRA), found["flat"].gain
    seen = [r for r in found.values() if bool(r.x.any())]
    errors = [(r.errors, r.chance) for r in seen] + [(m.errors, True) for m in more.values()]
    largest = max(float(r.errors.mean()) for r in seen)
    near = [(e, chance) for e, chance in errors if float(e.mean()) >= AS_GOOD * largest]
    unbiased = any(isinstance(claim, Unbiased) for claim in operator.claims(d))
    tests = [mean_test(r.values, r.x, alpha, gain, r.chance) for r in seen]
    tests += [along_test(m.along, m.x, alpha, gain) for m in more.values()]
    return SmallestFaults(
        min(_excess(e, chance, alpha) for e, chance in near),
        min(test.resolution / 2 for test in tests) if unbiased else None,
        sum(r.law is not None for r in found.values()),
    )


def _excess(errors: Tensor, chance: bool, alpha: float) -> float:
    test = bound_test(errors, math.inf, alpha, 1.0, chance)
    low = test.mean - test.half_width
    return test.half_width / low if low > 0 else ROUNDOFF if test.mean == 0 else math.inf
