"""What MSPD and communication sliding share: matrices of linear steps, and linear functions.

With one inner step both are powers of one matrix on quadratics. On f_i(x) = -c_i^T x their inner
loops solve one proximal problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats

Change = Callable[[Any], Any]
STEPS, SCALE = 30, 0.4


def unrolled(matrix: Floats, shift: Floats, start: Floats, steps: int) -> Floats:
    """z_1, ..., z_T ``[T, k]`` of z <- matrix z + shift."""
    rows = [start]
    for _ in range(steps):
        rows.append(matrix @ rows[-1] + shift)
    return np.array(rows[1:])


def one_column(problem: Quadratic, j: int) -> tuple[Floats, Floats]:
    """Hessian ``[n, n]`` and slope ``[n]`` of coordinate j."""
    return np.diag(problem.a[:, j].numpy()), problem.c[:, j].numpy()


def against_recursion(
    row: str, claim: str, method: Method[Any], problem: Problem, expected: list[Floats], told: str
) -> Verdict:
    """Iterates against those ``expected`` of each coordinate ``[T, n]``."""
    found = torch.stack([m.state.x[0] for m in path(method, problem, STEPS)][1:])
    return identity(
        row, claim, found.numpy(), np.stack(expected, axis=-1), check="primal-dual recursion",
        problem=problem.name, tolerance=1e-10, provenance=f"{told}, {STEPS} steps",
    )  # fmt: skip


def linear() -> Quadratic:
    """f_i(x) = -c_i x for four workers; no minimum, but proximal points x_0 + step c_i."""
    c = torch.tensor([[1.0], [-2.0], [0.5], [3.0]], dtype=torch.float64)
    x0 = torch.tensor([0.7], dtype=torch.float64)
    return Quadratic("linear", torch.zeros_like(c), c, x0, x0)


PERIOD = 12


def inner_states(
    method: Method[Any], problem: Problem, steps: int, read: Callable[[Any], Tensor]
) -> Floats:
    """One field of the states after 1, ..., T steps ``[T, n]``; d = 1."""
    moments = list(path(method, problem, steps))[1:]
    return np.asarray(torch.stack([read(m.state)[0, :, 0] for m in moments]).numpy())
