"""MSPD where every step is linear or exact.

With one inner step it is powers of one matrix on quadratics; on linear functions the inner loop is
exact from the first step on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.admm.solutions import right, uneven
from proofs_check.closed_forms.gossip_dual.primal_dual import (
    PERIOD,
    SCALE,
    STEPS,
    Change,
    against_recursion,
    inner_states,
    linear,
    one_column,
    unrolled,
)
from proofs_check.closed_forms.gossip_dual.ssda import chebyshev
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def mspd_recursion(change: Change = right) -> tuple[Verdict, ...]:
    """M = 1: (x_k, x_{k-1}, y) moves by one block matrix; ring of 6 (K = 2) and path (K = 3)."""
    problem, verdicts = uneven(), []
    for topology in (Ring(problem.n), Path(problem.n)):
        lap = Laplacian(topology)
        values, modes = np.linalg.eigh(lap.matrix)
        gossip = modes @ np.diag(chebyshev(lap.gamma, lap.degree, values)) @ modes.T
        c = ((1 - lap.gamma**0.5) / (1 + lap.gamma**0.5)) ** lap.degree
        s = SCALE * (1 - c) / (1 + c)
        sigma = (1 + c**2) / (1 + c) ** 2 / s
        eye, nil = np.eye(problem.n), np.zeros((problem.n, problem.n))
        expected = []
        for j in range(problem.d):
            a, slope = one_column(problem, j)
            dual = np.hstack([-2 * sigma * gossip, sigma * gossip, eye])
            primal = np.hstack([eye - s * a, nil, nil]) + s * dual
            matrix = np.vstack([primal, np.hstack([eye, nil, nil]), dual])
            shift = np.concatenate([s * slope, nil[0], nil[0]])
            start = np.zeros(3 * problem.n)
            expected.append(unrolled(matrix, shift, start, STEPS)[:, : problem.n])
        method = change(MSPD(ConstantStep(SCALE), topology, 1))
        claim = "one inner step: iterates are powers of a block matrix"
        told = f"{topology.name}, K = {lap.degree}"
        verdicts.append(against_recursion("mspd", claim, method, problem, expected, told))
    return tuple(verdicts)


def mspd_inner(change: Change = right) -> Verdict:
    """The first outer step of MSPD on linear functions."""
    problem, method = linear(), MSPD(ConstantStep(SCALE), Ring(4), PERIOD)
    target = problem.x0 + method.primal_step(0) * problem.c
    return identity(
        "mspd", "linear f_i: every inner iterate is the proximal point",
        inner_states(change(method), problem, PERIOD, _local),
        np.tile(target.numpy()[:, 0], (PERIOD, 1)), check="inner loop",
        problem=problem.name, provenance=f"M = {PERIOD}, ring of 4",
    )  # fmt: skip


def _local(state: Any) -> Tensor:
    return state.inner  # type: ignore[no-any-return]


def mspd() -> tuple[Verdict, ...]:
    """One inner step, and the inner loop by itself."""
    return (*mspd_recursion(), mspd_inner())


CLOSED_FORMS = (mspd,)
