"""Local SGD where Hessians differ: between meetings the models have the exact covariance."""

from __future__ import annotations

import numpy as np

from algorithms.methods.local_updates.local_sgd import LocalSGD
from proofs_check.instruments.whitened import models_at_end, unequal, whitened
from proofs_check.verdict import Verdict
from theory.networks.second_moments import linear_moments
from theory.stepsizes import ConstantStep

COVERS = ("local-sgd",)

_N, _PERIOD, _STEPS, _STEP, _SEED = 6, 5, 23, 0.3, 4


def covariance_of_local_sgd(noise_share: float = 1.0) -> Verdict:
    """W = J at meetings, else I; 3 steps after one the models differ, and none is singular."""
    problem = unequal(_N)
    mean, alone = np.full((_N, _N), 1 / _N), np.eye(_N)
    met = [mean if (t + 1) % _PERIOD == 0 else alone for t in range(_STEPS)]
    law = linear_moments(
        met, problem.a.numpy(), problem.c.numpy(), np.zeros(problem.d), step=_STEP,
        variance=noise_share * problem.sigma2 / problem.d,
    )  # fmt: skip
    got = models_at_end(LocalSGD(ConstantStep(_STEP), _PERIOD), problem, _STEPS, _SEED)
    return whitened(
        "local-sgd", "mean and covariance of all models follow the linear recursion, Hessians "
        "unequal", got, law, check="second moments", provenance=f"derived here; seed {_SEED}",
    )  # fmt: skip


def local_second_moments() -> tuple[Verdict, ...]:
    """The law of all workers' models at the end of a run."""
    return (covariance_of_local_sgd(),)


CLOSED_FORMS = (local_second_moments,)
