"""The virtual iterate of sparsifiers that keep what they do not send: a problem and a claim."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict


def noisy() -> Quadratic:
    """Four workers with different minimisers, and noise."""
    return Quadratic.strongly_convex(4, 12, sigma2=1.0, zeta2=1.0)


def mean_row(rows: Tensor) -> Tensor:
    """Mean over workers ``[..., 1, d]`` of rows ``[..., n, d]``."""
    return rows.mean(-2, keepdim=True)


def nothing_moves_it_else(row: str, claim: str, gaps: list[Tensor], provenance: str) -> Verdict:
    """Are the virtual iterate's moves, less those of the ``claim``, zero at every step?"""
    return identity(
        row, claim, torch.stack(gaps), 0.0, check="virtual iterate", problem="quadratic",
        provenance=provenance,
    )  # fmt: skip
