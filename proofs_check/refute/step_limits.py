"""Stepsize limits at their edge: the least factor by which longer steps break a theorem's bound.

``step_limits.json`` keeps one instance of each theorem that limits its stepsizes, found by ``python
-m proofs_check.refute.find_limits``. Each survey measures it again, at the limit and beyond.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, final

from algorithms.engine.run import one_thread
from proofs_check.cell import CellResult
from proofs_check.refute.allowed_steps import allowed_step
from proofs_check.refute.attacker import Attacker
from proofs_check.refute.claim import Claim
from proofs_check.refute.edges import edges
from proofs_check.refute.instance import Instance
from proofs_check.refute.limited import limited_theorems
from proofs_check.refute.measured import SURE, BoundTrial, Unfit
from proofs_check.refute.ours import claims_of
from proofs_check.refute.planted import FalseTheorem
from proofs_check.refute.search import attackers_named
from proofs_check.refute.written_conditions import written_conditions
from proofs_check.refute.written_limits import balanced_step, written_limit
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.theorem import Theorem

FILE = Path(__file__).with_name("step_limits.json")
TIGHT = 1.05
"""A limit is tight if steps that much longer break the bound."""

FEWEST = 20
"""Instances below which nothing found says nothing."""

MOST = 64.0
CHECK = "stepsize limit"
_BEYOND = 1 + 1e-6


@final
@dataclass(frozen=True)
class LimitRecord:
    """What a search beyond a theorem's limit found.

    Attributes:
        theorem: its name.
        factor: steps so many times as long break the bound; 0: none up to :data:`MOST` did.
        tried: how many instances were measured.
        claim: name of the claim that breaks.
        attacker: who found it.
        instance: its numbers, the broken stepsize among them.
        limit: the longest stepsize allowed there; 0: a rule's own.
        how: what another computation says, or why nothing was measured.
    """

    theorem: str
    factor: float
    tried: int
    claim: str = ""
    attacker: str = ""
    instance: dict[str, Any] | None = None
    limit: float = 0.0
    how: str = ""


@cache
def records() -> dict[str, LimitRecord]:
    """All that are kept, by theorem."""
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
    return {one["theorem"]: LimitRecord(**one) for one in kept}


def keep(found: dict[str, LimitRecord]) -> None:
    """Write the records of all theorems anew, those not ``found`` as they were."""
    every = {**records(), **found}
    limited = [asdict(every[one.name]) for one in limited_theorems() if one.name in every]
    FILE.write_text(json.dumps(limited, indent=1) + "\n", encoding="utf-8")
    records.cache_clear()


def beyond(claim: Claim, factor: float) -> Claim:
    """The claim that steps may be so many times as long as its theorem allows."""
    return replace(claim, theorem=FalseTheorem(claim.theorem, reach=factor))


def with_gamma(instance: Instance, gamma: float) -> Instance:
    """The same at another stepsize."""
    other: Any = instance
    return replace(other, gamma=gamma)  # type: ignore[no-any-return]


def measured(attacker: Attacker, claim: Claim, instance: Instance) -> BoundTrial | None:
    """The instance under the claim; None where the claim does not allow it."""
    try:
        return attacker.measure(claim, instance)
    except Unfit:
        return None


def made(record: LimitRecord, attacker: Attacker) -> Instance:
    """The instance of a record, of the kind that ``attacker`` measures."""
    given = record.instance or {}
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    return attacker.kind(**values)


class KeptCase(NamedTuple):
    """Claim and attacker of a record's instance.

    Attributes:
        claim: the claim, of the theorem as it is.
        attacker: the one that measures the instance.
    """

    claim: Claim
    attacker: Attacker


def kept_case(record: LimitRecord | None) -> KeptCase | None:
    """Claim and attacker of a record's instance; None where none breaks the bound."""
    if record is None or not record.tried or not record.factor:
        return None
    claims = {one.name: one for one in claims_of(record.theorem)}
    return KeptCase(claims[record.claim], attackers_named((record.attacker,))[0])


def limit_result(theorem: Theorem, record: LimitRecord | None, case: KeptCase | None) -> CellResult:
    """The verdicts of a theorem, by what was found of it and by what is written of it."""
    with one_thread():
        found = case_verdict(theorem, record, case)
        written = written_limit(theorem), written_conditions(theorem)
        weighed = balanced_step(theorem), allowed_step(theorem)
        return CellResult((found, *written, *weighed, edges(theorem)))


