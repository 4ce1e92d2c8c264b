"""Error feedback: the virtual iterate x - e moves by the plain step, whatever is sent."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

x, e, step, sent = sp.symbols("x e p Delta", real=True)  # step: gamma g, sent: C(gamma g + e)
RESIDUAL = step + e - sent


def conservation(residual: Any, rounds: int) -> DerivationStep:
    """After ``rounds`` rounds from e = 0: sum of what was sent + residual = sum of the steps."""
    left: Any = sp.Integer(0)
    steps = sp.symbols(f"p:{rounds}", real=True)
    messages = sp.symbols(f"Delta:{rounds}", real=True)
    for p, message in zip(steps, messages, strict=True):
        left = residual.subs({e: left, step: p, sent: message}, simultaneous=True)
    return equality(f"nothing is lost in {rounds} rounds", sum(messages) + left, sum(steps))


def prove(claimed: Any = RESIDUAL) -> Verdict:
    """With the next residual ``claimed``: (x - Delta) - e_next = (x - e) - gamma g."""
    after = (x - sent) - claimed
    return settled(
        "error feedback",
        f"the virtual iterate takes the plain step with e_next = {claimed}",
        "Karimireddy et al. 2019, arXiv:1901.09847, Appendix; Stich, Cordonnier, Jaggi 2018",
        equality("the virtual iterate takes the plain step", after, x - e - step),
        conservation(claimed, 3),
    )
