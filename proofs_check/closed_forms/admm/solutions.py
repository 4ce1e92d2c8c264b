r"""Where ADMM ends on quadratics: the minimiser in closed form, for any topology.

f_i(x) = \sum_j a_{ij} (x_j - b_{ij})^2 / 2. With any a all methods end at the minimiser of the
mean, or of the mean plus w ||x||_1, which is a soft threshold for diagonal Hessians.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Change = Callable[[Any], Method[Any]]
N, _D, _SEED, WEIGHT = 6, 5, 91, 0.3
STEP = ConstantStep(1.0)
TOLD = f"{N} workers, {_D} coordinates, rho = 1, seed {_SEED}"


def right(method: Method[Any]) -> Method[Any]:
    """The method unchanged; mutants put a fault in its place."""
    return method


def uneven() -> Quadratic:
    """Curvatures in [0.5, 1.5] and normal minimisers, both different for every worker."""
    generator = torch.Generator().manual_seed(_SEED)
    a = 0.5 + torch.rand((N, _D), generator=generator, dtype=torch.float64)
    return Quadratic.from_arrays(a, torch.randn(a.shape, generator=generator, dtype=a.dtype))


def minimiser(
    row: str, make: Callable[[], Method[Any]], steps: int, weight: float = 0.0
) -> Verdict:
    """Where a method ends, against the minimiser in closed form."""
    problem = uneven()
    *_, last = path(make(), problem, steps)
    found = make().models(last.state)[0]
    mean, pull = problem.a.mean(0), problem.c.mean(0)
    best = pull.sign() * (pull.abs() - weight).clamp_min(0) / mean
    return identity(
        row, f"all workers end at the minimiser{' with l1' if weight else ''}", found.numpy(),
        best.expand_as(found).numpy(), check="closed form", problem=problem.name,
        tolerance=1e-8, provenance=f"{TOLD}, {steps} steps",
    )  # fmt: skip
