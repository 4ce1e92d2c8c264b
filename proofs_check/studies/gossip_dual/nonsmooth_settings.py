"""What studies of MSPD and of sliding share: sorted absolute deviations, and the worst worker."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.problems.absolute import Absolute
from algorithms.problems.absolute_data import diabetes

PERIODS = (8, 16, 32, 64)


@lru_cache(maxsize=8)
def problem(n: int, lam: float = 0.0, batch: int = 0) -> Absolute:
    """The data over n workers; made once."""
    return diabetes(n, lam=lam, batch=batch)


def ratio(p: Absolute) -> float:
    """R / L_l [x^2 / f]: distance of the start over the root mean square of Lipschitz constants."""
    lipschitz = math.sqrt(np.mean(np.square(p.local_lipschitz)))
    return math.sqrt(p.constants().need("R2")) / lipschitz


def worst_error(method: Method[Any], p: Absolute, steps: int) -> float:
    """f - f* at the model of the worst worker."""
    rows = run(method, p, steps=steps, points=2).rows[0]
    return float(p.value(rows).max()) - p.f_star
