r"""Large batches on the noisy quadratic: what scaling the stepsize and growing the batch keep.

With a batch k times as large, sigma^2 becomes sigma^2 / k. The stationary variance of C1 is
$V(\gamma, k) = \gamma \sigma^2 / (k n a (2 - \gamma a))$. Hence, exactly,

- linear scaling: $V(k \gamma, k) = V(\gamma, 1) (2 - \gamma a) / (2 - k \gamma a)$: the same to
  leading order in $\gamma a$;
- batch growth for stepsize decay: $V(\gamma, k)\, /\, V(\gamma / k, 1) = (2 - \gamma a / k) /
  (2 - \gamma a)$: the same to leading order;
- square-root scaling: $Cov(\sqrt k \gamma\, g_k) = k \gamma^2 \sigma^2 / (k n) = Cov(\gamma g)$.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from proofs_check.closed_forms.synchronous.noisy_quadratic import one_hessian
from proofs_check.instruments.evidence import identity, mean_square
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import BatchRule, FixedBatch, StagedBatch
from theory.stepsizes import ConstantStep, GradualWarmUpStep, ScaledStep, StepDecay, Stepsize, legw

Scale = Callable[[Stepsize, int], Stepsize]
Growth = Callable[[Stepsize, int], tuple[Stepsize, BatchRule]]

_N, _GAMMA, _TIMES, _STEPS, _REPLICAS, _SEED = 2, 0.05, 8, 300, 64, 71


def stationary(gamma: float, factor: int, steps: int = _STEPS) -> float:
    """Variance of one coordinate after ``steps`` from the minimiser: a = 1, unit noise, n = 2."""
    q2 = (1 - gamma) ** 2
    return gamma**2 / (factor * _N) * (1 - q2**steps) / (1 - q2)


def _variance_verdict(
    row: str, claim: str, step: Stepsize, batch: BatchRule, expected: float, steps: int = _STEPS
) -> Verdict:
    problem = one_hessian(_N, 0.0)
    method = Batched(BSP(step), batch)
    trace = run(method, problem, steps=steps, seed=_SEED, replicas=_REPLICAS, points=2)
    return mean_square(
        row, claim, trace.model.numpy(), expected, check="closed form C1, large batch",
        problem=problem.name,
        provenance=f"seed {_SEED}, {_REPLICAS} replicas of {problem.d} coordinates, {steps} steps, "
        f"gamma {_GAMMA}, k {_TIMES}",
    )  # fmt: skip


def linear(step: Stepsize, factor: int) -> Stepsize:
    """The linear rule, as the catalogue's row has it once warmed up."""
    return ScaledStep(step, factor, 1.0)


def square_root(step: Stepsize, factor: int) -> Stepsize:
    """The square-root rule."""
    return ScaledStep(step, factor, 0.5)


def linear_scaling(scale: Scale = linear) -> Verdict:
    """The stationary variance of k gamma with batch k: V(gamma, 1) to leading order, exactly so."""
    base = stationary(_GAMMA, 1)
    exact = base * (2 - _GAMMA) / (2 - _TIMES * _GAMMA)
    return _variance_verdict(
        "linear-scaling",
        f"E x^2 = {exact / base:.4g} V(gamma, 1) = (2 - gamma a) / (2 - k gamma a) V(gamma, 1)",
        scale(ConstantStep(_GAMMA), _TIMES), FixedBatch(_TIMES), exact,
    )  # fmt: skip


def sqrt_scaling(scale: Scale = square_root) -> Verdict:
    """One step from the minimiser moves by sqrt(k) gamma g_k: its covariance is that of gamma g."""
    problem = one_hessian(_N, 0.0)
    method = Batched(BSP(scale(ConstantStep(_GAMMA), _TIMES)), FixedBatch(_TIMES))
    trace = run(method, problem, steps=1, seed=_SEED, replicas=4 * _REPLICAS, points=2)
    return mean_square(
        "sqrt-scaling", "Cov(sqrt(k) gamma g_k) = Cov(gamma g) = gamma^2 sigma^2 / n",
        trace.model.numpy(), _GAMMA**2 / _N, check="closed form, covariance of a step",
        problem=problem.name,
        provenance=f"seed {_SEED}, {4 * _REPLICAS} replicas of {problem.d} coordinates, k {_TIMES}",
    )  # fmt: skip


def grown(step: Stepsize, every: int) -> tuple[Stepsize, BatchRule]:
    """Constant stepsize, batch times 8 after ``every`` steps."""
    return step, StagedBatch(every, _TIMES, most=_TIMES)


