"""How near an operator's claimed constants are to what is attained, against what was found before.

A claim that promises less than holds breaks at no vector. ``attained.json`` keeps, for each claim
of each operator of the project, the largest share of its constant that the exact laws at small
vectors have, or that the search of worst vectors finds where there is no exact law. A share that is
smaller now says that the claim is looser than it need be. ``python -m
proofs_check.compressors.attained`` writes the file anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from algorithms.catalogue import OPERATORS
from algorithms.compressors.base import Compressor
from proofs_check.verdict import Outcome, Verdict
from theory.claims import Contraction, VarianceBound

FILE = Path(__file__).with_name("attained.json")
"""By operator, length of a row and formula of a claim: check that had it, and share."""

CHECK = "attained"
SHOWN = ("exact enumeration", "worst-case search")
"""Checks whose shares are kept, the first that has one of a claim."""

_SEARCHED = 0.02  # relative: searches over drawn numbers find a little more or less
_EXACT = 1e-9


@cache
def stored() -> dict[str, dict[str, dict[str, tuple[str, float]]]]:
    """Everything that is kept."""
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else "{}"
    found: dict[str, dict[str, dict[str, tuple[str, float]]]] = json.loads(text)
    return found


def attained(compressor: Compressor, d: int, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Shares of the claims' constants in ``verdicts`` of the operator, against those kept."""
    kept = stored().get(compressor.name, {}).get(str(d), {})
    if not kept:
        return ()
    now, told = _shares(compressor, d, verdicts), list[Verdict]()
    for formula, (check, before) in kept.items():
        found = now.get((formula, check))
        if found is None:  # that check was not asked, or the claim has another formula now
            continue
        slack = _EXACT if check == SHOWN[0] else _SEARCHED
        outcome = Outcome.REFUTED if found < before * (1 - slack) else Outcome.AGREES
        first = next(one for one in verdicts if one.check == check)
        told.append(
            replace(
                first, claim=f"no smaller constant is known to hold than that claimed, {formula}",
                check=CHECK, outcome=outcome, statistic=found, bound=before, uncertainty=0.0,
                resolution=slack * before, tightness=found,
                evidence=f"{check} attains {found:.6g} of the constant, {before:.6g} before",
            )
        )  # fmt: skip
    return tuple(told)


def _shares(
    compressor: Compressor, d: int, verdicts: Sequence[Verdict]
) -> dict[tuple[str, str], float]:
    """By formula and check the share of a claim's constant that was attained."""
    found: dict[tuple[str, str], float] = {}
    for claim in compressor.claims(d):
        if not isinstance(claim, VarianceBound | Contraction):
            continue
        for one in verdicts:
            share = one.statistic / one.bound if one.statistic is not None and one.bound else None
            if one.claim == str(claim) and one.check in SHOWN and share is not None:
                found[claim.formula, one.check] = share
    return found


def measured(compressor: Compressor, d: int) -> dict[str, tuple[str, float]]:
    """What is to be kept of an operator: by formula the check and the share."""
    from proofs_check.compressors.check import check_compressor

    kept: dict[str, tuple[str, float]] = {}
    for only in SHOWN:
        verdicts = check_compressor(compressor, d=d, seed=1, only=only)
        for (formula, check), share in _shares(compressor, d, verdicts).items():
            if check == only and share > 0:
                kept.setdefault(formula, (check, share))
        if len(kept) == sum(hasattr(claim, "formula") for claim in compressor.claims(d)):
            break
    return kept


if __name__ == "__main__":
    made = {
        name: {str(d): found for d in (100, 1000) if (found := measured(operator, d))}
        for name, operator in OPERATORS.items()
    }
    FILE.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
