"""CoCoD-SGD: a worker differs from the mean by the steps of two periods at most."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import descends
from proofs_check.proofs.local_updates.local_sgd_pl import deviations, mean_step
from proofs_check.verdict import Verdict
from theory.theorems.cocod_sgd import cocod_sgd

L, sigma2, n, G2, H = (symbol(name) for name in ("L_max", "sigma2", "n", "G2", "H_stale"))
FLOOR = GAMMA * L * sigma2 / n + 4 * GAMMA**2 * L**2 * H**2 * G2


def meeting() -> tuple[DerivationStep, ...]:
    """x_i <- mean of y + (x_i - y_i): the mean is kept, and x_i - mean is what i did since y, less
    the mean of that."""
    x, y = sp.symbols("x:3", real=True), sp.symbols("y:3", real=True)
    new = [sum(y) / 3 + (a - b) for a, b in zip(x, y, strict=True)]
    moved = [a - b for a, b in zip(x, y, strict=True)]
    return (
        equality("the mean model is kept", sum(new), sum(x)),
        equality(
            "what is left apart is one period's steps",
            new[0] - sum(new) / 3, moved[0] - sum(moved) / 3,
        ),
    )  # fmt: skip


def prove(claimed: Any = FLOOR, periods: int = 2) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    The last period's steps and those since: ``periods`` H at most, so the spread is at most gamma^2
    (``periods`` H)^2 G2.
    """
    return settled(
        "cocod_sgd",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "derived; setting of Shen et al. 2019, arXiv:1906.12043",
        *meeting(),
        deviations(3),
        *mean_step(GAMMA**2 * (periods * H) ** 2 * G2, claimed),
        descends(cocod_sgd, 2, claimed),
    )
