"""DGC's factor masking with everything sent."""

from __future__ import annotations

from algorithms.compressors.identity import Identity
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.closed_forms.auxiliary.virtual_iterates import noisy
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_GAMMA = 0.05


def masked_is_plain(masking: bool = True) -> Verdict:
    """Factor masking with everything sent clears every velocity: DGC is SGD without momentum."""
    step = ConstantStep(_GAMMA)
    ours = models(BSP(step, Identity(), MomentumCorrection(0.6, masking)), noisy(), 40)
    return identity(
        "dgc", "factor masking with everything sent leaves no momentum: plain SGD", ours,
        models(BSP(step), noisy(), 40), check="factor masking", problem="quadratic",
        provenance=f"40 steps, gamma {_GAMMA}, m 0.6",
    )  # fmt: skip


def dgc() -> tuple[Verdict, ...]:
    """Masking leaves no momentum where nothing is held back."""
    return (masked_is_plain(),)


CLOSED_FORMS = (dgc,)
