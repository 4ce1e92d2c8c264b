"""Round robin: every gradient is exactly n - 1 updates old."""

from __future__ import annotations

import torch

from algorithms.synchronisation.barriers import RoundRobin
from algorithms.synchronisation.base import Barrier
from proofs_check.closed_forms.synchronous.barriers import DRAWN_SEED, WORKERS, drawn
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict


def round_robin_age(barrier: Barrier | None = None) -> Verdict:
    """From the second round on every gradient is exactly n - 1 updates old."""
    schedules = drawn(barrier or RoundRobin())
    ages = torch.cat([s.staleness[WORKERS:, :, 0].reshape(-1) for s in schedules]).numpy()
    return identity(
        "r2sp", "delay = n - 1 from the second round on", ages, WORKERS - 1, check="delay",
        provenance=f"four models of time, seed {DRAWN_SEED}",
    )  # fmt: skip


def r2sp() -> tuple[Verdict, ...]:
    """How old gradients are when workers take turns."""
    return (round_robin_age(),)


CLOSED_FORMS = (r2sp,)