def limit_verdict(theorem: Theorem, record: LimitRecord | None) -> Verdict:
    """As :func:`case_verdict`, of the record's own claim and attacker."""
    return case_verdict(theorem, record, kept_case(record))


def case_verdict(theorem: Theorem, record: LimitRecord | None, case: KeptCase | None) -> Verdict:
    """Refuted if the instance breaks the bound at a stepsize that ``theorem`` allows, or if its
    stepsize is farther beyond the limit than when it was kept, since the limit is shorter then;
    supported if it breaks it within 5% beyond, compared if the limit could be longer by what was
    found."""
    if record is None or not record.tried:
        why = "no search yet" if record is None else record.how
        return _verdict(theorem, Outcome.NOT_APPLICABLE, f"not attacked: {why}", record)
    if not record.factor:
        if record.tried < FEWEST:
            few = f"hardly searched: {record.tried} instances tried, none breaks the bound"
            return _verdict(theorem, Outcome.NOT_APPLICABLE, few, record)
        unconfirmed = record.how.startswith("not confirmed")
        description = (
            f"an instance breaks the bound beyond the limit, {record.how}" if unconfirmed
            else f"no factor up to {MOST:g} breaks the bound on {record.tried} instances tried"
        )  # fmt: skip
        said = f"{description}; the limit could be longer{_of_the_run(theorem)}"
        return _verdict(theorem, Outcome.COMPARED, said, record)
    assert case is not None
    claim, attacker = replace(case.claim.about(theorem), name=record.claim), case.attacker
    instance = made(record, attacker)
    allowed = measured(attacker, claim, instance)
    if allowed is not None and allowed.ratio > 1 + SURE:
        return _verdict(theorem, Outcome.REFUTED, f"within the limit, {_told(allowed)}", record)
    at_limit = with_gamma(instance, record.limit) if record.limit else instance
    before = measured(attacker, claim, at_limit)
    after = measured(attacker, beyond(claim, record.factor * _BEYOND), instance)
    if before is not None and before.ratio > 1 + SURE:
        return _verdict(theorem, Outcome.REFUTED, f"at the limit, {_told(before)}", record)
    if before is None or after is None:
        told = f"the kept instance is not allowed at {record.factor:.4g} times the limit, which is "
        return _verdict(theorem, Outcome.REFUTED, f"{told}shorter than when it was found", record)
    if not after.ratio > 1 + SURE:
        told = f"the kept instance breaks it no longer at {record.factor:.4g} times the limit"
        return _verdict(theorem, Outcome.COMPARED, told, record)
    tight = record.factor <= TIGHT
    said = (
        f"{record.factor:.4g} times the limit: {_told(after)}; at the limit {before.ratio:.4g}"
        + ("" if tight else f"; nothing tried breaks it before, so it could be {record.factor:.3g} "
           f"times as long as far as is known{_of_the_run(theorem)}")
    )  # fmt: skip
    outcome = Outcome.SUPPORTED if tight else Outcome.COMPARED
    return replace(_verdict(theorem, outcome, said, record), tightness=before.ratio)


def _of_the_run(theorem: Theorem) -> str:
    """Why a search may find no break whatever it tries, where it does."""
    if "G2" not in theorem.needs:
        return ""
    return "; G2 is that of the run, which few bounds with G2 fall below whatever is searched"


def _told(trial: BoundTrial) -> str:
    return (
        f"measured/bound {trial.ratio:.6g} after {trial.t} steps on {trial.instance.numbers()}"
        f" ({trial.attacker})"
    )


def _verdict(
    theorem: Theorem, outcome: Outcome, evidence: str, record: LimitRecord | None
) -> Verdict:
    return Verdict(
        subject=theorem.title, theorem=theorem.name, check=CHECK, kind=CheckKind.LIMIT,
        claim=f"stepsizes {TIGHT - 1:.0%} beyond the limit of {theorem.name} break its bound, "
        "none at the limit does",
        outcome=outcome, evidence=evidence, bound=TIGHT,
        statistic=record.factor if record and record.factor else None,
        provenance="" if record is None else _provenance(record),
    )  # fmt: skip


def _provenance(record: LimitRecord) -> str:
    """What another computation says, and how many instances were measured."""
    return "; ".join(filter(None, (record.how, f"{record.tried} instances searched")))
