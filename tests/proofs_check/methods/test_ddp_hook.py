"""Our compressors as hooks of DistributedDataParallel on gloo ranks, against the simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
import torch

from algorithms.catalogue import row
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.ddp.hook import DDPHook
from algorithms.memories import in_place
from algorithms.memories.base import NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.memories.moving_average_feedback import MovingAverageFeedback
from algorithms.methods.parts.gradients import Full, Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.entries import problem
from proofs_check.methods import ddp_equivalence
from proofs_check.methods.ddp_equivalence import HookCase, check_hooks, judge, simulate
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

QUADRATIC = partial(problem, "quadratic-sc")
NETWORK = partial(problem, "mlp-digits")
CASES = tuple(
    HookCase(row, BSP(ConstantStep(0.05), compressor, memory), build)
    for build in (QUADRATIC, NETWORK)
    for row, compressor, memory in (
        ("qsgd", QSGD(4), NoMemory()),
        ("natural-compression", NaturalCompression(), NoMemory()),
        ("random-k", RandK(0.25), NoMemory()),
        ("top-k", TopK(0.1), ErrorFeedback()),
        ("ef-signsgd", LayerWise(ScaledSign()), ErrorFeedback()),
        ("top-k of all", TopK(1.0), MomentumCorrection(0.5)),
        ("gradient-dropping of few", AbsoluteThreshold(0.95, 0.5), ErrorFeedback()),
        ("loco", NearestGrid(4), MovingAverageFeedback(0.5, 6)),
    )
)
BY_STEP = (
    "one-bit-adam", "zero-one-adam", "demo", "dion", "cocktail-sgd", "powersgd", "diana",
    "dist-ef-sgd", "local-sgd", "ef21", "ef21-sgdm", "ef21-bc", "econtrol", "marina", "dasha:mvr",
    "diloco", "scaffold", "feddyn",
)  # fmt: skip
"""Rows that do more than average what workers send: a module takes their own step."""


def by_step(key: str, build: Callable[[int], Problem]) -> HookCase:
    """The row's method, made for two workers, as the optimizer of a module: of samples, where the
    row takes exact gradients, which a module does not have."""
    method = row(key).build(build(2), 20)
    if isinstance(getattr(method, "gradients", None), Full):
        method = replace(method, gradients=Sampled())
    return HookCase(key, method, build)


RESUMED = (
    *(replace(case, resume=True) for case in CASES if case.row in ("top-k", "loco")),
    *(
        replace(by_step(key, NETWORK), resume=True)
        for key in ("one-bit-adam", "dion", "ef21", "diloco")
    ),
)


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("ranks", [2, 4])
def test_training_equals_the_simulation(ranks):
    stepped = [by_step(key, build) for key in BY_STEP for build in (QUADRATIC, NETWORK)]
    # v = 0 where a pixel is always dark: signs divided by epsilon magnify the last bit
    stepped.remove(by_step("zero-one-adam", NETWORK))
    cases = (*CASES, *RESUMED, *(stepped if ranks == 2 else ()))
    verdicts = check_hooks(cases, ranks)
    assert len(verdicts) == len(cases)
    for verdict in verdicts:
        assert verdict.outcome is Outcome.AGREES, verdict


def test_a_message_longer_than_the_row_is_billed_as_the_row(monkeypatch):
    """Top-k of all has positions beside its numbers; a hook that sent them would be refuted."""
    case = next(one for one in CASES if one.row == "top-k of all")
    right, d = simulate(case, 2), QUADRATIC(2).d
    assert right.sent_bits == case.steps * 64 * d
    carried = right._replace(crossed=right.sent_bits // 8)
    assert judge(case, right, [carried] * 2, 2).outcome is Outcome.AGREES
    monkeypatch.setattr(ddp_equivalence, "AtMostRow", lambda operator: operator)
    listed = simulate(case, 2)
    assert listed.sent_bits > right.sent_bits and torch.equal(listed.model, right.model)
    assert judge(case, right, [listed._replace(crossed=listed.sent_bits // 8)] * 2, 2).outcome is (
        Outcome.REFUTED
    )


def test_a_memory_of_steps_needs_the_rate():
    with pytest.raises(ValueError, match="error feedback holds steps and needs learning_rate"):
        DDPHook(TopK(1), ErrorFeedback())


def test_a_state_of_another_model_is_refused():
    mine, other = (torch.zeros(1, 1, d, dtype=torch.float64) for d in (4, 3))
    with pytest.raises(ValueError, match=r"shape \[1, 1, 3\], this model needs \[1, 1, 4\]"):
        in_place.filled(mine, [other])


def test_other_draws_and_uncharged_bytes_are_refuted():
    case = CASES[0]
    right, other = simulate(case, 2), simulate(replace(case, seed=4), 2)
    carried = right._replace(crossed=right.sent_bits // 8)
    assert judge(case, right, [carried] * 2, 2).outcome is Outcome.AGREES
    assert judge(case, right, [other._replace(crossed=carried.crossed)] * 2, 2).outcome is (
        Outcome.REFUTED
    )
    free = carried._replace(crossed=carried.crossed // 2)
    assert judge(case, right, [free] * 2, 2).outcome is Outcome.REFUTED
