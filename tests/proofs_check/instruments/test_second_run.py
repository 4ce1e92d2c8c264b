"""What Student's t refutes is refuted if a second run on fresh numbers refutes it too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from numpy.testing import assert_array_equal

from algorithms.engine.run import Trace, run
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.cell import Cell, CellKind, CellResult
from proofs_check.instruments.paths import world_of
from proofs_check.instruments.second_run import confirmed, fresh_numbers
from proofs_check.prepare import run_cell
from proofs_check.registry import BOUND_CHECKS, STUDIES
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.stepsizes import ConstantStep

Measure = Callable[..., CellResult]
PROBLEM = Quadratic.strongly_convex(4, 6, sigma2=1.0)


def played() -> Trace:
    return run(BSP(ConstantStep(0.1)), PROBLEM, steps=20, replicas=4, seed=3)


def verdict(outcome: Outcome, kind: CheckKind = CheckKind.RATE) -> Verdict:
    return Verdict("a", "b", kind.value, outcome, evidence="seen", kind=kind)


@pytest.fixture(name="lucky")
def of_the_first_run() -> Measure:
    """Refuted by the numbers of the first run alone."""
    first = float(played().squared_gradient[0, -1])

    def measure(kind: CheckKind = CheckKind.RATE) -> CellResult:
        now = float(played().squared_gradient[0, -1])
        outcome = Outcome.REFUTED if now == first else Outcome.SUPPORTED
        return CellResult((verdict(outcome, kind), verdict(Outcome.SUPPORTED, CheckKind.STUDY)))

    return measure


def test_numbers_are_fresh_inside_and_the_old_ones_after() -> None:
    before, drawn = played(), world_of(PROBLEM, 1, 2).draws("gradient", 0)
    with fresh_numbers():
        inside, other = played(), world_of(PROBLEM, 1, 2).draws("gradient", 0)
    assert (inside.squared_gradient[:, 1:] != before.squared_gradient[:, 1:]).all()
    assert_array_equal(played().squared_gradient, before.squared_gradient)
    one, two = (d.uniform(5, torch.float64) for d in (drawn, other))
    assert not (one == two).any()


def test_what_one_run_refutes_by_chance_is_compared() -> None:
    numbers = iter((Outcome.REFUTED, Outcome.SUPPORTED))
    found = confirmed(lambda: CellResult((verdict(next(numbers)),))).verdicts[0]
    assert found.outcome is Outcome.COMPARED and "not refuted by a second run" in found.evidence


def test_the_numbers_decide_which_run_it_is(lucky: Measure) -> None:
    first, other = confirmed(lucky).verdicts
    assert first.outcome is Outcome.COMPARED and other.outcome is Outcome.SUPPORTED


def test_what_is_wrong_is_refuted_twice() -> None:
    found = confirmed(lambda: CellResult((verdict(Outcome.REFUTED),))).verdicts[0]
    assert found.outcome is Outcome.REFUTED and "by a second run too" in found.evidence


def test_of_runs_only_rates_are_looked_at_again(lucky: Measure) -> None:
    def measure() -> CellResult:
        return lucky(CheckKind.BITS)

    assert confirmed(measure, rates_only=True).verdicts[0].outcome is Outcome.REFUTED


def test_nothing_is_run_again_where_nothing_is_refuted() -> None:
    calls = iter((CellResult((verdict(Outcome.SUPPORTED),)),))
    assert confirmed(lambda: next(calls)).verdicts[0].outcome is Outcome.SUPPORTED


@pytest.mark.parametrize("kind", [CellKind.STUDY, CellKind.BOUND])
def test_cells_of_students_t_are_confirmed(
    kind: CellKind, lucky: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = {CellKind.STUDY: STUDIES, CellKind.BOUND: BOUND_CHECKS}[kind]
    monkeypatch.setattr(type(checks[0]), "result", lambda _self: lucky())
    found = run_cell(Cell(checks[0].row, checks[0].problem, kind, checks[0].name))
    assert found.verdicts[0].outcome is Outcome.COMPARED
