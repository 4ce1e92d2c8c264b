"""Evidence of local steps that are corrected for drift.

Quadratics whose workers drift apart: two workers on the line, and n of condition number 100.
"""

from __future__ import annotations

import torch

from algorithms.core.key import Key
from algorithms.problems.quadratic import Quadratic

CURVATURES, MINIMISERS = (1.0, 4.0), (0.0, 1.0)
"""a_i and c_i of f_i(x) = a_i (x - c_i)^2 / 2; x* = 4/5."""


def two_workers() -> Quadratic:
    """f_1 = x^2/2 and f_2 = 2 (x - 1)^2, from 0, no noise."""
    a = torch.tensor(CURVATURES, dtype=torch.float64)[:, None]
    c = torch.tensor(MINIMISERS, dtype=torch.float64)[:, None]
    return Quadratic.from_arrays(a, c, name="two workers, curvatures 1 and 4")


def stretched_workers(n: int, d: int) -> Quadratic:
    """Curvatures from 1 down to 1/100, at every worker a share of them drawn from (1/2, 1), and
    linear terms that are standard normal; no noise."""
    draws = Key.seed(5).fold("stretched").draws(torch.tensor(0), torch.arange(n))
    share = 0.5 + 0.5 * draws.uniform(d, torch.float64)
    a = 100.0 ** -torch.linspace(0.0, 1.0, d, dtype=torch.float64) * share
    b = draws.fold("linear").normal(d, torch.float64)
    return Quadratic.from_arrays(a, b / a, name="quadratic, condition number 100")
