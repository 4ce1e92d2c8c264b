"""Gaussian models of all workers against their exact mean and covariance, in one chi-square."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import chi_square
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.second_moments import LinearMoments

REPLICAS = 256
"""Independent runs that a law is held against."""


def unequal(n: int, d: int = 12, sigma2: float = 0.6) -> Quadratic:
    """Hessians and minimisers of their own for all n workers, curvatures from 0.2 to 1."""
    draws = np.random.default_rng(17)
    a = torch.from_numpy(draws.uniform(0.2, 1.0, (n, d)))
    b = torch.from_numpy(draws.normal(size=(n, d)))
    return Quadratic.from_arrays(a, b, sigma2=sigma2, name="unequal Hessians")


def models_at_end(method: Method[Any], problem: Quadratic, steps: int, seed: int) -> Floats:
    """Every worker's model ``[R, n, d]`` after ``steps`` steps."""
    *_, last = path(method, problem, steps, seed=seed, replicas=REPLICAS)
    return np.asarray(method.models(last.state).double().numpy())


def whitened(
    subject: str, claim: str, models: Floats, law: LinearMoments, *, check: str, provenance: str
) -> Verdict:
    """``models`` ``[R, n, d]`` against ``law``: sum of (x - m)^T C^-1 (x - m), chi-square.

    Gaussian noise makes it so exactly, with R n d degrees of freedom. Where all workers have one
    model, pass one: a singular covariance cannot be inverted.
    """
    off = models.transpose(2, 1, 0) - law.mean[:, :, None]  # [d, n, R]
    unit = np.linalg.solve(np.linalg.cholesky(law.covariance), off)
    return chi_square(
        subject, claim, float(np.square(unit).sum()), unit.size, 1.0,
        check=check, problem="quadratic", provenance=provenance,
    )  # fmt: skip
