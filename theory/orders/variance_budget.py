"""Optimal probabilities and approximately sparse gradients.

Wangni et al. 2018 (arXiv:1710.09854).

A statement on one message; omega = eps is chosen, so ``compressed_bsp_nonconvex`` bounds the run.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

variance_budget = OrderOnly(
    name="variance_budget",
    title="Optimal probabilities and approximately sparse gradients",
    source=Source("Wangni et al.", 2018, "1710.09854", "approximate sparsity"),
    confidence=Confidence.ORDER,
    statement=r"E\,nnz \le (1+\rho)s, \quad E\|\hat g\|^2 \le (1+\rho)\|g\|^2",
    metric=None,
    order=None,
    assumes=(
        "g is (rho, s)-approximately sparse: all but s entries have one-norm at most rho "
        "times theirs"
    ),
)
