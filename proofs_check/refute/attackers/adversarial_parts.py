"""Adversarial parts: exact moments with the worst operator, network, period and delays allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from proofs_check.refute.exact_quadratics import ExactQuadratics


@final
@dataclass(frozen=True)
class AdversarialParts(ExactQuadratics):
    """The method with other parts, of which its theorem speaks as well."""

    name = "parts"
    turn = 1
    what = "exact moments with the worst operator of the claimed constant, any W, H, slow workers"
    other_parts = True


adversarial_parts = AdversarialParts()
