r"""Where DGD and projected DGD stop.

DGD on f_i(x) = sum_j a_{ij} (x_j - b_{ij})^2 / 2 with unlike Hessians stops, coordinate by
coordinate, where (I - W + gamma A) x = gamma A b: not at the minimiser. Workers that share one
quadratic stop at its constrained minimiser, which the KKT conditions give by a root of one
multiplier: x_j = clip(c_j/a_j) in a box, c_j/(a_j + m) with norm r in a ball, max((c_j - m)/a_j, 0)
with sum s in the simplex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import brentq

from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.dgd import dgd
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet
from algorithms.sets.box import Box
from algorithms.sets.simplex import Simplex
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

Floats = NDArray[np.float64]

_GAMMA, _STEPS, _SEED = 0.2, 700, 81
_STEP = ConstantStep(_GAMMA)


def uneven(n: int, d: int, seed: int = _SEED) -> tuple[Floats, Floats]:
    """Curvatures in [1/2, 3/2] and minimisers, both ``[n, d]``."""
    random = np.random.default_rng(seed)
    return random.uniform(0.5, 1.5, (n, d)), random.normal(size=(n, d))


def stopped_at(w: Floats, a: Floats, b: Floats, gamma: float) -> Floats:
    """Rows ``[n, d]`` that DGD with stepsize gamma leaves as they are."""
    columns = [
        np.linalg.solve(np.eye(len(w)) - w + gamma * np.diag(a[:, j]), gamma * a[:, j] * b[:, j])
        for j in range(a.shape[1])
    ]
    return np.stack(columns, axis=1)


def fixed_points(
    build: Callable[[Stepsize, Topology], Method[Any]] = dgd,
) -> tuple[Verdict, ...]:
    """Four graphs of 16 workers."""
    a, b = uneven(16, 3)
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b), sigma2=1.0)
    graphs = (Ring(16), Torus.square(16), StaticExponential(16), Complete(16))
    return tuple(
        identity(
            "dgd",
            f"full gradients stop at (I - W + gamma A)^-1 gamma A b on {graph.name}",
            run(build(_STEP, graph), problem, steps=_STEPS, points=2).rows[0].numpy(),
            stopped_at(graph.matrix(0), a, b, _GAMMA),
            check="closed form: fixed point of DGD", problem=problem.name,
            provenance=f"{_STEPS} steps, gamma {_GAMMA}, curvatures 0.5 to 1.5, seed {_SEED}; the "
            "stochastic gradients of the problem have variance 1",
        )
        for graph in graphs
    )  # fmt: skip


def kkt(domain: str, a: Floats, c: Floats) -> Floats:
    """argmin sum_j a_j x_j^2/2 - c_j x_j ``[d]`` over the unit ball, the simplex or [-0.3, 0.4]."""
    if domain == "box":
        return np.clip(c / a, -0.3, 0.4)
    if domain == "ball":
        m = brentq(lambda m: np.linalg.norm(c / (a + m)) - 1.0, 0.0, 1e3, xtol=1e-15)
        return np.asarray(c / (a + m))
    low, high = float(c.min() - a.max()), float(c.max())
    m = brentq(lambda m: np.maximum((c - m) / a, 0).sum() - 1.0, low - 1, high, xtol=1e-15)
    return np.asarray(np.maximum((c - m) / a, 0))


DOMAINS: dict[str, ConvexSet] = {"ball": Ball(1.0), "box": Box(-0.3, 0.4), "simplex": Simplex()}


def constrained(
    build: Callable[[Stepsize, Topology, ConvexSet], Method[Any]] = projected_dgd,
) -> tuple[Verdict, ...]:
    """Eight workers that share one quadratic, from a start outside the sets."""
    random = np.random.default_rng(_SEED + 1)
    a, c = random.uniform(0.5, 1.5, 6), 3 * random.normal(size=6)
    rows = (torch.from_numpy(v).expand(8, -1).contiguous() for v in (a, c / a))
    problem = Quadratic.from_arrays(*rows, x0=torch.full((6,), 2.0).double())
    return tuple(
        identity(
            "projected-dgd",
            f"workers with one quadratic stop at its minimiser over the {name} (KKT)",
            run(build(_STEP, Ring(8), domain), problem, steps=_STEPS, points=2).rows[0].numpy(),
            kkt(name, a, c),
            check="closed form: KKT point", problem=problem.name, tolerance=1e-11,
            provenance=f"{_STEPS} steps, gamma {_GAMMA}, ring of 8, no noise; multiplier by "
            f"Brent's method, seed {_SEED + 1}",
        )
        for name, domain in DOMAINS.items()
    )  # fmt: skip


def dgd_limits() -> tuple[Verdict, ...]:
    """Both."""
    return (*fixed_points(), *constrained())


CLOSED_FORMS = (dgd_limits,)
