"""EF-signSGD: nothing is lost. Counterexample 2 is beside plain signs, in ``signsgd``."""

from __future__ import annotations

from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.memories.error_feedback import ErrorFeedback
from proofs_check.closed_forms.auxiliary.error_feedback import virtual_iterate
from proofs_check.verdict import Verdict


def ef_signsgd() -> tuple[Verdict, ...]:
    """The virtual iterate x - mean residual of EF-signSGD is SGD."""
    return (virtual_iterate("ef-signsgd", ErrorFeedback(), ScaledSign()),)


CLOSED_FORMS = (ef_signsgd,)
