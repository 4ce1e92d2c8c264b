"""How a bound grips at the end of a run, where noise and the leading term rule, not the start."""

from __future__ import annotations

import numpy as np

from proofs_check.instruments.under_bound import lower_ends
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

CHECK = "bound at the end"


def late_bound_verdict(
    start: float,
    samples: Floats,
    bound: Floats,
    alpha: float,
    *,
    subject: str,
    problem: str,
    theorem: str,
    provenance: str,
    floor: float = 0.0,
) -> Verdict:
    """Does the bound ``[K]`` end below the metric's mean at the ``start``, and by how much above
    the measured curve ``samples`` ``[R, K]``?

    Supported if it does; a bound that is larger than the error that the run starts with says
    nothing, and is compared. ``tightness`` is the largest mean over bound in the second half of the
    points, ``resolution`` the smallest relative excess there that would be refuted every other time
    (at error alpha over the points, see :func:`rates.lower_ends`).
    """
    half = slice(samples.shape[1] // 2, None)
    mean, limit = samples.mean(axis=0)[half], bound[half]
    low = np.maximum(lower_ends(samples, alpha, floor)[half], np.finfo(np.float64).tiny)
    ratio = mean / limit
    end = float(bound[-1])
    return Verdict(
        subject=subject, problem=problem, check=CHECK,
        kind=CheckKind.LATE_BOUND, theorem=theorem, provenance=provenance,
        claim=f"the bound of {theorem} ends below the start",
        outcome=Outcome.SUPPORTED if end < start else Outcome.COMPARED,
        statistic=end, bound=start, tightness=float(np.nanmax(ratio)),
        resolution=float(np.nanmin(limit / low - 1)),
        evidence=f"bound {end:.4g} at the end, {start:.4g} at the start; in the second half of the "
        f"run mean / bound is {np.nanmin(ratio):.2g} to {np.nanmax(ratio):.2g}"
        + ("" if end < start else "; vacuous"),
    )  # fmt: skip
