"""RI-SGD: a second shard on every worker lowers the floor that different shards leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, final

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.stepsizes import ConstantStep

_N, _D, _STEPS, _STEP = 8, 10, 400, ConstantStep(0.2)


@final
@dataclass(frozen=True)
class SharedWithTheFirst(FaultyMethod):
    """Worker i descends on (f_i + f_1) / 2: the second shard is one and the same for all."""

    right: OnMoreShards

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.method.step(state, t, replace(context, problem=with_the_first(context)))


@lru_cache(maxsize=1)
def _mixed(base: Quadratic) -> Quadratic:
    return replace(base, a=(base.a + base.a[:1]) / 2, c=(base.c + base.c[:1]) / 2)


def with_the_first(context: RunContext) -> Quadratic:
    """The quadratic of a world, the first worker's shard beside every own one."""
    assert isinstance(context.problem, Quadratic)
    return _mixed(context.problem)


def measure(side: Arm) -> Measurement:
    """The mean model's error on workers with Hessians and minimisers of their own."""
    problem = unequal(_N, _D, sigma2=0.0)
    if side is Arm.BASELINE:
        return at_end(run(LocalSGD(_STEP, 8), problem, steps=_STEPS))
    method = row("ri-sgd").tune(problem, _STEPS, _STEP).method
    assert isinstance(method, OnMoreShards)
    sides: dict[Arm, Method[Any]] = {
        Arm.METHOD: method, Arm.FAULT: SharedWithTheFirst(method)
    }  # fmt: skip
    return at_end(run(sides[side], problem, steps=_STEPS))


SIGNATURE = EffectCheck(
    row="ri-sgd",
    problem="quadratic-unequal, d = 10, no noise",
    effect="a second shard on every worker lowers the floor that different shards leave",
    quantity=f"f(x_T) - f* of the mean model after {_STEPS} steps [f]",
    method="RI-SGD, two shards a worker, H = 8",
    baseline="local SGD with one shard a worker, H = 8, at the same stepsize",
    fault="all share one shard, the first, beside their own",
    at_most=0.4,
    measure=measure,
    x_label="steps",
    y_label="f(x_t) - f* of the mean model [f]",
    source="Haddadpour, Kamani, Mahdavi, Cadambe 2019, ICML, Section 1: redundancy lowers the "
    "residual error",
    told=f"n = {_N}, gamma = 0.2, nothing is drawn",
)
