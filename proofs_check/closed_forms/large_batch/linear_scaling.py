r"""Linear scaling of the stepsize with the batch, and its warm-up.

$V(k \gamma, k) = V(\gamma, 1) (2 - \gamma a) / (2 - k \gamma a)$: the same to leading order in
$\gamma a$, with V as in :mod:`proofs_check.closed_forms.large_batch.stationary_variance`.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.closed_forms.large_batch.stationary_variance import (
    GAMMA,
    TIMES,
    measured_variance,
    stationary,
)
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep, GradualWarmUpStep, ScaledStep, Stepsize

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


def warm_up(make: Callable[[Stepsize, int, int], Stepsize] = linear_ramp) -> Verdict:
    """gamma at t = 0, k gamma from the end of the warm-up on, equal increments, never above."""
    length, step = 20, make(ConstantStep(GAMMA), TIMES, 20)
    reached = [step(t) / GAMMA for t in range(3 * length)]
    expected = [min(TIMES, 1 + (TIMES - 1) * t / length) for t in range(3 * length)]
    return identity(
        "linear-scaling", "from gamma to k gamma by equal increments, and no further",
        reached, expected, check="warm-up", provenance="Goyal et al. 2017, section 2.2; k 8",
    )  # fmt: skip


def scaled_linearly() -> tuple[Verdict, ...]:
    """The stationary variance, and the ramp."""
    return (linear_scaling(), warm_up())


CLOSED_FORMS = (scaled_linearly,)
