"""D-PSGD where Hessians differ: all workers' models have the exact covariance."""

from __future__ import annotations

import numpy as np

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.topologies.ring import Ring
from proofs_check.instruments.whitened import models_at_end, unequal, whitened
from proofs_check.verdict import Verdict
from theory.networks.second_moments import linear_moments
from theory.stepsizes import ConstantStep

COVERS = ("d-psgd",)

_N, _STEPS, _STEP, _SEED = 6, 25, 0.3, 4


def covariance_of_gossip(noise_share: float = 1.0) -> Verdict:
    """C <- (W - gamma A) C (W - gamma A)^T + gamma^2 v I; the law is told ``noise_share`` v."""
    problem, ring = unequal(_N), Ring(_N)
    law = linear_moments(
        [ring.matrix(0)] * _STEPS, problem.a.numpy(), problem.c.numpy(), np.zeros(problem.d),
        step=_STEP, variance=noise_share * problem.sigma2 / problem.d, beside=True,
    )  # fmt: skip
    got = models_at_end(DPSGD(ConstantStep(_STEP), ring), problem, _STEPS, _SEED)
    return whitened(
        "d-psgd", "mean and covariance of all models follow the linear recursion, Hessians unequal",
        got, law, check="second moments", provenance=f"derived here; seed {_SEED}",
    )  # fmt: skip


def gossip_second_moments() -> tuple[Verdict, ...]:
    """The law of all workers' models at the end of a run."""
    return (covariance_of_gossip(),)


CLOSED_FORMS = (gossip_second_moments,)
