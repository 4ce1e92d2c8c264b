"""Linearised ADMM, one gradient a step: it ends at the minimiser."""

from __future__ import annotations

from algorithms.methods.admm.admm_linearised import LinearisedADMM
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.admm.solutions import WEIGHT, Change, N, minimiser, right
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def linearised(change: Change = right) -> Verdict:
    """Linearised ADMM, one gradient a step, ends at the minimiser of the mean plus an l1 norm."""
    method = LinearisedADMM(ConstantStep(0.5), Ring(N), SoftThreshold(WEIGHT))
    return minimiser("linearised-admm", lambda: change(method), 2000, WEIGHT)


def linearised_admm() -> tuple[Verdict, ...]:
    """Where linearised ADMM ends: at the minimiser."""
    return (linearised(),)


CLOSED_FORMS = (linearised_admm,)
