"""Delay-compensated asynchronous SGD.

Zheng et al. 2016 (arXiv:1609.08326). With the exact Hessian in place of lambda g g^T the delay
has no effect on quadratics.
"""

from __future__ import annotations

from theory.claims import Confidence, Source
from theory.theorem import OrderOnly

dc_asgd = OrderOnly(
    name="dc_asgd",
    title="Delay-compensated asynchronous SGD",
    source=Source("Zheng et al.", 2016, "1609.08326", "convergence theorems"),
    confidence=Confidence.ORDER,
    statement=(
        r"\text{the rate of SGD while the delay times the error of the Hessian's approximation "
        r"is small}"
    ),
    metric=None,
    order=None,
    assumes=(
        "bounded gradients and smooth Hessian; the approximation's error enters the admissible "
        "delay"
    ),
)
