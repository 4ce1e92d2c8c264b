"""Communication sliding where every step is linear or exact.

With one inner step it is powers of one matrix on quadratics; on linear functions the distance left
after i inner steps is known as a fraction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from torch import Tensor

from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.parts.sliding_rules import ConvexSliding, SlidingRule, StronglyConvexSliding
from algorithms.topologies.laplacian import Laplacian
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
)
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict


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
            for k in range(1, STEPS + 1):
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
        verdicts.append(against_recursion("dcs", claim, method, problem, expected, told))
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
        ConvexSliding(SCALE), lambda _k: (2 / SCALE, SCALE, 1.0, 1.5),
        lambda i: Fraction(i, 2), lambda i: i + 1,
    ),
    Printed(
        StronglyConvexSliding(_MU),
        lambda k: (k * _MU / 2, 4 / ((k + 1) * _MU), k / (k + 1), 1 + 2 / k),
        lambda i: Fraction(i + 1) + Fraction(i - 1, 2), lambda i: i,
    ),
)  # fmt: skip


def sliding_inner(change: Change = right) -> tuple[Verdict, ...]:
    """The first outer step of communication sliding on linear functions, both rules."""
    problem, topology, verdicts = linear(), Ring(4), []
    x0 = problem.x0.numpy()
    for printed in PRINTED:
        shares = _distances(printed, PERIOD)
        target = x0 + problem.c.numpy()[:, 0] / printed.rule.eta(1)
        method = change(CommunicationSliding(printed.rule, topology, PERIOD))
        for values, read in zip(shares, (_iterate, _mean), strict=True):
            left = np.array([float(v) for v in values])[:, None]
            verdicts.append(
                identity(
                    "dcs", f"linear f_i: the inner {read.__name__[1:]} is at an exact fraction of "
                    "the way to the proximal point", inner_states(method, problem, PERIOD, read),
                    target + left * (x0 - target), check="inner loop", problem="linear",
                    provenance=f"{printed.rule}, T = {PERIOD}, fractions exact",
                )
            )  # fmt: skip
    return tuple(verdicts)


def _iterate(state: Any) -> Tensor:
    return state.u  # type: ignore[no-any-return]


def _mean(state: Any) -> Tensor:
    return state.mean  # type: ignore[no-any-return]


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


def dcs() -> tuple[Verdict, ...]:
    """One inner step, and the inner loop by itself."""
    return (*sliding_recursion(), *sliding_inner())


CLOSED_FORMS = (dcs,)
