"""Best constants proved: kept multipliers against the programmes of the methods' own steps.

A worst case from above by a solver is a number in floating point. Here the multipliers are
fractions (:mod:`proofs_check.worst_case.certificate`), kept in ``certificates.json`` by ``python -m
experiments.worst_cases``, and everything is checked in exact arithmetic, without a solver.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, final

from proofs_check.proofs.derivation import DerivationStep, settled
from proofs_check.refute.claim import Claim
from proofs_check.refute.measured import Unfit
from proofs_check.refute.ours import claims_of
from proofs_check.refute.worst_instance import PosedInstance, WorstInstance, posed
from proofs_check.registry import PROOFS
from proofs_check.verdict import Verdict
from proofs_check.worst_case.certificate import Certificate, bound, certificate

STORED = Path(__file__).with_name("certificates.json")
"""Settings, multipliers and what they prove."""


@final
@dataclass(frozen=True)
class CertifiedSetting:
    """No function and no operator of a class is worse than ``value`` for a method at a setting.

    Attributes:
        theorem: whose class, metric and stepsizes these are.
        row: key of the method.
        instance: the setting.
        certificate: the multipliers.
        value: the worst case, from above.
    """

    theorem: str
    row: str
    instance: WorstInstance
    certificate: Certificate
    value: Fraction

    def holds(self, value: Fraction) -> bool:
        """Whether the multipliers prove ``value`` of the method's own steps, in fractions."""
        claims = (one for one in claims_of(self.theorem) if one.row == self.row)
        found = next(filter(None, (_allowed(claim, self.instance) for claim in claims)))
        proved = bound(found.posed.conditioned(), found.goal, self.certificate)
        return proved is not None and proved <= value

    def record(self) -> dict[str, Any]:
        """The same as plain data, fractions as text."""
        return {
            "theorem": self.theorem, "row": self.row, "instance": vars(self.instance),
            "limits": [str(one) for one in self.certificate.limits],
            "equal": [str(one) for one in self.certificate.equal], "value": str(self.value),
        }  # fmt: skip


def certified(theorem: str, claim: Claim, instance: WorstInstance) -> CertifiedSetting:
    """A setting with multipliers that prove its worst case.

    Raises:
        Unsolved: none are found.
        Unfit: the claim does not allow the setting.
        ImportError: cvxpy is not installed.
    """
    found = posed(claim, instance)
    programme = found.posed.conditioned()
    made = certificate(programme, found.goal)
    value = bound(programme, found.goal, made)
    assert value is not None
    return CertifiedSetting(theorem, claim.row, instance, made, value)


def _allowed(claim: Claim, instance: WorstInstance) -> PosedInstance | None:
    """The programme of an instance; None where the claim is of other settings of its row."""
    try:
        return posed(claim, instance)
    except Unfit:
        return None


@cache
def stored() -> tuple[CertifiedSetting, ...]:
    """Settings and multipliers that are kept, as they were written."""
    return tuple(map(_read, json.loads(STORED.read_text(encoding="utf-8"))))


def _read(record: dict[str, Any]) -> CertifiedSetting:
    limits, equal = (tuple(map(Fraction, record[kind])) for kind in ("limits", "equal"))
    given: dict[str, Any] = record["instance"]
    instance = WorstInstance(**given | {"parts": tuple(given["parts"])})
    return CertifiedSetting(
        record["theorem"], record["row"], instance, Certificate(limits, equal),
        Fraction(record["value"]),
    )  # fmt: skip


def text_of(settings: Sequence[CertifiedSetting]) -> str:
    """What is kept of settings."""
    return json.dumps([one.record() for one in settings], indent=1) + "\n"


def prove_best_constants(
    claimed: Callable[[Fraction], Fraction] = Fraction, row: str = ""
) -> Verdict:
    """The worst case of each theorem that a programme holds, at the setting of its best constant.

    Every function of the class, every operator and W that the claim allows: the sum of the
    conditions of interpolation, weighed by the multipliers, leaves a negative semidefinite form.
    ``claimed`` of the kept value is what is proved, of the theorems of one ``row`` if it is named.
    """
    steps = [
        DerivationStep(
            f"{one.theorem} of {one.row}, T = {one.instance.steps}: at most "
            f"{float(claimed(one.value)):.9g}",
            one.holds(claimed(one.value)),
        )
        for one in stored()
        if row in ("", one.row)
    ]
    return settled(
        "best constants",
        f"worst cases of {len(steps)} theorems over all functions of their classes",
        "multipliers in fractions; interpolation of Taylor, Hendrickx, Glineur 2017, "
        "arXiv:1502.05666, Theorem 4",
        *steps,
    )


COVERS = {"prove_best_constants": tuple(sorted({one.row for one in stored()}))}

DERIVATIONS: tuple[Callable[[], Verdict], ...] = (*PROOFS, prove_best_constants)
"""All proofs: those of the families, and that of the best constants."""
