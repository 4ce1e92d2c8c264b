"""CHOCO-Gossip: mode factors without compression, and the mean with any.

With Q = I each mode of W contracts by 1 - gamma (1 - lambda), so gamma = 1 is X <- W X. For any Q
the mean over workers is kept: sum_i sum_j W_ij (xhat_j - xhat_i) = 0 (Koloskova, Stich, Jaggi 2019,
arXiv:1902.00340).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.closed_forms.gossip.consensus import consensus_problem
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict

Build = Callable[[Topology, Compressor, float], Method[Any]]


def mode_factors(build: Build = ChocoGossip) -> tuple[Verdict, ...]:
    """Slowest mode of the ring of 8 without compression, gamma = 0.3, 0.7, 1."""
    lam = (1 + 2 * math.cos(2 * math.pi / 8)) / 3
    b = torch.cos(2 * math.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    verdicts = []
    for gamma in (0.3, 0.7, 1.0):
        trace = run(build(Ring(8), Identity(), gamma), problem, steps=30, points=100)
        rms = trace.consensus[0] ** 0.5
        verdicts.append(
            identity(
                "choco-gossip",
                f"Q = I: slowest mode of the ring of 8 contracts by 1-gamma(1-lambda), "
                f"gamma={gamma:g}",
                rms[1:] / rms[:-1],
                1 - gamma * (1 - lam),
                check="closed form",
                problem=problem.name,
                provenance="30 rounds, no randomness",
            )
        )
    return tuple(verdicts)


def equals_gossip(build: Build = ChocoGossip) -> Verdict:
    """gamma = 1, Q = I: X_t = W^t X_0."""
    problem, topology = consensus_problem(8, 5, 41), Ring(8)
    trace = run(build(topology, Identity(), 1.0), problem, steps=20, points=3)
    w = torch.from_numpy(topology.matrix(0).copy())
    b = problem.all_gradients(torch.zeros(5, dtype=torch.float64)).neg()
    return identity(
        "choco-gossip",
        "Q = I, gamma = 1: models after t rounds are W^t B",
        trace.rows[0],
        torch.linalg.matrix_power(w, 20) @ b,
        check="closed form",
        problem=problem.name,
        provenance="20 rounds on the ring of 8, standard normal B, seed 41",
    )


def mean_is_kept(build: Build = ChocoGossip) -> tuple[Verdict, ...]:
    """Mean over workers along 200 rounds, for biased and unbiased operators."""
    problem = consensus_problem(16, 12, 42)
    centre = problem.x_star
    assert centre is not None
    operators: tuple[Compressor, ...] = (TopK(2), RandK(3, scaled=False), QSGD(4), ScaledSign())
    return tuple(
        identity(
            "choco-gossip",
            f"the mean over workers never moves, {operator.name}",
            models(build(Torus.square(16), operator, 0.1), problem, 200, seed=43, replicas=2),
            centre,
            check="mean preservation",
            problem=problem.name,
            provenance="seed 43, 2 replicas, 200 rounds on the 4 x 4 torus, gamma 0.1",
        )
        for operator in operators
    )


def choco_gossip() -> tuple[Verdict, ...]:
    """Mode factors, plain gossip, and the mean."""
    return (*mode_factors(), equals_gossip(), *mean_is_kept())


CLOSED_FORMS = (choco_gossip,)
