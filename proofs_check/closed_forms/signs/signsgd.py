"""Plain signs: where they go wrong, and what error feedback repairs.

Karimireddy et al. 2019 (arXiv:1901.09847), counterexamples 1 and 2.
"""

from __future__ import annotations

from fractions import Fraction

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.sign import Sign
from algorithms.core.key import Key
from algorithms.memories.base import Memory, NoMemory, Round
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

COVERS = ("ef-signsgd",)

_DRAWS = Key.seed(0).draws(torch.tensor(0), torch.arange(1))


def sent_for(operator: Compressor, *values: float) -> Tensor:
    """What ``operator`` sends of a row with the given values."""
    return operator.compress(torch.tensor([values], dtype=torch.float64), _DRAWS)[0]


def drift(operator: Compressor) -> Fraction:
    """E C(g) for g = 4 with probability 1/4, else -1."""
    up, down = (Fraction(float(sent_for(operator, g)[0])) for g in (4.0, -1.0))
    return Fraction(1, 4) * up + Fraction(3, 4) * down


def first_counterexample() -> Verdict:
    """Signs climb: f = x/4, E g = 1/4, but E sign(g) = -1/2: f rises by gamma/8 a step on
    average."""
    return identity(
        "signsgd", "E sign(g) = -1/2 where E g = 1/4, so E f rises by gamma/8 a step",
        [float(drift(Sign())), -0.25 * float(drift(Sign()))], [-0.5, 0.125],
        check="closed form", problem="x/4 on [-1, 1]",
        provenance="Karimireddy et al. 2019, counterexample 1",
    )  # fmt: skip


def second_path(operator: Compressor, memory: Memory[Tensor], steps: int) -> Tensor:
    """x_0 + x_1 along f = eps |x_0 + x_1| + |x_0 - x_1| from (1, 1), gamma = 0.1, eps = 0.5."""
    eps, gamma = 0.5, 0.1
    x = torch.ones((1, 1, 2), dtype=torch.float64)
    state = memory.init(x.shape, x.dtype, x.device)
    sums = [float(x.sum())]
    for _ in range(steps):
        total, gap = x.sum(-1, keepdim=True), x[..., :1] - x[..., 1:]
        side = torch.where(gap < 0, -1.0, 1.0)  # a subgradient of |.| at 0 is 1
        g = eps * total.sign() + torch.cat((side, -side), -1)
        step = gamma * g if memory.holds_steps else g
        wanted = memory.before(state, step)
        sent = operator.compress(wanted, _DRAWS)
        state = memory.after(state, Round(step, wanted, sent, sent))
        x = x - (sent if memory.holds_steps else gamma * sent)
        sums.append(float(x.sum()))
    return torch.tensor(sums, dtype=torch.float64)


def second_counterexample(memory: Memory[Tensor] | None = None) -> tuple[Verdict, ...]:
    """Signs never move along (1, 1), so the minimum is out of reach; error feedback gets there."""
    stuck = second_path(Sign(), NoMemory(), 60)
    freed = second_path(ScaledSign(), memory or ErrorFeedback(), 200)
    left = float(freed[-20:].abs().mean())
    return (
        identity(
            "signsgd", "x_0 + x_1 = 2 for ever", stuck, 2.0, check="closed form",
            problem="eps|x_0+x_1| + |x_0-x_1|", provenance="counterexample 2, 60 steps",
        ),
        Verdict(
            subject="ef-signsgd", problem="eps|x_0+x_1| + |x_0-x_1|", check="closed form",
            claim="error feedback leaves the line: |x_0 + x_1| ends below 0.5",
            outcome=Outcome.SUPPORTED if left < 0.5 else Outcome.REFUTED, statistic=left, bound=0.5,
            resolution=0.0,
            evidence=f"mean of the last 20 of 200 steps {left:.4g}, from 2", provenance="gamma 0.1",
        ),
    )  # fmt: skip


def limit_cycle() -> Verdict:
    """A limit cycle: f = x^2/2 from 1 with gamma = 0.3: 1, .7, .4, .1, -.2, .1, -.2, ..."""
    one = torch.ones((1, 1), dtype=torch.float64)
    problem = Quadratic(name="parabola", a=one, c=0 * one, x_star=0 * one[0], x0=one[0])
    path = models(BSP(ConstantStep(0.3), Sign()), problem, 7).reshape(-1)
    return identity(
        "signsgd", "x_t = 1, .7, .4, .1, -.2, .1, -.2, .1", path,
        [1.0, 0.7, 0.4, 0.1, -0.2, 0.1, -0.2, 0.1], check="closed form", problem="x^2/2",
        provenance="gamma 0.3, deterministic",
    )  # fmt: skip


def signsgd() -> tuple[Verdict, ...]:
    """Two counterexamples, the second with error feedback beside it, and a limit cycle."""
    return (first_counterexample(), *second_counterexample(), limit_cycle())


CLOSED_FORMS = (signsgd,)