def batch_growth(growth: Growth = grown) -> tuple[Verdict, ...]:
    """Batch times k, or stepsize by k: the same noise scale gamma sigma^2 / B, V to leading order.

    Both start at (gamma, 1), switch after 100 steps and run until the past is forgotten.
    """
    every, long = 100, 900
    small, base = _GAMMA / _TIMES, stationary(_GAMMA, 1, every)
    grown_end = _later(base, _GAMMA, _TIMES, _STEPS - every)
    decayed_end = _later(base, small, 1, long - every)
    decay = StepDecay(ConstantStep(_GAMMA), every, _TIMES, times=1)
    ratio = (2 - _GAMMA) / (2 - small)
    return (
        _variance_verdict(
            "batch-growth", "E x^2 after the batch grew k times = V(gamma, k)",
            *growth(ConstantStep(_GAMMA), every), grown_end,
        ),
        _variance_verdict(
            "batch-growth",
            "E x^2 after the stepsize fell k times instead = V(gamma / k, 1) = (2 - gamma a) / "
            f"(2 - gamma a / k) V(gamma, k) = {ratio:.4g} V(gamma, k)",
            decay, FixedBatch(1), decayed_end, long,
        ),
    )  # fmt: skip


def _later(variance: float, gamma: float, factor: int, steps: int) -> float:
    """What a variance becomes in ``steps`` steps with (gamma, factor)."""
    return float((1 - gamma) ** (2 * steps)) * variance + stationary(gamma, factor, steps)


def noise_scales(growth: Growth = grown) -> Verdict:
    """gamma_t / k_t, step by step, of growth and of decay with the same stages."""
    step, rule = growth(ConstantStep(_GAMMA), 10)
    decay = StepDecay(ConstantStep(_GAMMA), 10, _TIMES, times=1)
    grows = [step(t) / rule(t) for t in range(80)]
    return identity(
        "batch-growth", "gamma_t / B_t is that of a stepsize divided at the same step", grows,
        [decay(t) for t in range(80)], check="noise scale", provenance="80 steps, k 8 after 10",
    )  # fmt: skip


def linear_ramp(start: Stepsize, factor: int, length: int) -> Stepsize:
    """Goyal et al.'s warm-up."""
    return GradualWarmUpStep(start, factor, length)


def warm_up(make: Callable[[Stepsize, int, int], Stepsize] = linear_ramp) -> Verdict:
    """gamma at t = 0, k gamma from the end of the warm-up on, equal increments, never above."""
    length, step = 20, make(ConstantStep(_GAMMA), _TIMES, 20)
    reached = [step(t) / _GAMMA for t in range(3 * length)]
    expected = [min(_TIMES, 1 + (_TIMES - 1) * t / length) for t in range(3 * length)]
    return identity(
        "linear-scaling", "from gamma to k gamma by equal increments, and no further",
        reached, expected, check="warm-up", provenance="Goyal et al. 2017, section 2.2; k 8",
    )  # fmt: skip


def legw_lasts() -> Verdict:
    """LEGW's warm-up lasts as many steps for every batch, and peaks at sqrt(k) gamma."""
    rows = []
    for factor in (1, 4, 16):
        step = legw(ConstantStep(_GAMMA), factor, 2.0, 30)
        rows.append([step(t) / (_GAMMA * factor**0.5) for t in range(100)])
    ramp = [min(1.0, (t + 1) / 60) for t in range(100)]
    return identity(
        "legw", "k times the epochs of 1/k the steps: one ramp for all k, peak sqrt(k) gamma",
        rows, [ramp] * 3, check="warm-up", provenance="You et al. 2019, k 1, 4, 16",
    )  # fmt: skip


def catalyst_by_hand(make: Callable[..., Method[Any]] = CatalystPSGD) -> Verdict:
    """f = x^2/2 from x = 1, theta = 2, gamma = 1/4, y renewed every two steps: in fractions."""
    problem = Quadratic.strongly_convex(1, 1, L=1.0, mu=1.0, sigma2=0.0, R2=1.0)
    x, trail = Fraction(1), [Fraction(1)]
    for _ in range(3):
        y = x
        for _ in range(2):
            x -= (x + 2 * (x - y)) / 4
            trail.append(x)
    method = make(ConstantStep(0.25), FixedBatch(1), 2, 2.0)
    return identity(
        "cr-psgd", "Catalyst: x - gamma (grad f(x) + theta (x - y)), y renewed with every stage",
        models(method, problem, 6)[:, 0, 0], [float(v) for v in trail], check="exact arithmetic",
        problem="x^2/2", provenance="Yu, Jin 2019, Algorithm 2; three stages of two steps",
    )  # fmt: skip


def large_batch() -> tuple[Verdict, ...]:
    """All of it."""
    return (
        linear_scaling(),
        sqrt_scaling(),
        *batch_growth(),
        noise_scales(),
        warm_up(),
        legw_lasts(),
        catalyst_by_hand(),
    )


CLOSED_FORMS = (large_batch,)
