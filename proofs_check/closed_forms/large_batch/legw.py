"""LEGW: a warm-up of as many steps for every batch."""

from __future__ import annotations

from proofs_check.closed_forms.large_batch.stationary_variance import GAMMA
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, legw


def legw_lasts() -> Verdict:
    """LEGW's warm-up lasts as many steps for every batch, and peaks at sqrt(k) gamma."""
    rows = []
    for factor in (1, 4, 16):
        step = legw(ConstantStep(GAMMA), factor, 2.0, 30)
        rows.append([step(t) / (GAMMA * factor**0.5) for t in range(100)])
    ramp = [min(1.0, (t + 1) / 60) for t in range(100)]
    return identity(
        "legw", "k times the epochs of 1/k the steps: one ramp for all k, peak sqrt(k) gamma",
        rows, [ramp] * 3, check="warm-up", provenance="You et al. 2019, k 1, 4, 16",
    )  # fmt: skip


def warm_up_of_legw() -> tuple[Verdict, ...]:
    """Its length and its peak."""
    return (legw_lasts(),)


CLOSED_FORMS = (warm_up_of_legw,)
