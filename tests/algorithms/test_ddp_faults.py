"""Faulty rules of hooks, in our words: each must fail the test of the hook that it breaks.

Only faults that leave every rank in its collectives: where one rank leaves the others in one,
nothing but a clock tells, and that also goes off when a rank starts late.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn

from algorithms.ddp import hook as ddp_hook
from algorithms.ddp.hook import DDPHook
from algorithms.ddp.model import hooked_parameters, require_agreement
from algorithms.ddp.report import HookReport, HookStep
from algorithms.ddp.row import WholeRow, hand_back
from algorithms.network.launch import launch
from tests.algorithms import test_ddp_model as model

RANKS = model.RANKS


def divide_by_any_rate(self: WholeRow, gradients: list[Tensor]) -> None:
    """The mean of steps is divided by gamma, 0 or not."""
    assert self.sender.learning_rate is not None
    gamma = float(self.sender.learning_rate())
    mean = self._round(gradients, gamma, 1.0)
    assert mean is not None, f"weights are not finite at step {self.sender.t}"
    hand_back(mean.div_(gamma), gradients)


def zero_for_overflow(self: WholeRow, gradients: list[Tensor]) -> None:
    """What is not finite is taken for 0, so that no scaler sees it."""
    for gradient in gradients:
        gradient.nan_to_num_(0.0, 0.0, 0.0)
    KEPT(self, gradients)


def forget_on_overflow(self: WholeRow, gradients: list[Tensor]) -> None:
    """The memory is cleared when a step is skipped."""
    skipped = self.sender.t
    KEPT(self, gradients)
    if any(gradient.isnan().any() for gradient in gradients):
        assert self.sender.t == skipped + 1
        self.sender.state.zero_()


def decide_alone(self: WholeRow, gradients: list[Tensor]) -> None:
    """A rank whose own gradient overflows sends zeros and skips; no other rank hears of it."""
    bad = not all(bool(gradient.isfinite().all()) for gradient in gradients)
    for gradient in gradients if bad else ():
        gradient.zero_()
    KEPT(self, gradients)
    for gradient in gradients if bad else ():
        gradient.fill_(float("nan"))


def agreement_but_on(*left_out: str) -> Callable[[dict[str, Any]], None]:
    """Ranks are held to the same of all but these."""
    return lambda stated: AGREE({k: v for k, v in stated.items() if k not in left_out})


def received_is_sent(report: HookReport, step: HookStep) -> HookReport:
    """Bits sent stand for both directions."""
    return COUNT(report, replace(step, received_bits=step.sent_bits))


def no_error(report: HookReport, step: HookStep) -> HookReport:
    """What compression loses is not reported."""
    return COUNT(report, replace(step, error_norm=0.0))


def dense_in_single(report: HookReport, step: HookStep) -> HookReport:
    """The ratio is that of single precision, whatever the gradient's."""
    return COUNT(report, replace(step, dense_bits=step.dense_bits // 2))


def silent_when_skipped(self: DDPHook, step: HookStep) -> None:
    """The logger hears of no step in which nothing was sent."""
    call, self.on_step = self.on_step, None if step.skipped else self.on_step
    NOTE(self, step)
    self.on_step = call


def logged_twice(self: DDPHook, step: HookStep) -> None:
    """The logger hears of a step when it is sent and when it is summed."""
    NOTE(self, step)
    if self.on_step is not None:
        self.on_step(step)


def own_type(parameters: list[nn.Parameter]) -> torch.dtype:
    """Gradients are compressed in the type that they have."""
    return parameters[0].dtype


def also_ignored(ddp: Any) -> list[nn.Parameter]:
    """Every trained parameter, whether DDP averages it or not."""
    hooked_parameters(ddp)
    return [p for p in ddp.module.parameters() if p.requires_grad]


KEPT, COUNT, AGREE = WholeRow._average, HookReport.with_step, require_agreement
NOTE = DDPHook._note
FAULTS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "any rate": (
        lambda: mock.patch.object(WholeRow, "_average", divide_by_any_rate),
        lambda: model.schedule_from_zero_to_zero(),
    ),
    "other group": (
        lambda: mock.patch.object(ddp_hook, "require_ddp", lambda ddp: ddp),
        lambda: model.group_of_one(),
    ),
    "other seeds": (
        lambda: mock.patch.object(ddp_hook, "require_agreement", lambda stated: None),
        lambda: model.other_seeds(),
    ),
    "other compressors": (
        lambda: mock.patch.object(ddp_hook, "require_agreement", lambda stated: None),
        lambda: model.other_compressors(),
    ),
    "other memories": (
        lambda: mock.patch.object(ddp_hook, "require_agreement", agreement_but_on("memory")),
        lambda: model.other_memories(),
    ),
    "other versions": (
        lambda: mock.patch.object(
            ddp_hook, "require_agreement", agreement_but_on("version of rateproof")
        ),
        lambda: model.other_versions(),
    ),
    "decide alone": (
        lambda: mock.patch.object(WholeRow, "_average", decide_alone),
        lambda: model.overflow(),
    ),
    "zero for overflow": (
        lambda: mock.patch.object(WholeRow, "_average", zero_for_overflow),
        lambda: model.overflow(),
    ),
    "forget on overflow": (
        lambda: mock.patch.object(WholeRow, "_average", forget_on_overflow),
        lambda: model.overflow(),
    ),
    "half types": (
        lambda: mock.patch.object(ddp_hook, "row_type", own_type),
        lambda: model.half_precision(),
    ),
    "sparse": (
        lambda: mock.patch("algorithms.ddp.model._refuse_sparse", lambda module: None),
        lambda: model.sparse_gradients(),
    ),
    "ignored": (
        lambda: mock.patch.object(ddp_hook, "hooked_parameters", also_ignored),
        lambda: model.ignored_parameters(),
    ),
    "bare model": (
        lambda: mock.patch.object(ddp_hook, "require_ddp", lambda ddp: ddp),
        lambda: model.bare_model(),
    ),
    "report": (
        lambda: mock.patch.object(HookReport, "with_step", received_is_sent),
        lambda: model.schedule_from_zero_to_zero(),
    ),
    "no error": (
        lambda: mock.patch.object(HookReport, "with_step", no_error),
        lambda: model.schedule_from_zero_to_zero(),
    ),
    "dense in single": (
        lambda: mock.patch.object(HookReport, "with_step", dense_in_single),
        lambda: model.schedule_from_zero_to_zero(),
    ),
    "silent logger": (
        lambda: mock.patch.object(DDPHook, "_note", silent_when_skipped),
        lambda: model.schedule_from_zero_to_zero(),
    ),
    "logged twice": (
        lambda: mock.patch.object(DDPHook, "_note", logged_twice),
        lambda: model.schedule_from_zero_to_zero(),
    ),
}
SENTENCES = {
    "other group": ("group_of_one", "of 2; the hook averages over all ranks"),
    "other seeds": ("other_seeds", "seed differs between ranks: 0 on rank 0, 1 on rank 1"),
    "other compressors": (
        "other_compressors", "compressor differs between ranks: 'QSGD(s=4)' on rank 0"
    ),
    "other memories": ("other_memories", "memory differs between ranks"),
    "other versions": ("other_versions", "version of rateproof differs between ranks"),
    "sparse": ("sparse_gradients", "Embedding(..., sparse=False) would do"),
    "bare model": ("bare_model", "got Point; DistributedDataParallel(model) would do"),
}  # fmt: skip


def with_faults() -> dict[str, Any]:
    """What every scenario returns under its fault, or the error that it ends with."""
    found: dict[str, Any] = {}
    for name, (plant, scenario) in FAULTS.items():
        with plant():
            try:
                found[name] = scenario()
            except Exception as error:
                found[name] = f"{type(error).__name__}: {error}"
        gc.collect()
        dist.barrier()
    return found


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Any]]:
    return launch(with_faults, ranks=RANKS, timeout=60.0)


