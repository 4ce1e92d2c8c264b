"""Closed forms: stationary variance, batch growth, linear scaling, sqrt scaling, legw, printed
iterations, cr psgd."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.stale import SSP
from proofs_check.evidence.synchronous.closed_forms import one_hessian
from proofs_check.instruments.closed_forms import ClosedForms, mean_square_is, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.evidence import mean_square
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import BatchRule, FixedBatch, StagedBatch
from theory.stepsizes import ConstantStep, GradualWarmUpStep, ScaledStep, StepDecay, Stepsize, legw

# The stationary variance of SGD on the noisy quadratic, by stepsize and batch.
#
# With a batch k times as large, sigma^2 becomes sigma^2 / k, so the variance is
# $V(\gamma, k) = \gamma \sigma^2 / (k n a (2 - \gamma a))$.


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


# A growing batch in place of a decaying stepsize.
#
# $V(\gamma, k)\, /\, V(\gamma / k, 1) = (2 - \gamma a / k) / (2 - \gamma a)$: the same to leading
# order, with V as in :mod:`proofs_check.evidence.large_batch.closed_forms`.


Growth = Callable[[Stepsize, int], tuple[Stepsize, BatchRule]]


def grown(step: Stepsize, every: int) -> tuple[Stepsize, BatchRule]:
    """Constant stepsize, batch times 8 after ``every`` steps."""
    return step, StagedBatch(every, TIMES, most=TIMES)


def batch_growth(growth: Growth = grown) -> tuple[Verdict, ...]:
    """Batch times k, or stepsize by k: the same noise scale gamma sigma^2 / B, V to leading order.

    Both start at (gamma, 1), switch after 100 steps and run until the past is forgotten.
    """
    every, long = 100, 900
    small, base = GAMMA / TIMES, stationary(GAMMA, 1, every)
    grown_end = _later(base, GAMMA, TIMES, STEPS - every)
    decayed_end = _later(base, small, 1, long - every)
    decay = StepDecay(ConstantStep(GAMMA), every, TIMES, times=1)
    ratio = (2 - GAMMA) / (2 - small)
    return (
        measured_variance(
            "batch-growth", "E x^2 after the batch grew k times = V(gamma, k)",
            *growth(ConstantStep(GAMMA), every), grown_end,
        ),
        measured_variance(
            "batch-growth",
            "E x^2 after the stepsize fell k times instead = V(gamma / k, 1) = (2 - gamma a) / "
            f"(2 - gamma a / k) V(gamma, k) = {ratio:.4g} V(gamma, k)",
            decay, FixedBatch(1), decayed_end, long,
        ),
    )  # fmt: skip


def _later(variance: float, gamma: float, factor: int, steps: int) -> float:
    """Variance after ``steps`` steps with (gamma, factor)."""
    return float((1 - gamma) ** (2 * steps)) * variance + stationary(gamma, factor, steps)


_BATCH_GROWTH_FORMS = ClosedForms("batch-growth")


@_BATCH_GROWTH_FORMS.case("noise scale", "80 steps, k 8 after 10")
def noise_scales(growth: Growth = grown) -> Verdict:
    """gamma_t / k_t, step by step, of growth and of decay with the same stages."""
    step, rule = growth(ConstantStep(GAMMA), 10)
    decay = StepDecay(ConstantStep(GAMMA), 10, TIMES, times=1)
    grows = [step(t) / rule(t) for t in range(80)]
    return same(
        "gamma_t / B_t is that of a stepsize divided at the same step", grows,
        [decay(t) for t in range(80)],
    )  # fmt: skip


def growth() -> tuple[Verdict, ...]:
    """The variance after growth and after decay, and their noise scales."""
    return (*batch_growth(), noise_scales())


# Linear scaling of the stepsize with the batch, and its warm-up.
#
# $V(k \gamma, k) = V(\gamma, 1) (2 - \gamma a) / (2 - k \gamma a)$: the same to leading order in
# $\gamma a$, with V as in :mod:`proofs_check.evidence.large_batch.closed_forms`.


Scale = Callable[[Stepsize, int], Stepsize]


def linear(step: Stepsize, factor: int) -> Stepsize:
    """The linear rule, as the catalogue's row has it once warmed up."""
    return ScaledStep(step, factor, 1.0)


def linear_scaling(scale: Scale = linear) -> Verdict:
    """The stationary variance of k gamma with batch k: V(gamma, 1) to leading order, exactly so."""
    base = stationary(GAMMA, 1)
    exact = base * (2 - GAMMA) / (2 - TIMES * GAMMA)
    return measured_variance(
        "linear-scaling",
        f"E x^2 = {exact / base:.4g} V(gamma, 1) = (2 - gamma a) / (2 - k gamma a) V(gamma, 1)",
        scale(ConstantStep(GAMMA), TIMES), FixedBatch(TIMES), exact,
    )  # fmt: skip


def linear_ramp(start: Stepsize, factor: int, length: int) -> Stepsize:
    """Goyal et al.'s warm-up."""
    return GradualWarmUpStep(start, factor, length)


_LINEAR_SCALING_FORMS = ClosedForms("linear-scaling")


