"""Post-local SGD at the two ends of its switch."""

from __future__ import annotations

from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.synchronisation.periods import PostLocal
from proofs_check.closed_forms.local_updates.common_hessian import FALLING, STEPS, same_means
from proofs_check.verdict import Verdict


def post_local() -> tuple[Verdict, ...]:
    """Switched at once it is local SGD, switched at the end it averages every step."""
    start, end = (LocalSGD(FALLING, PostLocal(switch, 6)) for switch in (0, STEPS))
    row = "post-local-sgd"
    return (
        same_means(row, "switch 0: local SGD, bit for bit", start, LocalSGD(FALLING, 6), 0.0),
        same_means(row, "switch T: H = 1, bit for bit", end, LocalSGD(FALLING, 1), 0.0),
        same_means(row, "switch T: BSP-SGD, to rounding", end, BSP(FALLING)),
    )


CLOSED_FORMS = (post_local,)
