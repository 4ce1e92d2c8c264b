r"""Conjugates' gradients, and the primal-dual methods where every step is linear or exact.

grad f_i^* inverts grad f_i. With one inner step, MSPD and communication sliding on quadratics are
powers of one matrix. On f_i(x) = -c_i^T x their inner loops solve one proximal problem: MSPD's
exactly from the first step on; sliding's distance after i steps is known as a fraction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.key import Key
from algorithms.methods.base import Method
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.parts.sliding_rules import ConvexSliding, SlidingRule, StronglyConvexSliding
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Iid
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.admm.admm import right, uneven
from proofs_check.closed_forms.gossip_dual.ssda import chebyshev
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Change = Callable[[Any], Any]
Array = NDArray[np.float64]

_SEED, _STEPS, _SCALE = 58, 30, 0.4


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


def unrolled(matrix: Array, shift: Array, start: Array, steps: int) -> Array:
    """z_1, ..., z_T ``[T, k]`` of z <- matrix z + shift."""
    rows = [start]
    for _ in range(steps):
        rows.append(matrix @ rows[-1] + shift)
    return np.array(rows[1:])


def one_column(problem: Quadratic, j: int) -> tuple[Array, Array]:
    """Hessian ``[n, n]`` and slope ``[n]`` of coordinate j."""
    return np.diag(problem.a[:, j].numpy()), problem.c[:, j].numpy()


def mspd_recursion(change: Change = right) -> tuple[Verdict, ...]:
    """M = 1: (x_k, x_{k-1}, y) moves by one block matrix; ring of 6 (K = 2) and path (K = 3)."""
    problem, verdicts = uneven(), []
    for topology in (Ring(problem.n), Path(problem.n)):
        lap = Laplacian(topology)
        values, modes = np.linalg.eigh(lap.matrix)
        gossip = modes @ np.diag(chebyshev(lap.gamma, lap.degree, values)) @ modes.T
        c = ((1 - lap.gamma**0.5) / (1 + lap.gamma**0.5)) ** lap.degree
        s = _SCALE * (1 - c) / (1 + c)
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
            expected.append(unrolled(matrix, shift, start, _STEPS)[:, : problem.n])
        method = change(MSPD(ConstantStep(_SCALE), topology, 1))
        claim = "one inner step: iterates are powers of a block matrix"
        told = f"{topology.name}, K = {lap.degree}"
        verdicts.append(_recursion("mspd", claim, method, problem, expected, told))
    return tuple(verdicts)


def _recursion(
    row: str, claim: str, method: Method[Any], problem: Problem, expected: list[Array], told: str
) -> Verdict:
    """Iterates against those ``expected`` of each coordinate ``[T, n]``."""
    found = torch.stack([m.state.x[0] for m in path(method, problem, _STEPS)][1:])
    return identity(
        row, claim, found.numpy(), np.stack(expected, axis=-1), check="primal-dual recursion",
        problem=problem.name, tolerance=1e-10, provenance=f"{told}, {_STEPS} steps",
    )  # fmt: skip


def sliding_recursion(change: Change = right) -> tuple[Verdict, ...]:
    """T = 1: (x_k, x_{k-1}, y) moves by block matrices, one for each k where the rule varies."""
    problem, topology, verdicts = uneven(), Ring(6), []
    w, eye = Laplacian(topology).matrix, np.eye(6)
    nil = np.zeros((6, 6))
    for printed in PRINTED:
        expected = []
        for j in range(problem.d):
            a, slope = one_column(problem, j)
            state, rows = np.zeros(18), []
            for k in range(1, _STEPS + 1):
                eta, tau, alpha, step = printed.outer(k)
                dual = np.hstack([(1 + alpha) * w / tau, -alpha * w / tau, eye])
                primal = np.hstack([eye - a / (step * eta), nil, nil]) - w @ dual / (step * eta)
                matrix = np.vstack([primal, np.hstack([eye, nil, nil]), dual])
                state = matrix @ state + np.concatenate([slope / (step * eta), nil[0], nil[0]])
                rows.append(state[:6])
            expected.append(np.array(rows))
        method = change(CommunicationSliding(printed.rule, topology, 1))
        claim = "one inner step: iterates move by the paper's block matrix"
        told = f"{printed.rule}, {topology.name}"
        verdicts.append(_recursion("dcs", claim, method, problem, expected, told))
    return tuple(verdicts)


@final
@dataclass(frozen=True)
class Printed:
    """What the paper's theorem states: eta_k, tau_k, alpha_k, 1 + beta_1 at outer step k; beta_i
    in the first outer step and the weight of the i-th inner iterate.

    Attributes:
        rule: the parameters alpha_k, eta_k and tau_k.
        beta: i -> beta_i.
    """

    rule: SlidingRule
    outer: Callable[[int], tuple[float, float, float, float]]
    beta: Callable[[int], Fraction]
    weight: Callable[[int], int]


_MU = 1.5
PRINTED = (
    Printed(
        ConvexSliding(_SCALE), lambda _k: (2 / _SCALE, _SCALE, 1.0, 1.5),
        lambda i: Fraction(i, 2), lambda i: i + 1,
    ),
    Printed(
        StronglyConvexSliding(_MU),
        lambda k: (k * _MU / 2, 4 / ((k + 1) * _MU), k / (k + 1), 1 + 2 / k),
        lambda i: Fraction(i + 1) + Fraction(i - 1, 2), lambda i: i,
    ),
)  # fmt: skip


def linear() -> Quadratic:
    """f_i(x) = -c_i x for four workers; no minimum, but proximal points x_0 + step c_i."""
    c = torch.tensor([[1.0], [-2.0], [0.5], [3.0]], dtype=torch.float64)
    x0 = torch.tensor([0.7], dtype=torch.float64)
    return Quadratic("linear", torch.zeros_like(c), c, x0, x0)


_PERIOD = 12


def mspd_inner(change: Change = right) -> Verdict:
    """The first outer step of MSPD on linear functions."""
    problem, method = linear(), MSPD(ConstantStep(_SCALE), Ring(4), _PERIOD)
    target = problem.x0 + method.primal_step(0) * problem.c
    return identity(
        "mspd", "linear f_i: every inner iterate is the proximal point",
        _inner(change(method), problem, _PERIOD, _local),
        np.tile(target.numpy()[:, 0], (_PERIOD, 1)), check="inner loop",
        problem=problem.name, provenance=f"M = {_PERIOD}, ring of 4",
    )  # fmt: skip


def sliding_inner(change: Change = right) -> tuple[Verdict, ...]:
    """The first outer step of communication sliding on linear functions, both rules."""
    problem, topology, verdicts = linear(), Ring(4), []
    x0 = problem.x0.numpy()
    for printed in PRINTED:
        shares = _distances(printed, _PERIOD)
        target = x0 + problem.c.numpy()[:, 0] / printed.rule.eta(1)
        method = change(CommunicationSliding(printed.rule, topology, _PERIOD))
        for values, read in zip(shares, (_iterate, _mean), strict=True):
            left = np.array([float(v) for v in values])[:, None]
            verdicts.append(
                identity(
                    "dcs", f"linear f_i: the inner {read.__name__[1:]} is at an exact fraction of "
                    "the way to the proximal point", _inner(method, problem, _PERIOD, read),
                    target + left * (x0 - target), check="inner loop", problem="linear",
                    provenance=f"{printed.rule}, T = {_PERIOD}, fractions exact",
                )
            )  # fmt: skip
    return tuple(verdicts)


def _local(state: Any) -> Tensor:
    return state.inner  # type: ignore[no-any-return]


def _iterate(state: Any) -> Tensor:
    return state.u  # type: ignore[no-any-return]


def _mean(state: Any) -> Tensor:
    return state.mean  # type: ignore[no-any-return]


def _inner(
    method: Method[Any], problem: Problem, steps: int, read: Callable[[Any], Tensor]
) -> Array:
    """One field of the states after 1, ..., T steps ``[T, n]``; d = 1."""
    moments = list(path(method, problem, steps))[1:]
    return np.asarray(torch.stack([read(m.state)[0, :, 0] for m in moments]).numpy())


def _distances(printed: Printed, period: int) -> tuple[list[Fraction], list[Fraction]]:
    r"""Shares of the distance left to u_i and to their weighted mean, in the first outer step.

    u_i - p = \beta_i/(1 + \beta_i) (u_{i-1} - p).
    """
    left, total, weights = Fraction(1), Fraction(0), 0
    iterates, means = [], []
    for i in range(1, period + 1):
        beta, weight = printed.beta(i), printed.weight(i)
        left *= beta / (1 + beta)
        total, weights = total + weight * left, weights + weight
        iterates.append(left)
        means.append(total / weights)
    return iterates, means


def dual() -> tuple[Verdict, ...]:
    """All of the above."""
    return (*conjugates(), *mspd_recursion(), *sliding_recursion(), mspd_inner(), *sliding_inner())


CLOSED_FORMS = (dual,)
