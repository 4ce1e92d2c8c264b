r"""D-squared: no bias by heterogeneity, the mean of the workers, and the modes of its recursion.

With f_i(x) = a ||x - b_i||^2 / 2 D-PSGD stops where mode k of B is scaled by
gamma a / (1 - lambda_k + gamma a); D-squared stops at the minimiser. Each mode of W follows
z^2 - (2 - gamma a) lambda z + (1 - gamma a) lambda = 0; for gamma -> 0
it is unstable from lambda = -1/3 downward. (Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2, D2State
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.closed_forms.gossip.consensus import consensus_problem
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.networks.compressed_gossip import d2_radius
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

Build = Callable[[Stepsize, Topology], Method[Any]]

_GAMMA = 0.1
_STEP = ConstantStep(_GAMMA)
_TINY = 1e-13  # a stepsize that moves nothing: the limit gamma -> 0
MODES = ((-0.3, 0.9244998), (-1 / 3, 1.0), (-0.35, 1.0373864))
"""Eigenvalues lambda, and the larger root's modulus of z^2 - 2 lambda z + lambda."""


def no_bias(build: Build = D2) -> Verdict:
    """Every worker at the minimiser to 1e-10, where D-PSGD is off by gamma a b_k/(1-lam_k+gamma a).

    b_i = cos(2 pi i / 8) on the lazy ring of 8: one mode of W, with the bias of D-PSGD beside it.
    """
    b = torch.cos(2 * torch.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    problem, topology = Quadratic.from_arrays(torch.ones_like(b), b), Lazy(Ring(8))
    lam = (1 + (1 + 2 * np.cos(2 * np.pi / 8)) / 3) / 2
    beside = run(DPSGD(_STEP, topology), problem, steps=400, points=2).consensus[0, -1] ** 0.5
    bias = _GAMMA / (1 - lam + _GAMMA) * 0.5**0.5
    return identity(
        "d2",
        "every worker stops at the minimiser: heterogeneity leaves no bias",
        run(build(_STEP, topology), problem, steps=400, points=2).rows[0],
        0.0,
        check="closed form",
        problem=problem.name,
        tolerance=1e-10,
        provenance="no noise, 400 steps, gamma 0.1, lazy ring of 8",
        note=f"D-PSGD is off by {beside:.7f}, gamma a b/(1 - lambda + gamma a) = {bias:.7f}",
    )


def no_bias_for_any_heterogeneity(build: Build = D2) -> Verdict:
    """Standard normal b_i, Hessians of their own, 3 x 4 torus: D-squared finds x*."""
    generator = np.random.default_rng(23)
    a = torch.from_numpy(generator.uniform(0.5, 1.5, size=(12, 3)))
    problem = Quadratic.from_arrays(a, torch.from_numpy(generator.normal(size=(12, 3))))
    centre = problem.x_star
    assert centre is not None
    return identity(
        "d2",
        "every worker stops at x*, Hessians differing too",
        run(build(_STEP, Lazy(Torus(3, 4))), problem, steps=600, points=2).rows[0],
        centre,
        check="no heterogeneity bias",
        problem=problem.name,
        tolerance=1e-10,
        provenance="no noise, 600 steps, gamma 0.1, lazy 3 x 4 torus, seed 23",
    )


def mean_is_gradient_descent(build: Build = D2, step: Stepsize | None = None) -> Verdict:
    r"""\bar x^{t+1} = \bar x^t - \gamma_t a (\bar x^t - \bar b), also while \gamma_t falls."""
    problem, rule = consensus_problem(8, 5, 51), step or InverseTimeStep(2.0, 10.0)
    centre = problem.x_star
    assert centre is not None
    x, expected = torch.zeros_like(centre), [torch.zeros_like(centre)]
    for t in range(60):
        x = x - rule(t) * (x - centre)
        expected.append(x)
    return identity(
        "d2",
        "the mean of the workers makes gradient steps, each with the stepsize of its time",
        models(build(rule, Lazy(Ring(8))), problem, 60)[:, 0],
        torch.stack(expected),
        check="mean model",
        problem=problem.name,
        provenance=f"no noise, 60 steps, {rule}, lazy ring of 8, seed 51",
    )


def growth(build: Callable[..., Method[Any]], lam: float) -> float:
    """Factor a step of the mode ``lam``: two workers whose W has the eigenvalues 1 and lam.

    The states span two dimensions (now and before), so x^{t+2} = p x^{t+1} - q x^t with p and q
    from four states in a row; the radius is that of z^2 - p z + q.
    """
    topology = FixedMatrix(np.full((2, 2), (1 - lam) / 2) + lam * np.eye(2))
    ones = torch.ones((2, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, ones)
    start = torch.tensor([[[1.0], [-1.0]]], dtype=torch.float64)
    method = build(ConstantStep(_TINY), topology, allow_unstable=True)
    moments = path(method, problem, 3, state=D2State(start, 0.3 * start))
    x = [moment.state.x[0, 0, 0].item() for moment in moments]
    p, q = np.linalg.solve([[x[1], -x[0]], [x[2], -x[1]]], [x[2], x[3]])
    return float(np.abs(np.roots([1.0, -p, q])).max())


def modes(build: Callable[..., Method[Any]] = D2) -> tuple[Verdict, ...]:
    """Spectral radii as gamma -> 0, on both sides of the limit: lambda = -0.3, -1/3, -0.35."""
    return tuple(
        identity(
            "d2",
            f"mode lambda={lam:.4f} grows by the radius of z^2 - 2 lambda z + lambda, {radius:.7f}",
            [growth(build, lam), d2_radius(lam)],
            radius,
            check="closed form",
            problem="quadratic",
            tolerance=1e-7,
            provenance="gamma 1e-13, characteristic of four states in a row",
        )
        for lam, radius in MODES
    )


def d2_forms() -> tuple[Verdict, ...]:
    """No bias by heterogeneity, the mean of the workers, and the radii of the modes."""
    return (no_bias(), no_bias_for_any_heterogeneity(), mean_is_gradient_descent(), *modes())


CLOSED_FORMS = (d2_forms,)
