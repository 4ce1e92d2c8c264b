"""The audit of methods: sound ones pass, defects of public code are found, numbers are published.

Values of P2 and PE are those of the reference on newer methods (section 0), derived there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from proofs_check.audit.faults import SubjectFault
from proofs_check.method_audit.audit import CHECKS, audit_method
from proofs_check.method_audit.instances import P2, PE
from proofs_check.method_audit.laws import sides
from proofs_check.method_audit.row_methods import row_method
from proofs_check.method_audit.runs import difference, limit_of, models_of
from proofs_check.method_audit.subject import MethodSubject, State, UnreadableClaim, method
from proofs_check.verdict import Outcome
from tests.proofs_check.method_audit import faulty, sound
from tests.proofs_check.method_audit.drawn import differs, faults_of, first_refuted
from tests.proofs_check.method_audit.faulty import FAULTS, Fault

ROWS = (
    row_method("bsp-sgd", gamma=0.05), row_method("local-sgd", gamma=0.05, every=8),
    row_method("d-psgd", gamma=0.05), row_method("d2", gamma=0.05),
    row_method("diana", gamma=0.05), row_method("choco-sgd", gamma=0.05),
)  # fmt: skip
OTHERS = (faulty.TORCH_EF21, faulty.ONE_BIT, faulty.streaming("sound"), faulty.demo(1))
SOUND = (
    *sound.METHODS,
    *(pytest.param(one, marks=pytest.mark.slow, id=one.name) for one in OTHERS),
)


def refuted(subject: MethodSubject, *only: str) -> list[str]:
    return [
        f"{one.check}: {one.claim}: {one.evidence}"
        for one in audit_method(subject, only=only)
        if one.outcome is Outcome.REFUTED
    ]


@pytest.mark.parametrize("subject", SOUND, ids=lambda one: getattr(one, "name", None))
def test_sound_methods_are_not_refuted(subject: MethodSubject) -> None:
    assert not refuted(subject, *(name for name in CHECKS if name != "stability" or subject.limit))


@pytest.mark.slow
@pytest.mark.parametrize("subject", ROWS, ids=lambda one: one.name)
def test_rows_of_ours_are_not_refuted(subject: MethodSubject) -> None:
    assert not refuted(subject)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.what)
def test_defects_of_public_code_are_found(fault: Fault) -> None:
    found = refuted(fault.subject, fault.check)
    assert found and fault.says in " ".join(found)


def mean_model(subject: MethodSubject, rounds: int) -> float:
    return float(models_of(subject, P2, rounds)[rounds].mean())


@pytest.mark.parametrize(
    ("subject", "rounds", "value"),
    [
        (sound.SCAFFOLD, 1, 0.46112),
        (sound.SCAFFOLD, 2, 0.697709144),
        (sound.SCAFFOLD, 3, 0.78530540875556),
        (sound.SCAFFOLD, 10, 0.7999517363242552),
        (sound.DILOCO, 1, 0.6132896),
        (sound.DILOCO, 2, 0.9448965375080001),
        (sound.DILOCO, 3, 0.9865891691327245),
    ],
)
def test_rounds_on_the_public_instance(subject: MethodSubject, rounds: int, value: float) -> None:
    assert mean_model(subject, rounds) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(
    ("subject", "value"),
    [
        (sound.FEDAVG.at(K=1), [[0.8]]),
        (sound.FEDAVG.at(K=2), [[0.7710843373493976]]),
        (sound.FEDAVG, [[0.6925023465365121]]),
        (sound.FEDNOVA, [[0.6484418944763188]]),
        (sound.DILOCO, [[0.6925023465365121]]),
        (sound.DGD, [[0.60606061], [0.84848485]]),
        (sound.DGD.at(a=0.05), [[0.68965517], [0.82758621]]),
        (sound.DIGING.at(a=0.1), [[0.8], [0.8]]),
    ],
)
def test_limits_on_the_public_instance(subject: MethodSubject, value: list[list[float]]) -> None:
    assert limit_of(subject, P2).models == pytest.approx(np.array(value), abs=1e-8)


def test_top_1_of_opposed_gradients_never_leaves_the_start() -> None:
    plain = method("top-1", faulty.no_memory, parameters={"gamma": 0.1, "compress": sound.top1},
                   start=sound.EF.start)  # fmt: skip
    assert limit_of(plain, PE).error == 1.25


@pytest.mark.parametrize(("gamma", "floor"), [(0.1, 0.1046), (0.05, 0.0517)])
def test_error_feedback_cycles_at_a_floor(gamma: float, floor: float) -> None:
    assert limit_of(sound.EF.at(gamma=gamma), PE, 4000).error == pytest.approx(floor, abs=5e-4)


def test_a_correction_that_is_never_applied_is_named() -> None:
    told = " ".join(refuted(faulty.of(sound.SCAFFOLD, faulty.scaffold("never applied"))))
    assert "this is FedAvg with 5 local steps, up to rounding: c, c_i make no difference" in told
    assert "c_i has no effect on any later model: it is never applied" in told


def test_a_row_is_a_textbook_method() -> None:
    row, own = row_method("bsp-sgd", gamma=0.05), sound.GD.at(eta=0.05)
    assert difference(models_of(row, P2), models_of(own, P2)).same
    local = row_method("local-sgd", gamma=0.05, every=8)
    assert difference(models_of(local, P2), models_of(sound.FEDAVG.at(eta=0.05, K=8), P2)).same


def test_a_step_that_raises_is_told_with_its_line() -> None:
    with pytest.raises(SubjectFault, match=r"broken raised KeyError: 'y' \(test_audit_method.py"):
        audit_method(method("broken", lambda state, gradients: {"x": state["y"]}))


def late(state: State, gradients: Any, t: int) -> State:
    if t == 100:
        raise KeyError("late")
    return {"x": state["x"] - 0.001 * gradients(state["x"]).mean(0)}


def refuses(state: State, gradients: Any, t: int) -> State:
    if t == 3:
        raise ValueError("late")
    return {"x": state["x"]}


def test_a_step_that_raises_late_is_its_own_fault() -> None:
    with pytest.raises(SubjectFault, match=r"raised KeyError: 'late' \(test_audit_method.py"):
        audit_method(method("late", late))
    with pytest.raises(SubjectFault, match=r"raised ValueError: late \(test_audit_method.py"):
        audit_method(method("refuses", refuses))


@pytest.mark.parametrize(
    "subject",
    [
        replace(sound.SCAFFOLD, conserves=("c = nothing",)),
        replace(sound.SCAFFOLD, conserves=("0*W = 0*c_i",)),
        replace(sound.GD, limit="2/nothing"),
        replace(sound.GD, equals={"nothing=1": "bsp-sgd"}),
        replace(sound.GD, equals={"": "no-such-row"}),
        replace(sound.GD, equals={"": "bsp-sgd"}, stepsize=""),
    ],
)
def test_claims_that_cannot_be_read_are_no_fault_of_the_step(subject: MethodSubject) -> None:
    with pytest.raises(UnreadableClaim):
        audit_method(subject, only=("equality", "conservation", "stability"))


def now_and_then(state: State, gradients: Any, eta: float, H: int, t: int) -> State:
    """Local steps, and a mean of models after each H of them."""
    x = state["x"] - eta * gradients(state["x"])
    return {"x": np.tile(x.mean(0), (len(x), 1)) if (t + 1) % H == 0 else x}


def rare(H: int) -> MethodSubject:
    return method("rare", now_and_then, parameters={"eta": 0.1, "H": H},
                  start=lambda x0, g: {"x": np.tile(x0, (g.instance.n, 1))})  # fmt: skip


def test_a_long_period_has_an_effect_and_one_beyond_every_run_is_compared() -> None:
    found = audit_method(rare(20), only=("parameter",))
    assert [one.outcome for one in found] == [Outcome.SUPPORTED] * 2
    eta, period = audit_method(rare(1000), only=("parameter",))
    assert eta.outcome is Outcome.SUPPORTED and period.outcome is Outcome.COMPARED
    unused = replace(rare(20), parameters={**rare(20).parameters, "unused": 3})
    assert "unused has no effect on any model in 42 rounds" in " ".join(refuted(unused))


def test_courses_that_leave_the_range_apart_are_not_the_same() -> None:
    one, other = np.array([[[1.0]], [[np.inf]]]), np.array([[[2.0]], [[np.inf]]])
    assert difference(one, one).bits and difference(one, other).first == 0
    assert difference(one, np.array([[[1.0]], [[-np.inf]]])).first == 1
    assert difference(one, np.array([[[1.0]], [[np.nan]]])).first == 1
    assert difference(one, np.array([[[1.0]], [[3.0]]])).first == 1


def test_nothing_is_said_of_plainer_methods_without_a_stepsize() -> None:
    still = method("still", lambda state, gradients: state)
    (found,) = audit_method(still, only=("plainer",))
    assert found.outcome is Outcome.NOT_APPLICABLE
    assert found.evidence == "no stepsize to compare at"


def test_laws_are_read_and_never_run() -> None:
    values = {"c": np.ones(2), "c_i": np.array([[0.0, 1.0], [2.0, 1.0]])}
    left, right = sides("c = mean(c_i)", values)
    assert np.array_equal(left, right)
    with pytest.raises(ValueError, match="cannot read the law"):
        sides("c = __import__('os')", values)
    with pytest.raises(ValueError, match="an equation LEFT = RIGHT would do"):
        sides("c", values)


@pytest.mark.parametrize("stepsize", ["eta", "nothing"])
def test_a_stepsize_must_be_a_parameter(stepsize: str) -> None:
    with pytest.raises(ValueError, match="stepsize must be one of a"):
        method("mine", sound.dgd, parameters={"a": 0.1}, stepsize=stepsize)


def test_signs_of_scaffold_are_all_found() -> None:
    """Every changed sign of one step, with no other method to compare with."""
    subject = sound.SCAFFOLD
    signs = [one for one in faults_of(subject) if one.kind == "sign" and differs(one, subject)]
    assert len(signs) >= 5
    assert all(first_refuted(one.subject) for one in signs)
