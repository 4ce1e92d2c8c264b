"""Checks that are late change nothing but when and how precisely they tell; here on the CPU."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.compressors.requirements import require_finite
from algorithms.core.faults import Faults
from algorithms.engine.run import Diverged, run
from algorithms.kernels.deferred_checks import NotFinite, deferred_checks
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from theory.stepsizes import ConstantStep


@pytest.mark.parametrize("key", ["bsp-sgd", "qsgd", "top-k", "random-k", "d-psgd", "diana", "asp"])
def test_late_checks_give_the_same_bits(key: str) -> None:
    built = problem("quadratic-sc", 4)
    once, late = (
        run(row(key).build(built, 12), built, steps=12, replicas=2, late=late)
        for late in (False, True)
    )
    assert torch.equal(once.model, late.model)
    assert torch.equal(once.account.sent_bits, late.account.sent_bits)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_broken_gradient_is_told_at_the_next_record_with_the_steps_since_the_last(
    value: float,
) -> None:
    objective, fault = Quadratic.strongly_convex(4, 8), Faults(2, 13, value)
    sound = run(BSP(ConstantStep(0.1)), objective, steps=40, points=5)
    before = [t for t in sound.steps.tolist() if t <= 13]
    after = sound.steps.tolist()[len(before)]
    window = f"a gradient was not finite in a step from {before[-1]} to {after - 1}, which"
    with pytest.raises(Diverged, match=window) as told:
        run(BSP(ConstantStep(0.1)), objective, steps=40, points=5, faults=fault, late=True)
    assert told.value.trace.steps.tolist() == before
    seen = sound.suboptimality[:, : len(before)]
    assert told.value.trace.suboptimality.tolist() == seen.tolist()
    with pytest.raises(Diverged, match="gradient of worker 2 at step 13"):
        run(BSP(ConstantStep(0.1)), objective, steps=40, points=5, faults=fault)


@pytest.mark.parametrize("key", ["qsgd", "top-k", "random-k"])
def test_a_run_that_grows_without_end_is_told(key: str) -> None:
    """In float32 the models leave its range within 40 steps; messages, too, are looked at."""
    built = problem("quadratic-sc", 4).computing_in(torch.float32)
    method = replace(row(key).build(built, 60), step_rule=ConstantStep(1e3))
    with pytest.raises(Diverged, match=r"not finite in a step from 0 to 59") as told:
        run(method, built, steps=60, points=2, late=True)
    assert told.value.trace.steps.tolist() == [0]


def test_what_is_read_is_forgotten() -> None:
    x = torch.tensor([[1.0, float("nan")]])
    with deferred_checks() as checks:
        assert checks is not None
        checks.read(0)
        require_finite(x.sum(), x, "this")
        require_finite(x[:, :1].sum(), x, "that")
        with pytest.raises(
            NotFinite, match=r"^what this was to send was not finite in a step from 0"
        ):
            checks.read(5)
        checks.read(6)
    with pytest.raises(ValueError, match="this needs finite x"):
        require_finite(x.sum(), x, "this")
