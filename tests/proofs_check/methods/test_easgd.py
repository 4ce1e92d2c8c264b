"""EASGD: both forms in both worlds, ledgers, momentum, stability, refusals."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from algorithms.catalogue import problem
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.cooperative.easgd import EASGD
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.evidence.cooperative.closed_forms import (
    asynchronous_replay,
    elastic_replay,
    mean_and_centre,
)
from proofs_check.evidence.cooperative.studies import EASGD_STABILITY_STUDY as STUDY
from proofs_check.evidence.cooperative.studies import simulated, threshold
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.1)


def built(kind: str, name: str, momentum: float) -> tuple[Method[Any], Problem]:
    """What the two worlds both make."""
    made: Method[Any] = (
        AsyncEASGD(STEP, 40, Exponential((1.0, 2.0, 0.5, 1.5)), 0.2, 2, momentum)
        if kind == "asynchronous"
        else EASGD(STEP, 0.1, period=3, momentum=momentum)
    )
    return made, problem(name, 4)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("period", [1, 4])
def test_replays(momentum: float, period: int) -> None:
    assert elastic_replay(momentum=momentum, period=period).outcome is Outcome.AGREES
    assert asynchronous_replay(momentum=momentum, period=period).outcome is Outcome.AGREES


@pytest.mark.parametrize(("alpha", "beta"), [(0.02, 0.1), (0.3, 0.3), (0.5, 1.9)])
def test_mean_and_centre_move_by_the_matrix(alpha: float, beta: float) -> None:
    assert mean_and_centre(alpha=alpha, beta=beta).outcome is Outcome.AGREES


@pytest.mark.sharded
def test_both_worlds_agree() -> None:
    cases = tuple(
        Case("easgd", built, (kind, name, momentum), steps=30)
        for kind, name, momentum in (
            ("in step", "quadratic-sc", 0.9),
            ("asynchronous", "quadratic-sc", 0.0),
            ("asynchronous", "logreg-breast-cancer", 0.9),
        )
    )
    for verdict in cross_validate(cases, 2):
        assert verdict.outcome is Outcome.AGREES, verdict


@pytest.mark.parametrize("kind", ["in step", "asynchronous"])
@pytest.mark.parametrize("name", ["quadratic-sc", "nonconvex-digits-dirichlet"])
def test_progress(kind: str, name: str) -> None:
    method, made = built(kind, name, 0.0)
    trace = run(method, made, steps=40, points=2)
    assert made.value(trace.model).max() < made.value(made.start())


def test_meetings_are_charged() -> None:
    quadratic, bits = Quadratic.strongly_convex(4, 8), 8 * 64
    account = run(EASGD(STEP, 0.1, period=3), quadratic, steps=7, points=2).account
    assert bool((account.sent_bits == 3 * bits).all())  # t = 0, 3, 6
    assert torch.equal(account.sent_bits, account.received_bits)
    method = AsyncEASGD(STEP, 20, Exponential(), 0.2)
    account = run(method, quadratic, steps=20, points=2).account
    assert int(account.sent_bits.sum()) == 20 * bits == int(account.received_bits.sum())


def test_stability_is_that_of_the_matrix() -> None:
    for alpha, beta in ((0.2, 0.8), (0.65, 0.65)):
        found = simulated(lambda method: method, alpha, beta)
        assert found == pytest.approx(threshold(alpha, beta), rel=0.01)


def test_a_wrong_centre_has_another_region() -> None:
    found = simulated(
        lambda method: EASGD(method.step_rule, 2 * method.alpha, method.beta), 0.5, 0.5
    )
    assert found != pytest.approx(threshold(0.5, 0.5), rel=0.01)
    assert STUDY.row == "easgd"


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="alpha=-1"):
        EASGD(STEP, -1.0)
    with pytest.raises(ValueError, match="beta=-1"):
        EASGD(STEP, 0.1, -1.0)
    with pytest.raises(ValueError, match="momentum=1"):
        EASGD(STEP, 0.1, momentum=1.0)
    with pytest.raises(ValueError, match="period=0"):
        AsyncEASGD(STEP, 1, Exponential(), 0.1, 0)
    with pytest.raises(ValueError, match="ticks=0"):
        AsyncEASGD(STEP, 0, Exponential(), 0.1)
