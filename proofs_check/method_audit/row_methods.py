"""A row of the catalogue as a method that is audited: its own steps on an instance's quadratic."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from algorithms.catalogue import row as row_called
from algorithms.core.key import Key
from algorithms.methods.base import Method, RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from algorithms.tuning.parameters import with_settings
from proofs_check.method_audit.instances import AuditInstance, GradientOracle
from proofs_check.method_audit.subject import MethodSubject, State, method
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_STEPS = 10_000  # longer than any run here


class _Made(NamedTuple):
    method: Method[Any]
    context: RunContext


def row_method(key: str, *, gamma: float, every: int = 1, **settings: Any) -> MethodSubject:
    """A row with a constant stepsize; ``every``: how many of its steps are one round. What its
    state holds is its own matter; what its models depend on is looked at.

    Raises:
        ValueError: an unknown row or setting.
    """
    chosen = with_settings(row_called(key), settings) if settings else row_called(key)

    @lru_cache(maxsize=16)
    def made(instance: AuditInstance, stepsize: float) -> _Made:
        problem = Quadratic.from_arrays(
            torch.tensor(instance.a), torch.tensor(instance.b), x0=torch.tensor(instance.x0)
        )
        found = chosen.ready().build(ConstantStep(stepsize), problem, _STEPS)
        context = RunContext(problem, Simulated(problem.n), Key.seed(0), torch.arange(1))
        return _Made(found, context)

    def start(x0: Floats, gradients: GradientOracle, gamma: float) -> State:
        one, context = made(gradients.instance, gamma)
        return _state(one, one.init(torch.tensor(x0), context), 0)

    def step(state: State, gradients: GradientOracle, gamma: float) -> State:
        one, context = made(gradients.instance, gamma)
        t, inner = state["t"], deepcopy(state["inner"])  # steps may write where they read
        for _ in range(every):
            inner = one.step(inner, t, context)
            t += 1
        return _state(one, inner, t)

    return method(
        key, step, start=start, parameters={"gamma": gamma}, models="models", reports=("models",)
    )


def _state(one: Method[Any], inner: Any, t: int) -> State:
    """The row's own state as it is, and its models beside it."""
    models: Floats = one.models(inner)[0].numpy().astype(np.float64)
    return {"inner": inner, "models": models, "t": t}
