r"""Square-root scaling of the stepsize with the batch.

$Cov(\sqrt k \gamma\, g_k) = k \gamma^2 \sigma^2 / (k n) = Cov(\gamma g)$.
"""

from __future__ import annotations

from collections.abc import Callable

from algorithms.engine.run import run
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.closed_forms.large_batch.stationary_variance import (
    GAMMA,
    REPLICAS,
    SEED,
    TIMES,
    N,
)
from proofs_check.closed_forms.synchronous.noisy_quadratic import one_hessian
from proofs_check.instruments.evidence import mean_square
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep, ScaledStep, Stepsize

Scale = Callable[[Stepsize, int], Stepsize]


def square_root(step: Stepsize, factor: int) -> Stepsize:
    """The stepsizes scaled by the square root of the batch factor."""
    return ScaledStep(step, factor, 0.5)


def sqrt_scaling(scale: Scale = square_root) -> Verdict:
    """One step from the minimiser moves by sqrt(k) gamma g_k: its covariance is that of gamma g."""
    problem = one_hessian(N, 0.0)
    method = Batched(BSP(scale(ConstantStep(GAMMA), TIMES)), FixedBatch(TIMES))
    trace = run(method, problem, steps=1, seed=SEED, replicas=4 * REPLICAS, points=2)
    return mean_square(
        "sqrt-scaling", "Cov(sqrt(k) gamma g_k) = Cov(gamma g) = gamma^2 sigma^2 / n",
        trace.model.numpy(), GAMMA**2 / N, check="closed form, covariance of a step",
        problem=problem.name,
        provenance=f"seed {SEED}, {4 * REPLICAS} replicas of {problem.d} coordinates, k {TIMES}",
    )  # fmt: skip


def scaled_by_root() -> tuple[Verdict, ...]:
    """The covariance of one step."""
    return (sqrt_scaling(),)


CLOSED_FORMS = (scaled_by_root,)
