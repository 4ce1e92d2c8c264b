r"""LARS and LAMB by torch's optimizers, fed with the same gradients.

torch has neither. But with the ratio held at 1 LARS is its SGD with momentum and weight decay, LAMB
its AdamW; and a step of AdamW with unit stepsize moves by $\hat m / (\sqrt{\hat v} + \epsilon) +
\lambda w$, so LAMB follows from one AdamW a layer whose move is rescaled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.layers import Shapes
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, world_of
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

SHAPES: Shapes = ((3, 2), (3,))
GAMMA, _STEPS, _SEED, DECAY, M = 0.05, 40, 72, 0.1, 0.9
EPS = 1e-6
Mover = Callable[[list[Tensor], list[Tensor]], list[Tensor]]
"""Layers of x and of the mean gradient -> layers of the next x."""


def two_layers() -> Quadratic:
    """Nine numbers, a matrix and a bias; three workers, noise, other minimisers."""
    return Quadratic.strongly_convex(3, 9, L=2.0, mu=0.25, sigma2=0.5, zeta2=1.0, R2=4.0)


def ours(optimizer: Optimizer[Any]) -> Tensor:
    """Models ``[steps + 1, 1, d]``."""
    method = BSP(ConstantStep(GAMMA), optimizer=optimizer)
    return models(method, two_layers(), _STEPS, seed=_SEED)


def theirs(mover: Mover) -> Tensor:
    """The same by ``mover``, which sees the same stochastic gradients."""
    problem = two_layers()
    context, x = world_of(problem, _SEED, 1), problem.start()
    sizes = [math.prod(shape) for shape in SHAPES]
    kept = [x[None]]
    for t in range(_STEPS):
        g = context.gradient(x.expand(1, 1, -1), t)[0].sum(0) / problem.n
        x = torch.cat(mover(list(x.split(sizes)), list(g.split(sizes))))  # type: ignore[no-untyped-call]
        kept.append(x[None])
    return torch.stack(kept)


def by_torch(make: Callable[..., torch.optim.Optimizer], **options: Any) -> Mover:
    """All layers by one optimizer of torch, which keeps its state from call to call."""
    held = [torch.nn.Parameter(torch.zeros(math.prod(s), dtype=torch.float64)) for s in SHAPES]
    optimizer = make(held, **options)

    def move(layers: list[Tensor], slopes: list[Tensor]) -> list[Tensor]:
        for parameter, layer, slope in zip(held, layers, slopes, strict=True):
            parameter.data.copy_(layer)
            parameter.grad = slope.clone()
        optimizer.step()
        return [parameter.detach().clone() for parameter in held]

    return move


def same_path(row: str, claim: str, optimizer: Optimizer[Any], mover: Mover) -> Verdict:
    """Is the optimizer's path torch's, model by model?"""
    return identity(
        row, claim, ours(optimizer), theirs(mover), check="torch.optim", problem="quadratic",
        provenance=f"{_STEPS} noisy steps of three workers, layers {SHAPES}, seed {_SEED}",
    )  # fmt: skip
