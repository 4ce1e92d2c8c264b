"""PR-SGD with momentum that is averaged.

On quadratics with one Hessian its mean is that of BSP with momentum; the spread forgets the last
block, unless velocities differ at its start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.synchronisation.periods import Every, Periods
from proofs_check.closed_forms.local_updates.common_hessian import (
    GAMMA,
    REPLICAS,
    SEED,
    STEPS,
    TOLD,
    noisy,
    spread_of_run,
    spreads,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Periods], Method[Any]]
_M = 0.8


def with_momentum(step: Stepsize, periods: Periods) -> LocalSGD:
    """PR-SGD with momentum, its velocities averaged at meetings."""
    return LocalSGD(step, periods, Momentum(_M), AtMeetings.AVERAGED)


def averaged_momentum(build: Build = with_momentum) -> tuple[Verdict, ...]:
    """The mean model is that of BSP with momentum; the spread forgets the last block."""
    problem, periods, ends = noisy(), Every(6), tuple(range(6, STEPS, 6))
    step = ConstantStep(0.1)
    right = BSP(step, optimizer=Momentum(_M))
    wrong = build(step, periods)
    return (
        identity(
            "pr-sgd-momentum", "mean of local models = model of BSP with momentum, path by path",
            models(wrong, problem, STEPS, seed=SEED, replicas=REPLICAS),
            models(right, problem, STEPS, seed=SEED, replicas=REPLICAS),
            check="closed form, momentum", problem=problem.name, provenance=TOLD,
        ),
        identity(
            "pr-sgd-momentum", "x_i - xbar = s_j (b_i - bbar) j steps after a meeting, by the "
            "recursion of momentum from s_0 = v_0 = 0",
            spread_of_run(build(ConstantStep(GAMMA), periods)), spreads(ends, _M)[:, None],
            check="closed form, spread between meetings", problem="quadratic",
            provenance=f"{STEPS} steps, gamma {GAMMA:g}, m {_M:g}, no noise",
        ),
    )  # fmt: skip


CLOSED_FORMS = (averaged_momentum,)
