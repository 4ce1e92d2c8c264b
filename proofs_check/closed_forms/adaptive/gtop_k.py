"""gTop-k's merges and accounts: nothing is lost by two workers, something is by more."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from algorithms.methods.adaptive.gtop_k import GTopK
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Outcome, Verdict
from theory.stepsizes import ConstantStep

_GAMMA = 0.05


def tree_of_two(make: Callable[..., Any] = GTopK) -> Verdict:
    """Reference vector: k = 1, g = (5,4,0,0) and (0,4,5,0): gTop-1 is (5,0,0,0), not 8 at 2."""
    g = torch.tensor([[5.0, 4, 0, 0], [0, 4, 5, 0]], dtype=torch.float64)
    zero = torch.zeros(4, dtype=torch.float64)
    problem = Quadratic(name="linear", a=torch.zeros_like(g), c=-g, x_star=zero, x0=zero)
    end = models(make(ConstantStep(1.0), 1), problem, 1)[-1, 0]
    return identity(
        "gtop-k", "gTop-1 of (5,4,0,0) and (0,4,5,0) is (5,0,0,0)", -2 * end, [5.0, 0, 0, 0],
        check="reference vector", provenance="x moves by -1/2 of it",
    )  # fmt: skip


def accounts_of_two(make: Callable[..., Any] = GTopK) -> Verdict:
    """Two workers: one merge, and nothing is lost."""
    problem = Quadratic.strongly_convex(2, 12, zeta2=1.0)
    return identity(
        "gtop-k", "two workers: x - mean residual moves by the mean gradient step alone",
        _lost(make(ConstantStep(_GAMMA), 3), problem), 0.0, check="virtual iterate",
        problem="quadratic", provenance="top-3 of 12, 30 steps",
    )  # fmt: skip


def _lost(method: Any, problem: Quadratic) -> Tensor:
    """What neither the model nor the residuals account for, step by step."""
    gaps = []
    for before, after in pairwise(path(method, problem, 30)):
        g = before.context.gradient(before.state.x, before.t).mean(-2, keepdim=True)
        was, now = (s.x - s.residual.mean(-2, keepdim=True) for s in (before.state, after.state))
        gaps.append(now - was + _GAMMA * g)
    return torch.stack(gaps)


def tree_loses() -> Verdict:
    """Eight workers: a merge drops what another branch brings back, and no residual keeps it."""
    problem = Quadratic.strongly_convex(8, 12, zeta2=1.0)
    lost = float(_lost(GTopK(ConstantStep(_GAMMA), 3), problem).abs().max())
    return Verdict(
        subject="gtop-k", problem="quadratic", check="virtual iterate",
        claim="from three workers on the paper's residual rule loses mass in merges",
        outcome=Outcome.SUPPORTED if lost > 1e-6 else Outcome.REFUTED, statistic=lost, bound=0.0,
        resolution=0.0,
        evidence=f"up to {lost:.3g} a step in one coordinate is in no residual",
        provenance="Shi et al. 2019, Algorithm 4; n = 8, top-3 of 12, 30 steps; found here",
    )  # fmt: skip


def gtop_k() -> tuple[Verdict, ...]:
    """A reference vector, two workers, eight workers."""
    return (tree_of_two(), accounts_of_two(), tree_loses())


CLOSED_FORMS = (gtop_k,)
