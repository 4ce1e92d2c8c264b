r"""The stationary variance of SGD on the noisy quadratic, by stepsize and batch.

With a batch k times as large, sigma^2 becomes sigma^2 / k, so the variance is
$V(\gamma, k) = \gamma \sigma^2 / (k n a (2 - \gamma a))$.
"""

from __future__ import annotations

from algorithms.engine.run import run
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.closed_forms.synchronous.noisy_quadratic import one_hessian
from proofs_check.instruments.evidence import mean_square
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import BatchRule
from theory.stepsizes import Stepsize

N, GAMMA, TIMES, STEPS, REPLICAS, SEED = 2, 0.05, 8, 300, 64, 71


def stationary(gamma: float, factor: int, steps: int = STEPS) -> float:
    """Variance of one coordinate after ``steps`` from the minimiser: a = 1, unit noise, n = 2."""
    q2 = (1 - gamma) ** 2
    return gamma**2 / (factor * N) * (1 - q2**steps) / (1 - q2)


def measured_variance(
    row: str, claim: str, step: Stepsize, batch: BatchRule, expected: float, steps: int = STEPS
) -> Verdict:
    """The variance of a run against the ``exact`` one."""
    problem = one_hessian(N, 0.0)
    method = Batched(BSP(step), batch)
    trace = run(method, problem, steps=steps, seed=SEED, replicas=REPLICAS, points=2)
    return mean_square(
        row, claim, trace.model.numpy(), expected, check="closed form, large batch",
        problem=problem.name,
        provenance=f"seed {SEED}, {REPLICAS} replicas of {problem.d} coordinates, {steps} steps, "
        f"gamma {GAMMA}, k {TIMES}",
    )  # fmt: skip
