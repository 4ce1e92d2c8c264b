"""Absolute errors: the hard threshold's, the worst operator's, and one that understates its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import pytest
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.hard_threshold import HardThreshold
from algorithms.compressors.qsgd import QSGD
from algorithms.core.key import Key
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.parts.constants import operator_constants, two_way_constants
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.compressors.absolute import check_absolute
from proofs_check.refute.operators import WorstAbsolute
from proofs_check.refute.parts import changeable, changed
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef
from theory.theorems.ef_sgd_workers import ef_sgd_workers

DRAWS = Key.seed(0).draws(torch.arange(1), torch.arange(1))


@final
@dataclass(frozen=True)
class HalfOfIts(HardThreshold):  # type: ignore[misc]
    """A threshold that states half of its absolute error."""

    def absolute_error(self, d: int) -> float:
        return super().absolute_error(d) / 2


def test_what_lies_within_the_threshold_is_not_sent() -> None:
    x = torch.tensor([[[0.5, -0.5, 0.51, -3.0, 0.0]]], dtype=torch.float64)
    sent = HardThreshold(0.5).compress(x, DRAWS)
    assert sent[0, 0].tolist() == [0, 0, 0.51, -3.0, 0]
    with pytest.raises(ValueError, match="t must be positive"):
        HardThreshold(0.0)


@pytest.mark.parametrize("operator", [HardThreshold(0.3), WorstAbsolute(0.3)])
def test_an_absolute_error_that_holds_is_met(operator: HardThreshold | WorstAbsolute) -> None:
    (verdict,) = check_absolute(operator, d=8, seed=0, alpha=1e-9)
    assert verdict.outcome is Outcome.SUPPORTED
    assert verdict.tightness == pytest.approx(1.0, rel=1e-9)


def test_an_error_that_is_understated_is_refuted() -> None:
    (verdict,) = check_absolute(HalfOfIts(0.3), d=8, seed=0, alpha=1e-9)
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.statistic == pytest.approx(8 * 0.3**2)
    assert check_absolute(QSGD(4), d=8, seed=0, alpha=1e-9) == ()


def test_methods_state_it_of_one_direction() -> None:
    assert operator_constants(HardThreshold(0.5), 3).absolute_error == pytest.approx(0.75)
    assert operator_constants(QSGD(4), 3).absolute_error is None
    assert "absolute_error" not in two_way_constants(HardThreshold(0.5), QSGD(4), 3).stated()


def test_attacks_change_the_operator_where_the_theorem_speaks_of_its_error() -> None:
    problem = Quadratic.strongly_convex(2, 4, L=1.0, mu=0.5, sigma2=0.0)
    method = BSP(ConstantStep(0.1), HardThreshold(0.5), ErrorFeedback())
    assert [one.constant for one in changeable(method, absolute_compressor_ef, problem)] == [
        "", "absolute_error",
    ]  # fmt: skip
    assert changeable(method, ef_sgd_workers, problem) == ()

    def operator(*numbers: float) -> Compressor:
        other: Any = changed(method, absolute_compressor_ef, problem, numbers)
        found: Compressor = other.compressor
        return found

    assert operator(0.2, 0.5) == HardThreshold(0.5)
    worst = operator(0.9, 0.5)
    assert worst == WorstAbsolute(1.0)
    x = torch.ones(1, 1, 4, dtype=torch.float64)
    assert (worst.compress(x, DRAWS) == 0.5).all()
    assert operator(0.9, 0.75).absolute_error(4) == pytest.approx(1000.0)
