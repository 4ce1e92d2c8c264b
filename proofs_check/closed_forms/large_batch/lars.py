"""LARS against torch's SGD, and in fractions where all norms are rational."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor

from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.lars import LARS
from algorithms.optimizers.layers import FixedTrust, NormRatio
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.large_batch.torch_twins import (
    DECAY,
    GAMMA,
    SHAPES,
    M,
    Mover,
    by_torch,
    same_path,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep


def lars_by_torch() -> Mover:
    """Without momentum: SGD with weight decay, each layer with the stepsize of its ratio."""

    def move(layers: list[Tensor], slopes: list[Tensor]) -> list[Tensor]:
        norm = torch.linalg.vector_norm
        groups = [
            {"params": [torch.nn.Parameter(w.clone())],
             "lr": GAMMA * float(norm(w) / (norm(g) + DECAY * norm(w)))}
            for w, g in zip(layers, slopes, strict=True)
        ]  # fmt: skip
        for group, slope in zip(groups, slopes, strict=True):
            group["params"][0].grad = slope.clone()  # type: ignore[index]
        torch.optim.SGD(groups, weight_decay=DECAY).step()
        return [group["params"][0].detach() for group in groups]  # type: ignore[index]

    return move


def lars_is_sgd(optimizer: Optimizer[Any] | None = None) -> Verdict:
    """LARS with every ratio 1 is torch's SGD with momentum and weight decay."""
    right = LARS(SHAPES, M, DECAY, FixedTrust())
    theirs_ = by_torch(torch.optim.SGD, lr=GAMMA, momentum=M, weight_decay=DECAY)
    return same_path("lars", "with ratio 1 it is torch's SGD with momentum and weight decay",
                 optimizer or right, theirs_)  # fmt: skip


def lars_by_layer(optimizer: Optimizer[Any] | None = None) -> Verdict:
    """LARS with its own ratios, without momentum, is torch's SGD layer by layer."""
    right = LARS(SHAPES, 0.0, DECAY, NormRatio())
    return same_path("lars", "without momentum it is torch's SGD with a stepsize for each layer",
                 optimizer or right, lars_by_torch())  # fmt: skip


def linear_slopes() -> Quadratic:
    """f(x) = <g, x> with g = (6, 8 | 1/2), from x_0 = (3, 4 | 2): all norms stay rational."""
    g = torch.tensor([[6.0, 8.0, 0.5]], dtype=torch.float64)
    x0 = torch.tensor([3.0, 4.0, 2.0], dtype=torch.float64)
    return Quadratic(name="linear", a=torch.zeros_like(g), c=-g, x_star=0 * x0, x0=x0)


def lars_exactly(make: Callable[..., Optimizer[Any]] = LARS) -> Verdict:
    """Five steps in fractions: w = p (3/5, 4/5) with ||g|| = 10, and w = q with g = 1/2."""
    gamma, m, beta, eta, steps = (
        Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(1, 10), 5,
    )  # fmt: skip
    expected = []
    for w, g in ((Fraction(5), Fraction(10)), (Fraction(2), Fraction(1, 2))):
        velocity, trail = Fraction(0), [w]
        for _ in range(steps):
            ratio = eta * abs(w) / (abs(g) + beta * abs(w))
            velocity = m * velocity + gamma * ratio * (g + beta * w)
            w -= velocity
            trail.append(w)
        expected.append(trail)
    optimizer = make(((2,), (1,)), float(m), float(beta), NormRatio(float(eta)))
    path = models(BSP(ConstantStep(float(gamma)), optimizer=optimizer), linear_slopes(), steps)
    rows = [[float(3 * p / 5), float(4 * p / 5), float(q)] for p, q in zip(*expected, strict=True)]
    return identity(
        "lars", "two layers, momentum and decay: the fractions worked out by hand", path[:, 0],
        rows, check="exact arithmetic", problem="linear",
        provenance="gamma 1/2, m 1/2, beta 1/2, eta 1/10, 5 steps",
    )  # fmt: skip


def batches_add_up() -> Verdict:
    """Without noise the size of the batch changes nothing."""
    problem = Quadratic.strongly_convex(3, 9, sigma2=0.0, zeta2=1.0)
    plain = BSP(ConstantStep(0.3), optimizer=LARS(SHAPES, trust=NormRatio(0.1)))
    return identity(
        "lars", "without noise a batch 8 times as large gives the same iterates",
        models(Batched(plain, FixedBatch(8)), problem, 20), models(plain, problem, 20),
        check="identity", problem=problem.name, provenance="20 steps",
    )  # fmt: skip


def lars() -> tuple[Verdict, ...]:
    """Every ratio 1, ratios of its own, fractions, and batches."""
    return (lars_is_sgd(), lars_by_layer(), lars_exactly(), batches_add_up())


CLOSED_FORMS = (lars,)
