r"""Local SGD over compressed gossip: its mean, its rest and its exact second moments.

CHOCO's exchange keeps the mean model for any operator. At rest nothing is left to send, so models
stop where plain gossip with I + gamma_c (W - I) stops: drift sees the gap gamma_c gap only, for
every delta. On the way second moments obey the recursion of
:mod:`proofs_check.closed_forms.gossip_local.gossip_local_moments`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoRound
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip_local.gossip_local import uneven
from proofs_check.closed_forms.gossip_local.gossip_local_moments import Recursion, consensus
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

COVERS = ("gossip-local-sgd",)

ChocoBuild = Callable[[ConstantStep, ChocoRound, int], Method[Any]]

_GAMMA = 0.1
_STEP = ConstantStep(_GAMMA)
_ROW = "gossip-local-sgd"


def compressed_fixed_points(build: ChocoBuild = GossipLocalSGD) -> tuple[Verdict, ...]:
    """Where models stop over compressed gossip: as over plain gossip with I + gamma_c (W - I)."""
    n, d, period, gamma_c = 6, 4, 3, 0.2
    problem = uneven(n, d, 71)
    a, b = problem.a.numpy(), (problem.c / problem.a).numpy()
    w = (1 - gamma_c) * np.eye(n) + gamma_c * Ring(n).matrix(0)
    kept = (1 - _GAMMA * a) ** period
    columns = [
        np.linalg.solve(np.eye(n) - w * kept[:, j], w @ ((1 - kept[:, j]) * b[:, j]))
        for j in range(d)
    ]
    operators: tuple[Compressor, ...] = (TopK(1), RandK(2, scaled=False), ScaledSign())
    return tuple(
        identity(
            _ROW,
            f"{operator.name}: models stop where plain gossip with I + gamma_c (W - I) stops",
            run(
                build(_STEP, ChocoRound(Ring(n), operator, gamma_c), period), problem,
                steps=1500, seed=72, points=2,
            ).rows[0].numpy(),
            np.stack(columns, axis=1),
            check="closed form of the drift",
            problem=problem.name,
            tolerance=1e-10,
            provenance=f"no noise, 1500 steps, H={period}, gamma_c={gamma_c}, seeds 71 and 72",
        )
        for operator in operators
    )  # fmt: skip


def compressed_moments(build: ChocoBuild = GossipLocalSGD) -> tuple[Verdict, ...]:
    """Consensus distance after 6 rounds of unscaled rand-k, against the exact recursion."""
    n, d, kept, rounds, replicas = 4, 4, 1, 6, 4000
    problem = uneven(n, d, 67, sigma2=0.5)
    w = Ring(n).matrix(0)
    verdicts = []
    for period in (1, 3):
        expected = 0.0
        for j in range(d):
            own = Recursion(
                w, problem.a[:, j].numpy(), problem.c[:, j].numpy(), _GAMMA, period, kept / d, 0.4,
                problem.sigma2 / d,
            )  # fmt: skip
            expected += consensus(own.played(rounds), n)
        gossip = ChocoRound(Ring(n), RandK(kept, scaled=False), 0.4)
        trace = run(
            build(_STEP, gossip, period), problem, steps=rounds * period, seed=68,
            replicas=replicas, points=2,
        )  # fmt: skip
        verdicts.append(
            mean_value(
                _ROW,
                f"rand-k with k/d = 1/4, gamma_c = 0.4: consensus distance after {rounds} rounds, "
                f"H={period}",
                trace.consensus[:, -1],
                expected,
                check="exact second moments",
                problem=problem.name,
                provenance=f"seed 68, {replicas} replicas, ring of {n}",
            )
        )
    return tuple(verdicts)


def mean_is_untouched(build: ChocoBuild = GossipLocalSGD) -> Verdict:
    """Compressed gossip keeps the mean model: with one curvature it runs as gradient descent."""
    generator = torch.Generator().manual_seed(69)
    b = torch.randn((8, 5), generator=generator, dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    method = build(_STEP, ChocoRound(Ring(8), RandK(2, scaled=False), 0.2), 3)
    means = [method.models(m.state).mean(-2) for m in path(method, problem, 30, seed=70)]
    falling = (1 - (1 - _GAMMA) ** np.arange(31))[:, None, None] * b.mean(0).numpy()
    return identity(
        _ROW,
        "one curvature: the mean model is that of gradient descent, whatever is compressed",
        torch.stack(means).numpy(),
        falling,
        check="mean preservation",
        problem=problem.name,
        provenance="seeds 69 and 70, 30 steps, H = 3, rand-2 of 5",
    )


def gossip_local_choco() -> tuple[Verdict, ...]:
    """Every check of this file, on the genuine method."""
    return (mean_is_untouched(), *compressed_fixed_points(), *compressed_moments())


CLOSED_FORMS = (gossip_local_choco,)
