r"""Mirror descent and dual averaging with the entropy on linear functions: exponential weights.

With f_i(x) = <c_i, x> on the simplex, dual averaging holds z_{i,t} = sum_{k<t} (W^k C)_i and plays
softmax(-alpha z_{i,t}); mirror descent with one c for all plays softmax(-gamma t c) on any graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy.special import softmax

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.problems.quadratic import Quadratic
from algorithms.sets.geometry import Geometry, NegativeEntropy
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, InverseRootStep, Stepsize

COVERS = ("gossip-dual-averaging", "mirror-descent")

Build = Callable[[Stepsize, Topology, Geometry], Method[Any]]

_N, _D, _STEPS, _SEED = 8, 5, 40, 82


def linear(c: np.ndarray) -> Quadratic:
    """f_i(x) = -<c_i, x> with c ``[n, d]``: gradients are -c_i everywhere."""
    zero = torch.zeros(c.shape[1], dtype=torch.float64)
    rows = torch.from_numpy(np.ascontiguousarray(c))
    return Quadratic("linear", torch.zeros((1, c.shape[1])).double(), rows, zero, zero)


def one_cost(build: Build = MirrorDescent, geometry: Geometry | None = None) -> Verdict:
    """Mirror descent with one cost for all, on the ring of 8."""
    c = np.tile(np.random.default_rng(_SEED).normal(size=_D), (_N, 1))
    method = build(ConstantStep(0.1), Ring(_N), geometry or NegativeEntropy())
    return identity(
        "mirror-descent", "entropy, one linear function: models are softmax(-gamma t c)",
        run(method, linear(-c), steps=_STEPS, points=2).rows[0].numpy(),
        softmax(-0.1 * _STEPS * c, axis=1),
        check="closed form: exponential weights", problem="linear",
        provenance=f"{_STEPS} steps, gamma 0.1, ring of {_N}, scipy's softmax, seed {_SEED}",
    )  # fmt: skip


def mixed_costs(build: Build = DualAveraging) -> tuple[Verdict, ...]:
    """Dual averaging with a cost each, on two graphs."""
    c = np.random.default_rng(_SEED + 1).normal(size=(_N, _D))
    step, verdicts = InverseRootStep(0.5), []
    for graph in (Ring(_N), StaticExponential(_N)):
        sums, power = np.zeros_like(c), c
        for _ in range(_STEPS):
            sums, power = sums + power, graph.matrix(0) @ power
        trace = run(build(step, graph, NegativeEntropy()), linear(-c), steps=_STEPS, points=2)
        verdicts.append(
            identity(
                "gossip-dual-averaging",
                f"entropy, linear functions: softmax(-alpha sum_k W^k C) on {graph.name}",
                trace.rows[0].numpy(),
                softmax(-step(_STEPS - 1) * sums, axis=1),
                check="closed form: exponential weights",
                problem="linear",
                provenance=f"{_STEPS} steps, alpha_t 0.5/sqrt(t + 1), scipy, seed {_SEED + 1}",
            )
        )
    return tuple(verdicts)


def exponential_weights() -> tuple[Verdict, ...]:
    """Exponential weights with one cost for all workers, and with a cost for each."""
    return (one_cost(), *mixed_costs())


CLOSED_FORMS = (exponential_weights,)
