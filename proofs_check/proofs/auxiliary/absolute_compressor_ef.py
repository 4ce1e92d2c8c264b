r"""Error feedback with a bounded absolute error: fixed thresholds."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.auxiliary.ef_sgd_workers import virtual_descent
from proofs_check.proofs.derivation import nonnegative, settled, truth
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef

L, D2, sigma2, n, gamma = sp.symbols("L D2 sigma2 n gamma", positive=True)
FLOOR = 2 * gamma * L * sigma2 / n + 2 * L**2 * D2


def prove(claimed: Any = FLOOR, error: Any = 1) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 4 Delta/(gamma T) + ``claimed`` for gamma <= 1/(2L).

    A threshold t leaves at most ``error`` t^2 in a coordinate: |p| <= t is left, else nothing.
    """
    v, t = sp.symbols("v t", nonnegative=True)
    p = t / (1 + v)  # any coordinate that is not sent
    return settled(
        "absolute_compressor_ef",
        f"average squared gradient <= 4 Delta/(gamma T) + {claimed}; D^2 = {error} d t^2",
        "derived; virtual iterate of Karimireddy et al. 2019, arXiv:1901.09847",
        nonnegative("what is not sent is small", sp.simplify(error * t**2 - p**2), v, t),
        truth("all just below the threshold attain it", sp.limit(p**2, v, 0) == error * t**2),
        *virtual_descent(D2, claimed),
        descends(absolute_compressor_ef, 4, claimed),
    )