def told(ranks: list[dict[str, Any]], fault: str, scenario: str) -> list[dict[str, Any]]:
    return [{scenario: rank[fault]} for rank in ranks]


@pytest.mark.slow
@pytest.mark.sharded
def test_a_rate_of_zero_that_is_divided_by_is_seen(ranks):
    for rank in ranks:
        assert "weights are not finite at step 1" in rank["any rate"]


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("fault", SENTENCES)
def test_what_is_not_refused_is_seen(ranks, fault):
    scenario, sentence = SENTENCES[fault]
    with pytest.raises(AssertionError):
        model.test_what_cannot_be_hooked_is_refused_in_a_sentence(
            told(ranks, fault, scenario), scenario, sentence
        )


@pytest.mark.sharded
@pytest.mark.parametrize("fault", ["decide alone", "zero for overflow", "forget on overflow"])
def test_an_overflow_that_is_lost_is_seen(ranks, fault):
    with pytest.raises(AssertionError):
        model.test_an_overflow_on_one_rank_is_a_skipped_step_on_all(told(ranks, fault, "overflow"))


@pytest.mark.sharded
def test_types_and_parameters_that_are_not_cared_for_are_seen(ranks):
    for rank in ranks:
        assert isinstance(rank["half types"], str), "no code writes half precision"
        assert isinstance(rank["ignored"], str), "a gradient that DDP leaves alone is missed"


@pytest.mark.sharded
@pytest.mark.parametrize(
    "fault", ["report", "no error", "dense in single", "silent logger", "logged twice"]
)
def test_a_report_that_is_wrong_is_seen(ranks, fault):
    with pytest.raises(AssertionError, match="assert"):
        model.test_the_report_counts_what_was_sent(told(ranks, fault, "schedule_from_zero_to_zero"))
