"""Cooperative SGD in Table IV's convex column (T7)."""

from __future__ import annotations

from proofs_check.closed_forms.erratum import erratum
from proofs_check.verdict import Verdict
from theory.theorem import Metric
from theory.theorems.cooperative_sgd import cooperative_sgd

COVERS = ("cooperative-sgd",)


def t7() -> tuple[Verdict, ...]:
    """Theorem 1 bounds squared gradients, asks for no convexity, and for one objective."""
    c = cooperative_sgd.example.state(convex=False)
    step = cooperative_sgd.stepsize(c, 100)
    apart = cooperative_sgd.violations(c.state(zeta2=1.0), step, 100)
    return (
        erratum(
            "T7", "cooperative-sgd", "the theorem holds for non-convex functions",
            (float(cooperative_sgd.applies(c, step, 100)), 1.0),
            (float(cooperative_sgd.metric is Metric.WEIGHTED_SUBOPTIMALITY), 1.0),
            f"its metric is {cooperative_sgd.metric.value}; {apart[0]}",
        ),
    )  # fmt: skip


CLOSED_FORMS = (t7,)
DEMONSTRATIONS = (("T7", t7),)
