"""Truncated gradient: what is truncated, where it ends (erratum E29), and its regret."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.truncation import TruncatedGradient, truncate
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.sparsification.drawn import SEED, draws_of
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep


class GradientTruncation(NamedTuple):
    """T1 as the survey has it: of the gradient, on its way to the model (erratum E29).

    Attributes:
        alpha: how far values are pulled towards 0.
        theta: values beyond it are left alone.
    """

    alpha: float
    theta: float

    def descend(self, step: float, b: Tensor, steps: int) -> Tensor:
        """Descent on ||x - b||^2 / 2 from 0."""
        x = torch.zeros_like(b)
        for _ in range(steps):
            x = x - step * truncate(x - b, self.alpha, self.theta)
        return x


PULLED = torch.tensor([2.0, 0.3, 0.05], dtype=torch.float64)


def pulled() -> Tensor:
    """Where 2000 steps on ||x - b||^2 / 2, b = (2, 0.3, 0.05), end with g0 = 0.1, theta = 1."""
    problem = Quadratic.from_arrays(torch.ones_like(PULLED)[None], PULLED[None])
    method = BSP(ConstantStep(0.1), proximal=TruncatedGradient(0.1, 1.0))
    *_, last = path(method, problem, 2000)
    end: Tensor = last.state.x[0, 0]
    return end


def pulled_as_printed() -> Tensor:
    """The same with the gradient truncated in place of the weights."""
    return GradientTruncation(0.1, 1.0).descend(0.1, PULLED, 2000)


def weights_are_truncated(run: Callable[[], Tensor] = pulled) -> Verdict:
    """Weights beyond theta = 1 are left alone, others obey x = T1(x - gamma (x - b), gamma g0).

    So x = b - g0 where b > g0 = 0.1, else 0.
    """
    return identity(
        "truncated-gradient", "ends at (2, 0.2, 0): weights are truncated, those beyond theta not",
        run(), [2.0, 0.2, 0.0], check="closed form", problem="quadratic",
        provenance="2000 steps on ||x - b||^2 / 2, b = (2, 0.3, 0.05), gamma 0.1, g0 0.1, theta 1",
    )  # fmt: skip


def e29() -> Verdict:
    """Truncated weights are sparse and large ones unbiased; truncated gradients stop at 1.9."""
    printed = pulled_as_printed()
    return erratum(
        "E29", "truncated-gradient", "weights are truncated: the weight beyond theta ends at b = 2",
        (float(pulled()[0]), 2.0), (float(printed[0]), 2.0),
        f"truncating gradients ends at {[round(v, 4) for v in printed.tolist()]}: large weights "
        "are biased too",
    )  # fmt: skip


def regret(steps: int = 2000, build: type[TruncatedGradient] = TruncatedGradient) -> Verdict:
    r"""Langford, Li, Zhang 2009, Theorem 3.1, on a stream of squared losses (A = 4, B = 0).

    $\frac{1 - A\eta/2}{T}\sum_t [L_t(w_t) + \frac{g}{1 - A\eta/2}\|w_{t+1}\|_1] \le
    \frac{\|w\|^2}{2\eta T} + \frac1T\sum_t [L_t(w) + g\|w\|_1]$ for every w
    (theta infinite, K = 1): at the least squares of the stream and at the truth, ||a_t|| = 1.
    """
    eta, g, d = 0.05, 0.02, 20
    noise = draws_of(1, "stream").normal(steps * (d + 1), torch.float64)[0, 0]
    a = noise[: steps * d].reshape(steps, d)
    a = a / a.norm(dim=-1, keepdim=True)
    truth = torch.where(torch.arange(d) < 3, 2.0, 0.0).to(torch.float64)
    y = a @ truth + 0.1 * noise[steps * d :]
    best = torch.from_numpy(np.linalg.lstsq(a.numpy(), y.numpy(), rcond=None)[0])
    factor, rule = 1 - 2 * eta, build(g, float("inf"))
    w, total = torch.zeros(d, dtype=torch.float64), 0.0
    for t in range(steps):
        miss = a[t] @ w - y[t]
        w = rule.apply(w - eta * 2 * miss * a[t], eta, t)
        total += float(factor * miss * miss + g * w.abs().sum())
    bounds = [
        float(w_.square().sum()) / (2 * eta * steps)
        + float((a @ w_ - y).square().mean() + g * w_.abs().sum())
        for w_ in (best, truth)
    ]
    left, right = total / steps, min(bounds)
    return Verdict(
        subject="truncated-gradient", claim="regret with the l1 pull, Theorem 3.1",
        check="regret", outcome=Outcome.SUPPORTED if left <= right else Outcome.REFUTED,
        statistic=left, bound=right, tightness=left / right,
        evidence=f"left side {left:.6g}, right side {right:.6g} after {steps} steps; "
        f"{int((w == 0).sum())} of {d} weights are zero, 17 in the truth",
        provenance=f"Langford, Li, Zhang 2009, JMLR 10, Theorem 3.1; seed {SEED}, eta {eta:g}",
    )  # fmt: skip


def truncated_gradient() -> tuple[Verdict, ...]:
    """Where weights end, E29, and Theorem 3.1."""
    return (weights_are_truncated(), e29(), regret())


CLOSED_FORMS = (truncated_gradient,)
DEMONSTRATIONS = (("E29", truncated_gradient),)
