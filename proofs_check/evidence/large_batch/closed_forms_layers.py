"""Closed forms: torch twins, lamb, lars."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor

from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.lamb import LAMB, adam
from algorithms.optimizers.lars import LARS
from algorithms.optimizers.layers import FixedTrust, NormRatio, Shapes
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, world_of
from proofs_check.verdict import Verdict
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep

# LARS and LAMB by torch's optimizers, fed with the same gradients.
#
# torch has neither. But with the ratio held at 1 LARS is its SGD with momentum and weight decay,
# LAMB its AdamW; and a step of AdamW with unit stepsize moves by $\hat m / (\sqrt{\hat v} +
# \epsilon) + \lambda w$, so LAMB follows from one AdamW a layer whose move is rescaled.


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


def theirs(reference_step: Mover) -> Tensor:
    """The same by ``reference_step``, which sees the same stochastic gradients."""
    problem = two_layers()
    context, x = world_of(problem, _SEED, 1), problem.start()
    sizes = [math.prod(shape) for shape in SHAPES]
    kept = [x[None]]
    for t in range(_STEPS):
        g = context.gradient(x.expand(1, 1, -1), t)[0].sum(0) / problem.n
        x = torch.cat(reference_step(list(x.split(sizes)), list(g.split(sizes))))  # type: ignore[no-untyped-call]
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


def same_path(row: str, claim: str, optimizer: Optimizer[Any], reference_step: Mover) -> Verdict:
    """Is the optimizer's path torch's, model by model?"""
    return identity(
        row,
        claim,
        ours(optimizer),
        theirs(reference_step),
        check="torch.optim",
        problem="quadratic",
        provenance=f"{_STEPS} noisy steps of three workers, layers {SHAPES}, seed {_SEED}",
    )


# LAMB against torch's AdamW, and along a constant gradient.


def lamb_by_torch() -> Mover:
    """AdamW's move at unit stepsize, rescaled layer by layer to gamma ||w||."""
    unit = by_torch(torch.optim.AdamW, lr=1.0, eps=EPS, weight_decay=DECAY)

    def move(layers: list[Tensor], slopes: list[Tensor]) -> list[Tensor]:
        moves = [w - after for w, after in zip(layers, unit(layers, slopes), strict=True)]
        return [
            w - GAMMA * torch.linalg.vector_norm(w) / torch.linalg.vector_norm(u) * u
            for w, u in zip(layers, moves, strict=True)
        ]

    return move


def lamb_is_adamw(optimizer: Optimizer[Any] | None = None, decay: float = DECAY) -> Verdict:
    """With every ratio 1: AdamW, or Adam for ``decay`` = 0."""
    theirs_ = by_torch(torch.optim.AdamW, lr=GAMMA, eps=1e-8, weight_decay=decay)
    if decay == 0:
        theirs_ = by_torch(torch.optim.Adam, lr=GAMMA, eps=1e-8)
    name = "AdamW" if decay else "Adam"
    return same_path("lamb", f"with ratio 1 it is torch's {name}",
                 optimizer or adam(SHAPES, decay=decay), theirs_)  # fmt: skip


def lamb_by_layer(optimizer: Optimizer[Any] | None = None) -> Verdict:
    """LAMB with its own ratios is torch's AdamW, every layer's move rescaled."""
    right = LAMB(SHAPES, eps=EPS, decay=DECAY)
    return same_path("lamb", "it is torch's AdamW at unit stepsize, each layer's move rescaled to "
                 "gamma ||w||", optimizer or right, lamb_by_torch())  # fmt: skip


_LAMB_FORMS = ClosedForms("lamb")


@_LAMB_FORMS.case("closed form", "slopes 4 and 1e-3, 30 steps", on="linear")
def lamb_shrinks(optimizer: Optimizer[Any] | None = None) -> Verdict:
    """A constant gradient along a layer of equal entries: ||w|| falls by 1 - gamma, any scale."""
    g = torch.tensor([[4.0, 4, 4, 4, 1e-3]], dtype=torch.float64)
    x0 = torch.tensor([1.0, 1, 1, 1, 3], dtype=torch.float64)
    problem = Quadratic(name="linear", a=torch.zeros_like(g), c=-g, x_star=0 * x0, x0=x0)
    method = BSP(ConstantStep(GAMMA), optimizer=optimizer or LAMB(((2, 2), (1,))))
    shrunk = (1 - GAMMA) ** torch.arange(31, dtype=torch.float64)
    return same(
        "under a constant gradient each layer shrinks by 1 - gamma, whatever its slope",
        models(method, problem, 30)[:, 0], shrunk[:, None] * x0,
    )  # fmt: skip


def lamb() -> tuple[Verdict, ...]:
    """Every ratio 1 with and without decay, ratios of its own, and a constant gradient."""
    return (lamb_is_adamw(), lamb_is_adamw(decay=0.0), lamb_by_layer(), lamb_shrinks())


# LARS against torch's SGD, and in fractions where all norms are rational.


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


_LARS_FORMS = ClosedForms("lars")


@_LARS_FORMS.case("exact arithmetic", "gamma 1/2, m 1/2, beta 1/2, eta 1/10, 5 steps", on="linear")
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
    return same(
        "two layers, momentum and decay: the fractions worked out by hand", path[:, 0], rows
    )


@_LARS_FORMS.case("identity", "20 steps")
def batches_add_up() -> Verdict:
    """Without noise the size of the batch changes nothing."""
    problem = Quadratic.strongly_convex(3, 9, sigma2=0.0, zeta2=1.0)
    plain = BSP(ConstantStep(0.3), optimizer=LARS(SHAPES, trust=NormRatio(0.1)))
    return same(
        "without noise a batch 8 times as large gives the same iterates",
        models(Batched(plain, FixedBatch(8)), problem, 20), models(plain, problem, 20), on=problem,
    )  # fmt: skip


def lars() -> tuple[Verdict, ...]:
    """Every ratio 1, ratios of its own, fractions, and batches."""
    return (lars_is_sgd(), lars_by_layer(), lars_exactly(), batches_add_up())


CLOSED_FORMS = (lamb, lars)
