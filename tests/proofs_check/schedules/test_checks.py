"""Checks of schedules and workloads hold, and see the faults that are planted."""

from __future__ import annotations

import pytest

from algorithms.schedules.bulk import BULK
from algorithms.schedules.merged_gradients import MERGED
from algorithms.schedules.priority import PriorityPropagation
from algorithms.schedules.wait_free import WAIT_FREE
from proofs_check.instruments.study import SystemCheck
from proofs_check.mutants.collectives import METHOD_MUTANTS
from proofs_check.schedules.forms import never_slower
from proofs_check.system_checks import SYSTEM_CHECKS
from proofs_check.verdict import Outcome

ROWS = {
    "schedule-bsp", "wfbp", "mg-wfbp", "tensor-fusion", "p3", "tictac", "bytescheduler",
    "pipedream", "contention-aware", "c2c-model",
}  # fmt: skip
MINE = [check for check in SYSTEM_CHECKS if check.row in ROWS]


def test_every_row_is_checked() -> None:
    assert {check.row for check in MINE} == ROWS


@pytest.mark.parametrize("check", MINE, ids=lambda check: f"{check.row}: {check.name}")
def test_checks_hold(check: SystemCheck) -> None:
    verdicts = check.result().verdicts
    assert verdicts and {v.subject for v in verdicts} == {check.row}
    assert all(v.outcome.holds or v.outcome is Outcome.COMPARED for v in verdicts)
    assert any(v.outcome.holds for v in verdicts)


@pytest.mark.parametrize("mutant", METHOD_MUTANTS, ids=lambda mutant: mutant.name)
def test_faults_are_seen(mutant) -> None:
    assert mutant.refute().outcome is Outcome.REFUTED
    assert mutant.genuine().outcome.holds


def test_orders_that_do_not_hold_are_refuted() -> None:
    """Start-ups make WFBP slower than BSP, and slices slower than whole gradients."""
    for one, other in ((WAIT_FREE, BULK), (WAIT_FREE, MERGED), (PriorityPropagation(0.1), BULK)):
        verdict = never_slower("wfbp", one, other, start_ups=True)
        assert verdict.outcome is Outcome.REFUTED
