r"""C3 and C6: where local GD and D-PSGD stop when workers differ and there is no noise.

Local GD with f_i(x) = a_i (x - b_i)^2 / 2 stops at sum w_i b_i / sum w_i with
w_i = 1 - (1 - gamma a_i)^H. D-PSGD with f_i(x) = a ||x - b_i||^2 / 2 stops where
(I - W + gamma a I) X = gamma a B: mode k of B is scaled by gamma a / (1 - lambda_k + gamma a).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, Stepsize

_GAMMA = 0.1
_STEP = ConstantStep(_GAMMA)


def local_fixed_point(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> tuple[Verdict, ...]:
    """a = (1, 4), b = (0, 1): 0.8 for H = 1, 0.64/0.83 for H = 2."""
    column = (torch.tensor([[1.0], [4.0]]).double(), torch.tensor([[0.0], [1.0]]).double())
    problem, a, b = Quadratic.from_arrays(*column), *(c.numpy()[:, 0] for c in column)
    verdicts = []
    for period in (1, 2, 5):
        w = 1 - (1 - _GAMMA * a) ** period
        trace = run(build(_STEP, period), problem, steps=100 * period, points=2)
        verdicts.append(
            identity(
                "local-sgd",
                f"fixed point sum w_i b_i / sum w_i, w_i = 1-(1-gamma a_i)^H, H={period}",
                trace.model.item(),
                float((w * b).sum() / w.sum()),
                check="closed form C3",
                problem=problem.name,
                provenance=f"no noise, {100 * period} steps; the optimum is 0.8",
            )
        )
    return tuple(verdicts)


def ring_bias(
    build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD, topology: Topology | None = None
) -> Verdict:
    """b_i = cos(2 pi i / 8) on the ring of 8: consensus 0.2394844 (root mean square)."""
    b = torch.cos(2 * math.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    lam = (1 + 2 * math.cos(2 * math.pi / 8)) / 3
    trace = run(build(_STEP, topology or Ring(8)), problem, steps=300, points=3)
    return identity(
        "d-psgd",
        "consensus error = gamma a / (1 - lambda_1 + gamma a) rms(b) on the ring of 8",
        math.sqrt(trace.consensus[0, -1]),
        _GAMMA / (1 - lam + _GAMMA) * math.sqrt(0.5),
        check="closed form C6",
        problem=problem.name,
        provenance="no noise, 300 steps, gamma 0.1",
    )


def fixed_points(
    build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD,
) -> tuple[Verdict, ...]:
    """All models at the fixed point against the linear system's solution, three topologies."""
    generator = np.random.default_rng(16)
    b = torch.from_numpy(generator.normal(size=(16, 3)))
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    verdicts = []
    topologies: tuple[Topology, ...] = (Ring(16), Torus.square(16), StaticExponential(16))
    for topology in topologies:
        w = topology.matrix(0)
        solution = np.linalg.solve(np.eye(16) * (1 + _GAMMA) - w, _GAMMA * b.numpy())
        trace = run(build(_STEP, topology), problem, steps=500, points=2)
        verdicts.append(
            identity(
                "d-psgd",
                f"models stop at (I - W + gamma a I)^-1 gamma a B on {topology.name}",
                trace.rows[0].numpy(),
                solution,
                check="closed form C6",
                problem=problem.name,
                provenance="no noise, 500 steps, gamma 0.1, b standard normal, seed 16",
            )
        )
    return tuple(verdicts)


def gossip_bias() -> tuple[Verdict, ...]:
    """C6."""
    return (ring_bias(), *fixed_points())


CLOSED_FORMS = (
    gossip_bias,
    local_fixed_point,
)
