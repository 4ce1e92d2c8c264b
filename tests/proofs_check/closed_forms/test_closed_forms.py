"""The methods against the reference's closed-form cases (section 9), and faults that must show."""

from __future__ import annotations

import pytest

from algorithms.catalogue import ROWS
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.topologies.star import Star
from proofs_check.evidence.asynchronous.closed_forms import delay_threshold
from proofs_check.evidence.auxiliary.error_feedback import worst_residual
from proofs_check.evidence.gossip.closed_forms import ring_bias
from proofs_check.evidence.gossip.closed_forms_choco import mode_factors
from proofs_check.evidence.local_updates.closed_forms import (
    local_fixed_point,
    local_mean_is_bsp,
    local_spread,
)
from proofs_check.evidence.sparsification.closed_forms import one_step_factor
from proofs_check.evidence.synchronous.closed_forms import finite_time_variance, stationary_variance
from proofs_check.instruments.evidence import chi_square, identity, mean_value
from proofs_check.methods.faulty.methods import MisscaledBSP
from proofs_check.prepare import name_of
from proofs_check.registry import CLOSED_FORMS
from proofs_check.row_coverage import rows_of
from proofs_check.verdict import Outcome, Verdict
from tests.proofs_check.rooms import ROOMS, room_of

KEYS = {row.key for row in ROWS}


@pytest.mark.slow
@pytest.mark.parametrize("case", CLOSED_FORMS, ids=name_of)
def test_no_closed_form_is_refuted_nor_lies_in_another_row_s_room(case) -> None:
    for verdict in case():
        assert ROOMS.get(verdict.subject, room_of(case)) == room_of(case), verdict.subject
        assert verdict.outcome is not Outcome.REFUTED, verdict
        assert verdict.outcome is not Outcome.NOT_APPLICABLE, verdict
        assert verdict.subject and verdict.evidence and verdict.provenance
        assert verdict.subject not in KEYS or verdict.subject in rows_of(case), verdict.subject


# numbers of another program, by linear algebra or in fractions
@pytest.mark.parametrize(
    ("verdict", "stated", "digits"),
    [
        (lambda: stationary_variance(n=1), 0.052631579, 1e-7),
        (lambda: stationary_variance(n=4), 0.013157895, 1e-7),
        (lambda: finite_time_variance(n=1), 0.16780946, 1e-7),
        (lambda: local_spread()[0], 0.0075, 1e-9),
        (lambda: local_spread()[1], 0.022481558, 1e-7),
        (lambda: local_spread()[2], 0.038118283, 1e-7),
        (lambda: local_fixed_point()[0], 0.8, 1e-9),
        (lambda: local_fixed_point()[1], 0.77108434, 1e-7),
        (ring_bias, 0.2394844, 1e-6),
        (lambda: one_step_factor(0.2, 1), 0.76, 1e-9),
        (lambda: one_step_factor(0.2, 3), 0.68, 1e-9),
        (lambda: worst_residual()[0], 5.8284271, 1e-7),
        (lambda: worst_residual()[1], 341.76299, 1e-7),
        (lambda: mode_factors()[2], 0.80473785, 1e-7),
    ],
)
def test_expected_values_are_the_stated_ones(verdict, stated: float, digits: float) -> None:
    assert verdict().bound == pytest.approx(stated, rel=digits)


@pytest.mark.parametrize(
    ("tau", "stated"), [(0, 2.0), (1, 1.0), (2, 0.61803399), (5, 0.28462968), (10, 0.14946019)]
)
def test_delay_thresholds(tau: int, stated: float) -> None:
    verdict = delay_threshold(tau=tau)
    assert verdict.statistic == pytest.approx(stated, rel=1e-3)
    assert verdict.bound == pytest.approx(stated, rel=1e-7)


def refuted(verdicts: Verdict | tuple[Verdict, ...]) -> bool:
    several = verdicts if isinstance(verdicts, tuple) else (verdicts,)
    return any(verdict.outcome is Outcome.REFUTED for verdict in several)


@pytest.mark.parametrize(
    "planted",
    [
        lambda: finite_time_variance(MisscaledBSP, n=4),
        lambda: local_spread(lambda step: LocalSGD(step, 3)),
        lambda: local_mean_is_bsp(lambda step, period: MisscaledBSP(step, 0.1)),
        lambda: ring_bias(topology=Star(8)),
        lambda: one_step_factor(0.2, 3, BSP),
    ],
)
def test_planted_faults_are_refuted(planted) -> None:
    try:
        assert refuted(planted())
    except (ArithmeticError, ValueError) as error:
        assert "finite" in str(error)


def test_statistics_refute_what_they_can_see() -> None:
    assert refuted(chi_square("s", "c", 1.3 * 4096, 4096, 1.0, check="t"))
    assert not refuted(chi_square("s", "c", 1.05 * 4096, 4096, 1.0, check="t"))
    assert refuted(mean_value("s", "c", [1.0, 1.001] * 500, 1.0, check="t"))
    assert refuted(identity("s", "c", [1.0, float("nan")], 1.0, check="t"))
    assert refuted(identity("s", "c", [1.0, 1.0 + 2e-12], 1.0, check="t"))
