"""Where DGD stops.

DGD on f_i(x) = sum_j a_{ij} (x_j - b_{ij})^2 / 2 with unlike Hessians stops, coordinate by
coordinate, where (I - W + gamma A) x = gamma A b: not at the minimiser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.dgd import dgd
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

GAMMA, STEPS, SEED = 0.2, 700, 81
STEP = ConstantStep(GAMMA)


def uneven(n: int, d: int, seed: int = SEED) -> tuple[Floats, Floats]:
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
            run(build(STEP, graph), problem, steps=STEPS, points=2).rows[0].numpy(),
            stopped_at(graph.matrix(0), a, b, GAMMA),
            check="closed form: fixed point of DGD", problem=problem.name,
            provenance=f"{STEPS} steps, gamma {GAMMA}, curvatures 0.5 to 1.5, seed {SEED}; the "
            "stochastic gradients of the problem have variance 1",
        )
        for graph in graphs
    )  # fmt: skip


CLOSED_FORMS = (fixed_points,)
