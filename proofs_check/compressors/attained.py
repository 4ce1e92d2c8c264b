"""How near an operator's claimed constants are to what is attained, against what was found before.

A claim that promises less than holds breaks at no vector. ``attained.json`` keeps, for each claim
of each operator of the project, the largest share of its constant that the exact laws at small
vectors have, or that the search of worst vectors finds where there is no exact law. A share that is
smaller now says that the claim is looser than it need be. ``python -m
proofs_check.compressors.find_attained`` writes the file anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

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
    found: dict[str, dict[str, dict[str, tuple[str, float]]]]
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def attained(compressor: Compressor, d: int, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Shares of the claims' constants in ``verdicts`` of the operator, against those kept."""
    kept = stored().get(compressor.name, {}).get(str(d), {})
    if not kept:
        return ()
    now, told = shares(compressor, d, verdicts), list[Verdict]()
    asked = {one.check for one in verdicts}
    for formula, (check, before) in kept.items():
        if check not in asked:
            continue
        found = now.get((formula, check), 0.0)  # 0 where no claim has the formula any more
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


def shares(
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
