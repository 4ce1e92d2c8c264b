"""Strom's threshold: its residual, and what the survey prints of it (erratum E28)."""

from __future__ import annotations

import torch

from algorithms.compressors.strom import Strom
from algorithms.core.key import Key
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.sparsification.drawn import draws_of
from proofs_check.verdict import Outcome, Verdict

_DRAWS = Key.seed(0).draws(torch.tensor(0), torch.arange(1))


def bounded_residual(tau: float = 0.5) -> Verdict:
    """Strom with error feedback: while |g| <= tau, no residual exceeds tau."""
    key = Key.seed(3).fold("strom")
    rows = key.draws(torch.arange(400), torch.arange(4)).uniform(50, torch.float64)
    residual = torch.zeros_like(rows[0])
    worst = 0.0
    for g in (2 * rows - 1) * tau:
        wanted = residual + g
        residual = wanted - Strom(tau).compress(wanted, _DRAWS)
        worst = max(worst, float(residual.abs().max()))
    return Verdict(
        subject="strom-threshold", problem="bounded gradients", check="residual",
        claim="|g| <= tau keeps every residual within tau",
        outcome=Outcome.SUPPORTED if worst <= tau else Outcome.REFUTED, statistic=worst, bound=tau,
        evidence=f"largest residual {worst:.6g} over 400 steps of 4 x 50 coordinates",
        provenance="uniform gradients in [-tau, tau], seed 3; proof in compressors/strom.py",
    )  # fmt: skip


def e28() -> Verdict:
    """Strom at tau = 5: (-8) must send -5; "less than T becomes 0" sends nothing."""
    x = torch.tensor([[-8.0, 3.0, 8.0]], dtype=torch.float64)
    right = Strom(5.0).compress(x, draws_of(1, "none"))[0]
    printed = torch.where(x < 5.0, 0.0, 5.0)[0]
    return erratum(
        "E28", "strom-threshold", "-tau is sent of what lies below -tau; printed, it becomes 0",
        (float(right[0]), -5.0), (float(printed[0]), -5.0),
    )  # fmt: skip


def strom_threshold() -> tuple[Verdict, ...]:
    """The residual, and what is sent below -tau."""
    return (bounded_residual(), e28())


CLOSED_FORMS = (strom_threshold,)
DEMONSTRATIONS = (("E28", strom_threshold),)
