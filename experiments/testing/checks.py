"""Checks for a test suite: each raises AssertionError with the counterexample in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from algorithms.compressors.base import Compressor
from algorithms.topologies.base import Topology
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.audit.claims import Stated
from proofs_check.audit.named import audit_object
from proofs_check.audit.plan import Plan
from proofs_check.compressors.check import check_compressor as operator_verdicts
from proofs_check.method_audit.audit import CHECKS, audit_method
from proofs_check.method_audit.subject import MethodSubject
from proofs_check.refute.attack import attack
from proofs_check.refute.claim import Claim
from proofs_check.refute.ours import claims_called
from proofs_check.refute.outcome import Attack, Counterexample, Standing
from proofs_check.topologies.mixing import check_topology as topology_verdicts
from proofs_check.verdict import Outcome, Verdict
from theory.networks.mixing import MixingError

_GAP = 1e-9
BUDGET = 5.0
"""Seconds that a theorem is attacked for."""


def check_theorem(
    theorem: Claim | str,
    *,
    budget: float = BUDGET,
    attackers: Sequence[str] = (),
    seed: int = 0,
) -> Attack:
    """A theorem (``rateproof.claim``, or the name of one of ours) survives its attackers.

    Raises:
        AssertionError: it does not; or nothing could attack it, which is no survival.
        ValueError: an unknown theorem or attacker.
    """
    claims = claims_called(theorem) if isinstance(theorem, str) else (theorem,)
    name = theorem if isinstance(theorem, str) else theorem.name
    found = attack(name, claims, budget=budget, attackers=attackers, seed=seed, workers=1)
    if found.standing is Standing.SURVIVED:
        return found
    if found.counterexamples:
        raise AssertionError(_counterexample(found, found.counterexamples[0]))
    raise AssertionError(f"{name} was not attacked: {'; '.join(found.untried)}")


def _counterexample(found: Attack, shown: Counterexample) -> str:
    trial = shown.trial
    how = shown.note if shown.confirmation is None else shown.confirmation.how
    return (
        f"{found.name} is {found.standing.value}: measured {trial.measured:.10g} against the bound "
        f"{trial.bound:.10g} (ratio {trial.ratio:.6g}) at {_words(trial.record())}; {how}"
    )


def _words(record: dict[str, Any]) -> str:
    instance = record.get("instance", record)
    return ", ".join(f"{name} = {value}" for name, value in instance.items())


def check_compressor(
    compressor: Any,
    *,
    unbiased: bool = False,
    omega: str | float | None = None,
    delta: str | float | None = None,
    bits: str | float | None = None,
    d: int = 100,
    samples: int = 500,
    seed: int = 0,
    **names: float,
) -> tuple[Verdict, ...]:
    """A compressor keeps what is claimed of it, as ``rateproof.audit`` takes it; of a
    ``Compressor``, its own claims alone.

    Raises:
        AssertionError: a claim is refuted, or it does not run, or raises at a finite vector.
        ValueError: nothing is claimed, or more than a ``Compressor``'s own claims, or a name that
            no formula has; and as ``rateproof.audit``.
        SubjectFault: as ``rateproof.audit``.
    """
    formulas = [text for text in map(_text, (omega, delta, bits)) if text is not None]
    if isinstance(compressor, Compressor):
        if unbiased or formulas or names:
            raise ValueError(f"{compressor.name} is held to its own claims; state no others")
        return _held(operator_verdicts(compressor, d=d, seed=seed))
    stated = Stated(unbiased, _text(omega), _text(delta), names, _text(bits))
    words = set(re.findall(r"[A-Za-z_]\w*", " ".join(formulas)))
    if unknown := [name for name in names if name not in words]:
        raise ValueError(f"{', '.join(unknown)} must be a name in omega, delta or bits")
    if not (unbiased or formulas):
        raise ValueError("nothing is claimed: unbiased, omega, delta or bits would do")
    found = audit_object(compressor, stated, Plan(d=d, seed=seed, samples=samples))
    if not found.runs:
        return _held(found.verdicts)
    if found.crashes:
        raise AssertionError(f"{found.subject} {found.crashes[0]}")
    return _held(found.claims)


def _text(given: str | float | None) -> str | None:
    return None if given is None else str(given)


def check_topology(topology: Topology | Any, *, gap: float | None = None) -> tuple[Verdict, ...]:
    """A topology, or a matrix ``[n, n]``, mixes: doubly stochastic, connected, with ``gap``.

    Raises:
        AssertionError: it does not; names the row, or the gap that it has.
    """
    try:
        given = topology if isinstance(topology, Topology) else FixedMatrix(topology)
    except MixingError as error:
        raise AssertionError(f"W is no mixing matrix: {error}") from error
    found = _held(topology_verdicts(given))
    has = 1 - given.constants().need("lam")
    if gap is not None and not abs(has - gap) <= _GAP:
        raise AssertionError(f"{given.name} has the spectral gap {has:.10g}, not {gap:.10g}")
    return found


def check_method(method: MethodSubject, *, only: Sequence[str] = ()) -> tuple[Verdict, ...]:
    """A method (``rateproof.method``, ``rateproof.torch_method``) keeps what is claimed of it.

    ``only`` names some of the audit's checks.

    Raises:
        AssertionError: a verdict is refuted; tells each.
        ValueError: an unknown check, or a claim that cannot be read.
        SubjectFault: its step raised.
    """
    unknown = [name for name in only if name not in CHECKS]
    if unknown:
        raise ValueError(f"only must be of {', '.join(CHECKS)}, got {', '.join(unknown)}")
    return _held(audit_method(method, only=only))


def _held(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts, none of which is refuted."""
    found = tuple(verdicts)
    refuted = [one for one in found if one.outcome is Outcome.REFUTED]
    if refuted:
        lines = dict.fromkeys(f"{one.subject}: not {one.claim}: {one.evidence}" for one in refuted)
        raise AssertionError("\n".join(lines))
    return found
