"""Where projected DGD stops.

Workers that share one quadratic stop at its constrained minimiser, which the KKT conditions give by
a root of one multiplier: x_j = clip(c_j/a_j) in a box, c_j/(a_j + m) with norm r in a ball,
max((c_j - m)/a_j, 0) with sum s in the simplex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.problems.quadratic import Quadratic
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet
from algorithms.sets.box import Box
from algorithms.sets.simplex import Simplex
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip_convex.dgd import GAMMA, SEED, STEP, STEPS
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import Stepsize


def kkt(domain: str, a: Floats, c: Floats) -> Floats:
    """argmin sum_j a_j x_j^2/2 - c_j x_j ``[d]`` over the unit ball, the simplex or [-0.3, 0.4]."""
    if domain == "box":
        return np.clip(c / a, -0.3, 0.4)
    if domain == "ball":
        m = scipy.optimize.brentq(lambda m: np.linalg.norm(c / (a + m)) - 1.0, 0.0, 1e3, xtol=1e-15)
        return np.asarray(c / (a + m))
    low, high = float(c.min() - a.max()), float(c.max())
    m = scipy.optimize.brentq(
        lambda m: np.maximum((c - m) / a, 0).sum() - 1.0, low - 1, high, xtol=1e-15
    )
    return np.asarray(np.maximum((c - m) / a, 0))


DOMAINS: dict[str, ConvexSet] = {"ball": Ball(1.0), "box": Box(-0.3, 0.4), "simplex": Simplex()}


def constrained(
    build: Callable[[Stepsize, Topology, ConvexSet], Method[Any]] = projected_dgd,
) -> tuple[Verdict, ...]:
    """Eight workers that share one quadratic, from a start outside the sets."""
    random = np.random.default_rng(SEED + 1)
    a, c = random.uniform(0.5, 1.5, 6), 3 * random.normal(size=6)
    rows = (torch.from_numpy(v).expand(8, -1).contiguous() for v in (a, c / a))
    problem = Quadratic.from_arrays(*rows, x0=torch.full((6,), 2.0).double())
    return tuple(
        identity(
            "projected-dgd",
            f"workers with one quadratic stop at its minimiser over the {name} (KKT)",
            run(build(STEP, Ring(8), domain), problem, steps=STEPS, points=2).rows[0].numpy(),
            kkt(name, a, c),
            check="closed form: KKT point", problem=problem.name, tolerance=1e-11,
            provenance=f"{STEPS} steps, gamma {GAMMA}, ring of 8, no noise; multiplier by "
            f"Brent's method, seed {SEED + 1}",
        )
        for name, domain in DOMAINS.items()
    )  # fmt: skip


CLOSED_FORMS = (constrained,)