@_LINEAR_SCALING_FORMS.case("warm-up", "Goyal et al. 2017, section 2.2; k 8")
def warm_up(make: Callable[[Stepsize, int, int], Stepsize] = linear_ramp) -> Verdict:
    """gamma at t = 0, k gamma from the end of the warm-up on, equal increments, never above."""
    length, step = 20, make(ConstantStep(GAMMA), TIMES, 20)
    reached = [step(t) / GAMMA for t in range(3 * length)]
    expected = [min(TIMES, 1 + (TIMES - 1) * t / length) for t in range(3 * length)]
    return same("from gamma to k gamma by equal increments, and no further", reached, expected)


def scaled_linearly() -> tuple[Verdict, ...]:
    """The stationary variance, and the ramp."""
    return (linear_scaling(), warm_up())


# Square-root scaling of the stepsize with the batch.
#
# $Cov(\sqrt k \gamma\, g_k) = k \gamma^2 \sigma^2 / (k n) = Cov(\gamma g)$.


def square_root(step: Stepsize, factor: int) -> Stepsize:
    """The stepsizes scaled by the square root of the batch factor."""
    return ScaledStep(step, factor, 0.5)


scaled_by_root = ClosedForms("sqrt-scaling", name="scaled_by_root")
"""Closed forms of sqrt-scaling."""


@scaled_by_root.case("closed form, covariance of a step")
def sqrt_scaling(scale: Scale = square_root) -> Verdict:
    """One step from the minimiser moves by sqrt(k) gamma g_k: its covariance is that of gamma g."""
    problem = one_hessian(N, 0.0)
    method = Batched(BSP(scale(ConstantStep(GAMMA), TIMES)), FixedBatch(TIMES))
    trace = run(method, problem, steps=1, seed=SEED, replicas=4 * REPLICAS, points=2)
    return mean_square_is(
        "Cov(sqrt(k) gamma g_k) = Cov(gamma g) = gamma^2 sigma^2 / n", trace.model.numpy(),
        GAMMA**2 / N, on=problem,
        words=f"seed {SEED}, {4 * REPLICAS} replicas of {problem.d} coordinates, k {TIMES}",
    )  # fmt: skip


# LEGW: a warm-up of as many steps for every batch.


warm_up_of_legw = ClosedForms("legw", name="warm_up_of_legw")
"""Closed forms of legw."""


@warm_up_of_legw.case("warm-up", "You et al. 2019, k 1, 4, 16")
def legw_lasts() -> Verdict:
    """LEGW's warm-up lasts as many steps for every batch, and peaks at sqrt(k) gamma."""
    rows = []
    for factor in (1, 4, 16):
        step = legw(ConstantStep(GAMMA), factor, 2.0, 30)
        rows.append([step(t) / (GAMMA * factor**0.5) for t in range(100)])
    ramp = [min(1.0, (t + 1) / 60) for t in range(100)]
    return same(
        "k times the epochs of 1/k the steps: one ramp for all k, peak sqrt(k) gamma", rows,
        [ramp] * 3,
    )  # fmt: skip


# Iterations of an epoch, and the rate of growing batches, as printed: S1, E36.


@demonstrates(
    "S1",
    "linear-scaling",
    "steps of 100 epochs of 1.28 million images, batches of 1024",
    covers=("cr-psgd", "linear-scaling"),
)
def s1() -> Shown:
    """1.28 million images, 100 epochs."""
    samples = 100 * 1_280_000
    return (
        (samples / FixedBatch(1024)(0), 125_000),
        (samples / FixedBatch(512)(0), 125_000),
        f"printed 250,000 is for batches of 512; 8192: {samples // FixedBatch(8192)(0)}",
    )


@demonstrates(
    "E36",
    "cr-psgd",
    "||x_60|| with batches of four is parallel SGD's, step by step",
    covers=("cr-psgd", "linear-scaling"),
)
def e36() -> Shown:
    """Batches of four are parallel SGD with a quarter of the variance; stale gradients are not."""
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0)
    step, steps, told = ConstantStep(0.2), 60, {"seed": 5, "replicas": 2}
    parallel = models(BSP(step), problem.resampled(4), steps, **told)[-1]
    grown = models(Batched(BSP(step), FixedBatch(4)), problem, steps, **told)[-1]
    stale = ParameterServer(step, steps, Exponential(), SSP(1), Weighting.ALL)
    late = models(stale, problem.resampled(4), steps, **told)[-1]
    return (
        (float(grown.norm()), float(parallel.norm())),
        (float(late.norm()), float(parallel.norm())),
        "printed: that of SSP, here with s = 1",
    )


# CR-PSGD's Catalyst form by hand.


cr_psgd = ClosedForms("cr-psgd")
"""Closed forms of cr-psgd."""


@cr_psgd.case(
    "exact arithmetic", "Yu, Jin 2019, Algorithm 2; three stages of two steps", on="x^2/2"
)
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
    return same(
        "Catalyst: x - gamma (grad f(x) + theta (x - y)), y renewed with every stage",
        models(method, problem, 6)[:, 0, 0], [float(v) for v in trail],
    )  # fmt: skip


CLOSED_FORMS = (growth, scaled_linearly)


COVERS = {"growth": ("batch-growth",), "scaled_linearly": ("linear-scaling",)}
