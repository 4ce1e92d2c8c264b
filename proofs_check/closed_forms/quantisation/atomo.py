"""ATOMO with the budgets l1/l2 and l1/linf is QSGD of one level and TernGrad.

Reference vectors 247 - 169 and 228 - 169.
"""

from __future__ import annotations

import torch

from algorithms.compressors.atomo import AtomBudget, Atomo
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.terngrad import TernGrad
from algorithms.core.key import Key
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.exact import exact_law
from proofs_check.verdict import Verdict

_V = (3, -4, 0, 12)


def special_cases() -> tuple[Verdict, ...]:
    """The same laws, and the same outcomes from the same draws."""
    verdicts = []
    key = Key.seed(0).fold("atomo")
    x = key.draws(torch.arange(50), torch.arange(4)).normal(30, torch.float64)
    draws = key.fold("compress").draws(torch.arange(50), torch.arange(4))
    for budget, same, second in (
        (AtomBudget.QSGD, QSGD(1), 247),
        (AtomBudget.TERNGRAD, TernGrad(), 228),
    ):
        ours = Atomo(budget)
        verdicts.append(
            identity(
                "atomo",
                f"{ours.name} has the error of {same.name} at (3,-4,0,12)",
                [float(exact_law(op, _V).error) for op in (ours, same)],
                second - 169.0,
                check="special case",
                provenance="exact enumeration",
            )
        )
        verdicts.append(
            identity(
                "atomo",
                f"{ours.name} is {same.name}, outcome by outcome",
                ours.compress(x, draws),
                same.compress(x, draws),
                check="special case",
                provenance="200 rows of 30, equal draws",
            )
        )
    return tuple(verdicts)


CLOSED_FORMS = (special_cases,)
