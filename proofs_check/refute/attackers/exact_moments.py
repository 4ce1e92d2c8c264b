"""Exact moments: quadratics with additive noise, no simulation; the method's own parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from proofs_check.refute.exact_quadratics import ExactQuadratics


@final
@dataclass(frozen=True)
class ExactMoments(ExactQuadratics):
    """The method with its own parts."""

    name = "exact"
    turn = 0
    what = "quadratics with additive noise by exact moments: spectra, starts, noise, heterogeneity"


exact_moments_attacker = ExactMoments()
