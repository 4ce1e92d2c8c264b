"""LAMB against torch's AdamW, and along a constant gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.base import Optimizer
from algorithms.optimizers.lamb import LAMB, adam
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.large_batch.torch_twins import (
    DECAY,
    EPS,
    GAMMA,
    SHAPES,
    Mover,
    by_torch,
    same_path,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


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


def lamb_shrinks(optimizer: Optimizer[Any] | None = None) -> Verdict:
    """A constant gradient along a layer of equal entries: ||w|| falls by 1 - gamma, any scale."""
    g = torch.tensor([[4.0, 4, 4, 4, 1e-3]], dtype=torch.float64)
    x0 = torch.tensor([1.0, 1, 1, 1, 3], dtype=torch.float64)
    problem = Quadratic(name="linear", a=torch.zeros_like(g), c=-g, x_star=0 * x0, x0=x0)
    method = BSP(ConstantStep(GAMMA), optimizer=optimizer or LAMB(((2, 2), (1,))))
    shrunk = (1 - GAMMA) ** torch.arange(31, dtype=torch.float64)
    return identity(
        "lamb", "under a constant gradient each layer shrinks by 1 - gamma, whatever its slope",
        models(method, problem, 30)[:, 0], shrunk[:, None] * x0, check="closed form",
        problem="linear", provenance="slopes 4 and 1e-3, 30 steps",
    )  # fmt: skip


def lamb() -> tuple[Verdict, ...]:
    """Every ratio 1 with and without decay, ratios of its own, and a constant gradient."""
    return (lamb_is_adamw(), lamb_is_adamw(decay=0.0), lamb_by_layer(), lamb_shrinks())


CLOSED_FORMS = (lamb,)
