r"""A growing batch in place of a decaying stepsize.

$V(\gamma, k)\, /\, V(\gamma / k, 1) = (2 - \gamma a / k) / (2 - \gamma a)$: the same to leading
order, with V as in :mod:`proofs_check.closed_forms.large_batch.stationary_variance`.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.closed_forms.large_batch.stationary_variance import (
    GAMMA,
    STEPS,
    TIMES,
    measured_variance,
    stationary,
)
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import BatchRule, FixedBatch, StagedBatch
from theory.stepsizes import ConstantStep, StepDecay, Stepsize

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
    """What a variance becomes in ``steps`` steps with (gamma, factor)."""
    return float((1 - gamma) ** (2 * steps)) * variance + stationary(gamma, factor, steps)


def noise_scales(growth: Growth = grown) -> Verdict:
    """gamma_t / k_t, step by step, of growth and of decay with the same stages."""
    step, rule = growth(ConstantStep(GAMMA), 10)
    decay = StepDecay(ConstantStep(GAMMA), 10, TIMES, times=1)
    grows = [step(t) / rule(t) for t in range(80)]
    return identity(
        "batch-growth", "gamma_t / B_t is that of a stepsize divided at the same step", grows,
        [decay(t) for t in range(80)], check="noise scale", provenance="80 steps, k 8 after 10",
    )  # fmt: skip


def growth() -> tuple[Verdict, ...]:
    """The variance after growth and after decay, and their noise scales."""
    return (*batch_growth(), noise_scales())


CLOSED_FORMS = (growth,)
