"""What LARS and LAMB are for: a network whose layers' weights differ 256-fold, in full batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.lamb import LAMB
from algorithms.optimizers.lars import LARS
from algorithms.problems.mlp import MLP, digits_mlp, rescaled
from proofs_check.instruments.effect_check import Arm, Measurement, at_end
from theory.stepsizes import ConstantStep

PROBLEM = "mlp-digits-levels, 64 samples a worker in full batches"
STEPS, _N, _SAMPLES = 80, 2, 64
TOLD = f"n = {_N}, seeds of the data and of x_0 are 0, nothing else is drawn"


@cache
def _problem() -> MLP:
    whole = rescaled(digits_mlp(_N, batch=0), 256.0)
    few = whole.features[:, :_SAMPLES].contiguous(), whole.labels[:, :_SAMPLES].contiguous()
    return replace(whole, features=few[0], labels=few[1])


def _after(method: Method[Any]) -> Measurement:
    return at_end(run(method, _problem(), steps=STEPS, points=STEPS // 2))


def loss(
    side: Arm,
    key: str,
    gamma: float,
    plain: Callable[[MLP], Optimizer[Any]],
    grid: tuple[float, ...],
) -> Measurement:
    """The loss after :data:`STEPS` steps of row ``key`` at stepsize ``gamma``; the baseline has
    the optimizer ``plain`` at the best stepsize of ``grid``, the fault one ratio for all layers.
    """
    if side is Arm.BASELINE:
        optimizer = plain(_problem())
        tried = [_after(BSP(ConstantStep(step), optimizer=optimizer)) for step in grid]
        return min(tried, key=lambda seen: float(seen.values[0]))
    method = row(key).tune(_problem(), STEPS, ConstantStep(gamma)).method
    return _after(method if side is Arm.METHOD else _undivided(method))


def _undivided(method: Method[Any]) -> Method[Any]:
    """The same with one ratio for the whole model."""
    assert isinstance(method, Batched) and isinstance(method.method, BSP)
    optimizer = method.method.optimizer
    assert isinstance(optimizer, LARS | LAMB)
    whole = replace(optimizer, shapes=((_problem().d,),))
    return replace(method, method=replace(method.method, optimizer=whole))
