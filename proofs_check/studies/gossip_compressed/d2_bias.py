r"""Heterogeneity: D-PSGD is off by gamma a zeta/(1 - lambda + gamma a), D-squared by nothing.

f_i(x) = a ||x - b_i||^2 / 2 with b along the slowest mode of the lazy ring of 8, torus of 16 and
complete graph of 8, no noise; zeta^2 = mean_i ||grad f_i - grad f||^2 from 1e-2 to 1e2. (The bias
is derived in closed_forms/gossip_compressed/d2.py; Tang, Lian, Yan, Zhang, Liu 2018,
arXiv:1803.07068: no zeta in the rate.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.gossip.settings import slowest_mode
from proofs_check.verdict import Verdict
from theory.networks.mixing import spectrum
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Topology], Method[Any]]

_GAMMA, _STEPS = 0.2, 250
_ZETAS = (1e-2, 1e-1, 1.0, 1e1, 1e2)
_ABSENT = 1e-10  # of zeta
_GRAPHS: tuple[Topology, ...] = (Lazy(Ring(8)), Lazy(Torus(4, 4)), Lazy(Complete(8)))


def bias(build: Build, topology: Topology, zeta: float) -> float:
    """Root mean square distance of the workers from the minimiser in the end."""
    b = torch.from_numpy(zeta * slowest_mode(topology.matrix(0)))[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    trace = run(build(ConstantStep(_GAMMA), topology), problem, steps=_STEPS, points=2)
    assert problem.x_star is not None
    return float((trace.rows[0] - problem.x_star).square().mean().sqrt())


def measure(build: Build = D2, beside: Build = DPSGD) -> StudyResult:
    """Three graphs, five zeta, both methods."""
    verdicts: list[Verdict] = []
    picture: list[PanelLine] = []
    zetas = np.array(_ZETAS)
    told = f"no noise, no seed: nothing is drawn; {_STEPS} steps, gamma a = {_GAMMA}"
    for topology in _GRAPHS:
        lam = spectrum(topology.matrix(0)).lam_2
        off = np.array([bias(beside, topology, float(z)) for z in zetas])
        gone = np.array([bias(build, topology, float(z)) for z in zetas])
        stated = _GAMMA / (1 - lam + _GAMMA) * zetas
        verdicts += (
            identity(
                "d-psgd", f"bias/zeta = gamma a/(1 - lambda + gamma a) on {topology.name}",
                off / zetas, stated / zetas, check="heterogeneity bias", problem="quadratic",
                tolerance=1e-10, provenance=told,
            ),
            identity(
                "d2", f"no bias whatever zeta on {topology.name}",
                gone / zetas, 0.0, check="heterogeneity bias", problem="quadratic",
                tolerance=_ABSENT, provenance=told,
            ),
        )  # fmt: skip
        for label, y in (("D-PSGD", off), ("D-squared", gone)):
            picture.append(PanelLine(f"{label}, {topology.name}", zetas, np.maximum(y, 1e-18)))
    return StudyResult(tuple(verdicts), picture)


STUDY = Study(
    "d2_bias",
    "d2",
    "quadratic",
    "heterogeneity bias of D-PSGD, absent in D-squared",
    "zeta [f/x]",
    "rms distance from the minimiser [x]",
    measure,
)
