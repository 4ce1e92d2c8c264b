"""The two worlds on real gloo ranks: one launch for all rows, and faults that must show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import pytest
import torch
from torch import Tensor

from algorithms.catalogue import FORMS, METHODS, forms_of
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.base import Network
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.problems.quadratic import Quadratic
from experiments.ranks.crossval import byte_cases, cases, hook_cases, main_crossval
from proofs_check.methods.ddp_equivalence import check_hooks
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.verdict import Outcome, Verdict
from tests.experiments.calls import call, refuse
from theory.constants import Constants
from theory.stepsizes import ConstantStep

pytestmark = pytest.mark.sharded


MLP = "mlp-digits"
FEWER = ("quadratic-sc",)
"""Problem on four ranks, or a row's first. Ranks hold two workers each there as on two ranks, where
all problems run: kernels see the same shapes, and what is new is who sends to whom.
"""


def names_what_differs(verdicts: tuple[Verdict, ...], *checks: str) -> set[str]:
    """Problems compared loosely; none is refuted, and every row is in each of the ``checks``."""
    assert [v for v in verdicts if v.outcome is Outcome.REFUTED] == []
    ready = {r.key for r in METHODS} | set(FORMS)
    for check in checks:
        assert {v.subject for v in verdicts if v.check == check} == ready
    return {v.problem for v in verdicts if v.check.startswith("two") and v.bound != 0.0}


@pytest.mark.slow
def test_every_row_is_the_same_in_both_worlds():
    verdicts = main_crossval(2)
    bytes_ = ("bytes that crossed, 2 ranks", "bytes that arrived, 2 ranks")
    assert names_what_differs(verdicts, "two worlds, 2 ranks", *bytes_) == {f"{MLP}-levels", MLP}
    assert any(v.check == "DDP hook, 2 ranks" for v in verdicts)


@pytest.mark.slow
def test_every_row_is_the_same_on_four_ranks():
    """Bytes are counted on two ranks whatever the number, as the test above has done."""
    compared = cross_validate(cases(8, FEWER), 4)
    assert names_what_differs(compared, "two worlds, 4 ranks") == {f"{MLP}-levels"}
    hooks = check_hooks(hook_cases(FEWER), 4)
    assert len(hooks) > 20
    assert not [v for v in hooks if v.outcome is Outcome.REFUTED]


@pytest.mark.slow
def test_rows_that_are_named_run_with_their_forms_and_no_others():
    words = ("crossval", "--row", "lag:ps", "--row", "d-psgd", "--ranks", "4", "--json")
    code, out, err = call(*words)
    assert code == 0, err
    found = {(v["subject"], v["check"]) for v in json.loads(out)}
    keys = {"lag:ps", "d-psgd", *(form.key for form in forms_of("d-psgd"))}
    checks = ("two worlds, 4 ranks", "ledgers, 4 ranks", "bytes that crossed, 2 ranks")
    assert found >= {(key, check) for key in keys for check in checks}
    assert {subject for subject, _ in found} == keys
    assert err.splitlines()[0].endswith("on 4 ranks, 8 workers")


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("qsdg", "unknown row 'qsdg'; nearest: qsgd"),
        ("lag:pss", "unknown form 'lag:pss'; nearest: lag:ps"),
        ("wfbp", "is a schedule, not a method that runs"),
    ],
)
def test_rows_that_cannot_run_are_refused(key, told):
    refuse(("crossval", "--row", "qsgd", "--row", key), told)


class Row(NamedTuple):
    x: Tensor


@dataclass(frozen=True)
class DrawsByPlace(Method[Row]):
    """A planted fault: noise depends on where a row is held, not on whose it is."""

    shared_model: ClassVar[bool] = True

    name = "draws by place"

    def constants(self, problem):
        return Constants()

    def init(self, x0, context):
        return Row(context.rows(x0, 1))

    def step(self, state, t, context):
        places = torch.arange(len(context.network.workers))
        noise = context.key.fold("x", t).draws(context.replicas, places)
        packet = context.pack(Identity(), noise.normal(state.x.shape[-1], torch.float64), t)
        return Row(state.x - context.network.average(packet).result)

    def models(self, state):
        return state.x


@dataclass(frozen=True)
class ChargesByRank(Method[Row]):
    """A planted fault: whoever holds fewer rows charges more."""

    shared_model: ClassVar[bool] = True

    name = "charges by rank"

    def constants(self, problem):
        return Constants()

    def init(self, x0, context):
        return Row(context.rows(x0, 1))

    def step(self, state, t, context):
        context.network.ledger.send(64 // len(context.network.workers))
        return state

    def models(self, state):
        return state.x


FAULTS = {"place": DrawsByPlace(), "charge": ChargesByRank(), "none": BSP(ConstantStep(0.1))}


def build_fault(name):
    return FAULTS[name], Quadratic.strongly_convex(4, 6, zeta2=1.0)


def test_planted_faults_are_refuted():
    planted = tuple(Case(name, build_fault, (name,)) for name in ("place", "charge", "none"))
    found = {(v.subject, v.check.split(",")[0]): v.outcome for v in cross_validate(planted, 2)}
    assert found["place", "two worlds"] is Outcome.REFUTED
    assert found["charge", "ledgers"] is Outcome.REFUTED
    assert found["none", "two worlds"] is found["none", "ledgers"] is Outcome.AGREES


def test_an_undercounted_length_is_refuted():
    counted = byte_cases()
    case = next(c for c in counted if c.row == "qsgd")
    verdicts = cross_validate((case,), 2, {case: (counted[case][0] - 8, True)})
    found = {v.check.split(",")[0]: v.outcome for v in verdicts}
    assert found["bytes that crossed"] is Outcome.REFUTED
    assert found["bytes that arrived"] is not Outcome.REFUTED


@dataclass(frozen=True)
class HearsNothing(Method[Row]):
    """A planted fault: workers are charged for a model that nobody sends them."""

    shared_model: ClassVar[bool] = True

    name = "hears nothing"

    def constants(self, problem):
        return Constants()

    def init(self, x0, context):
        return Row(context.rows(x0, 1))

    def step(self, state, t, context):
        mean, _ = context.network.average(context.pack(Identity(), context.gradient(state.x, t), t))
        context.network.ledger.receive(64 * state.x.shape[-1])
        return Row(state.x - 0.1 * mean)

    def models(self, state):
        return state.x


def build_hearing(name):
    method = HearsNothing() if name == "wrong" else BSP(ConstantStep(0.1))
    return method, Quadratic.strongly_convex(2, 6)


def test_a_model_that_is_charged_and_never_arrives_is_refuted():
    planted = tuple(Case(name, build_hearing, (name,)) for name in ("wrong", "right"))
    verdicts = cross_validate(planted, 2, dict.fromkeys(planted, (64.0 * 6, True)))
    found = {v.subject: v.outcome for v in verdicts if v.check.startswith("bytes that arrived")}
    assert found["wrong"] is Outcome.REFUTED and found["right"] is not Outcome.REFUTED
    assert not [v for v in verdicts if v.outcome is Outcome.REFUTED and v.subject == "right"]


def build_networks(n: int) -> str:
    try:
        network: Network = Sharded(n)
    except ValueError as error:
        return str(error)
    return f"{network.n} workers"


def test_workers_must_spread_evenly():
    told = (
        "n=3 workers do not spread evenly over 2 ranks; a number of ranks that divides 3 would do"
    )
    assert launch(build_networks, 3, ranks=2) == [told] * 2


def test_launch_refuses_no_ranks_and_sharded_needs_ranks():
    with pytest.raises(ValueError, match="ranks must be at least 1, got ranks=0"):
        launch(build_networks, 4, ranks=0)
    with pytest.raises(ValueError, match="ranks must be at least 2"):
        main_crossval(1)
    with pytest.raises(RuntimeError, match=r"torch\.distributed is not initialised"):
        Sharded(2)


def test_every_ready_row_is_among_the_cases():
    assert {c.row for c in cases(4)} == {r.key for r in METHODS} | set(FORMS)
