"""Gradients of the conjugates, on which SSDA and MSDA run: grad f_i^* inverts grad f_i."""

from __future__ import annotations

from typing import Any

import torch

from algorithms.core.key import Key
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Iid
from algorithms.problems.regularisers import L2
from proofs_check.closed_forms.admm.solutions import right, uneven
from proofs_check.closed_forms.gossip_dual.primal_dual import Change
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict

COVERS = ("ssda-msda",)

_SEED = 58


def conjugates(change: Change = right) -> tuple[Verdict, ...]:
    """grad f_i(grad f_i^*(y)) = y on quadratics and on logistic regression, also with a centre."""
    logistic = breast_cancer(4, L2(0.1), partition=Iid())
    verdicts = []
    for problem in (uneven(), logistic):
        own = LocalModel.of(problem)
        for local in (own, LocalModel(own.alpha, own.beta + 1.0, 1.0)):
            verdicts.append(_inverse(problem, change(local), local))
    return tuple(verdicts)


def _inverse(problem: Problem, local: Any, genuine: LocalModel) -> Verdict:
    everyone = torch.arange(problem.n)
    draws = Key.seed(_SEED).fold("duals").draws(torch.arange(6), everyone)
    y = draws.normal(problem.d, torch.float64)
    centre = y.flip(0)
    x = local.argmin(problem, y, centre, everyone, torch.zeros_like(y))
    back = problem.full_gradient(x, everyone) + genuine.weight * (x - centre)
    return identity(
        "ssda-msda", "grad h_i inverts grad h_i^*", back.numpy(), y.numpy(),
        check="conjugate", problem=problem.name, tolerance=1e-9,
        provenance=f"6 normal duals a worker, weight {genuine.weight:g}, seed {_SEED}",
    )  # fmt: skip


CLOSED_FORMS = (conjugates,)
