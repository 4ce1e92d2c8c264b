"""A second run on fresh random numbers before anything is refuted by Student's t.

Exponents and studies have few groups of replicas, and Student's limits of values as skewed as an
exponential err with probability up to 1e-5 where 1e-10 is stated (:mod:`limits`). What such a
limit refutes is therefore measured again under seeds of its own, and refuted if both runs refute
it: two independent errors of 1e-5 make 1e-10. A survey that refutes nothing pays nothing for it;
what a fault makes wrong is wrong in both runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

from algorithms.core.key import Key
from algorithms.engine import run as runs
from proofs_check.cell import CellResult
from proofs_check.instruments import paths
from proofs_check.verdict import CheckKind, Outcome, Verdict


class SecondSeeds:
    """Root keys of seeds, other than those of :meth:`Key.seed`."""

    @staticmethod
    def seed(seed: int) -> Key:
        """The root key of a seed's second run."""
        return Key.seed(seed).fold("second run")


@contextmanager
def fresh_numbers() -> Iterator[None]:
    """Runs, and worlds that are stepped by hand, draw numbers that no first run draws; problems,
    topologies and schedules stay what they are."""
    with patch.object(runs, "Key", SecondSeeds), patch.object(paths, "Key", SecondSeeds):
        yield


def confirmed(measure: Callable[[], CellResult], *, rates_only: bool = False) -> CellResult:
    """What ``measure`` gives; what it refutes (of rates only, if ``rates_only``) is measured again
    on fresh numbers, and compared where that does not refute it too."""
    first = measure()
    doubted = [v for v in first.verdicts if v.outcome is Outcome.REFUTED]
    if rates_only:
        doubted = [v for v in doubted if v.kind is CheckKind.RATE]
    if not doubted:
        return first
    with fresh_numbers():
        second = {_name(v): v for v in measure().verdicts}
    judged = [_judged(v, second.get(_name(v))) if v in doubted else v for v in first.verdicts]
    return first._replace(verdicts=tuple(judged))


def _judged(first: Verdict, second: Verdict | None) -> Verdict:
    if second is None or second.outcome is Outcome.REFUTED:
        return replace(first, evidence=f"{first.evidence}; refuted by a second run too")
    note = f"not refuted by a second run on fresh numbers: {second.evidence}"
    return replace(first, outcome=Outcome.COMPARED, evidence=f"{first.evidence}; {note}")


def _name(verdict: Verdict) -> tuple[str, ...]:
    return verdict.subject, verdict.problem, verdict.check, verdict.claim, verdict.theorem
