"""Asynchronous SGD with inconsistent reads under the inequality of Polyak and Lojasiewicz."""

from __future__ import annotations

from typing import Any

from proofs_check.proofs.asynchronous.asynchronous_moments import FLOOR as FLOOR
from proofs_check.proofs.asynchronous.asynchronous_moments import late_step
from proofs_check.proofs.derivation import settled
from proofs_check.proofs.polyak_lojasiewicz import contracts
from proofs_check.verdict import Verdict
from theory.theorems.asynchronous_pl import asynchronous_pl


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""E f(x_T) - f* <= (1 - gamma mu)^T Delta + ``claimed``/(2 mu)."""
    return settled(
        "asynchronous_pl",
        f"E f(x_T) - f* <= (1 - gamma mu)^T Delta + {claimed}/(2 mu)",
        "derived; setting of Niu et al. 2011, arXiv:1106.5730",
        *late_step(claimed),
        *contracts(asynchronous_pl, claimed),
    )
