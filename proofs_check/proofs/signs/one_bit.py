r"""1-bit SGD: error ||x||^2 - sum of group size times mean squared, delta = 1/d, attained."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("one-bit-sgd",)

d = sp.symbols("d", positive=True)
QUALITY = 1 / d


def prove(claimed: Any = QUALITY) -> Verdict:
    r"""delta = ``claimed``: coordinates of one sign, n_g of them, are sent as their mean.

    What remains of a group is its square norm less (sum)^2/n_g; within one sign (sum)^2 >= sum of
    squares, so at least 1/n_g >= 1/d of it is caught. A one-hot row has d in one group.
    """
    v = sp.symbols("v:3", nonnegative=True)
    mean = sum(v) / 3
    error = sum((t - mean) ** 2 for t in v)
    squares = sum(t**2 for t in v)
    e, size = sp.symbols("e size", positive=True)
    group = (1 / size - 1 / d).subs(d, size + e)
    vector = {v[0]: 3, v[1]: 0, v[2]: 12}  # the side of (3, -4, 0, 12) that is not negative
    return settled(
        "1-bit SGD",
        f"delta = {claimed}",
        "Seide et al. 2014; constant derived",
        equality("the error of a group of 3", error, squares - sum(v) ** 2 / 3),
        nonnegative("(sum)^2 >= sum of squares", sum(v) ** 2 - squares, *v),
        nonnegative("a group is no larger than the row", sp.simplify(group), e, size),
        equality("the value at a one-hot row", (1 / d) ** 2 * d / 1, claimed),
        equality("(3, -4, 0, 12) has the error 78", error.subs(vector), 78),
    )
