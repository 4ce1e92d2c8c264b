"""Closed forms: primal dual, dcs, relay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.parts.sliding_rules import ConvexSliding, SlidingRule, StronglyConvexSliding
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.nesterov_chain import NesterovChain
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from proofs_check.evidence.admm.closed_forms import right, uneven
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# What MSPD and communication sliding share: matrices of linear steps, and linear functions.
#
# With one inner step both are powers of one matrix on quadratics. On f_i(x) = -c_i^T x their inner
# loops solve one proximal problem.


PrimalDualChange = Callable[[Any], Any]
STEPS, SCALE = 30, 0.4


def unrolled(matrix: Floats, shift: Floats, start: Floats, steps: int) -> Floats:
    """z_1, ..., z_T ``[T, k]`` of z <- matrix z + shift."""
    rows = [start]
    for _ in range(steps):
        rows.append(matrix @ rows[-1] + shift)
    return np.array(rows[1:])


def one_column(problem: Quadratic, j: int) -> tuple[Floats, Floats]:
    """Hessian ``[n, n]`` and slope ``[n]`` of coordinate j."""
    return np.diag(problem.a[:, j].numpy()), problem.c[:, j].numpy()


def against_recursion(
    row: str,
    claim: str,
    method: Method[Any],
    problem: Problem,
    expected: list[Floats],
    description: str,
) -> Verdict:
    """Iterates against those ``expected`` of each coordinate ``[T, n]``."""
    found = torch.stack([m.state.x[0] for m in path(method, problem, STEPS)][1:])
    return identity(
        row, claim, found.numpy(), np.stack(expected, axis=-1), check="primal-dual recursion",
        problem=problem.name, tolerance=1e-10, provenance=f"{description}, {STEPS} steps",
    )  # fmt: skip


def linear() -> Quadratic:
    """f_i(x) = -c_i x for four workers; no minimum, but proximal points x_0 + step c_i."""
    c = torch.tensor([[1.0], [-2.0], [0.5], [3.0]], dtype=torch.float64)
    x0 = torch.tensor([0.7], dtype=torch.float64)
    return Quadratic("linear", torch.zeros_like(c), c, x0, x0)


PERIOD = 12


def inner_states(
    method: Method[Any], problem: Problem, steps: int, read: Callable[[Any], Tensor]
) -> Floats:
    """One field of the states after 1, ..., T steps ``[T, n]``; d = 1."""
    moments = list(path(method, problem, steps))[1:]
    return np.asarray(torch.stack([read(m.state)[0, :, 0] for m in moments]).numpy())


# Communication sliding where every step is linear or exact.
#
# With one inner step it is powers of one matrix on quadratics; on linear functions the distance
# left after i inner steps is known as a fraction.


def sliding_recursion(change: PrimalDualChange = right) -> tuple[Verdict, ...]:
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
        description = f"{printed.rule}, {topology.name}"
        verdicts.append(against_recursion("dcs", claim, method, problem, expected, description))
    return tuple(verdicts)


@final
@dataclass(frozen=True)
class Printed:
    """Statement of the paper's theorem: eta_k, tau_k, alpha_k, 1 + beta_1 at outer step k; beta_i
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


def sliding_inner(change: PrimalDualChange = right) -> tuple[Verdict, ...]:
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


# Information travels one hop a round: the lower bound on its own instance, for every method.
#
# On :class:`NesterovChain` over a path of n workers, after R rounds of messages no worker has a
# nonzero coordinate beyond \lfloor R/(n - 1) \rfloor (from 0), whatever it does with its own f_i,
# so that its distance from x* is at least that of x*'s tail. Zeros are exact in floating point. A
# method that is nearer has heard more than its neighbours told it. D-PSGD's is in
# ``closed_forms.gossip.d_psgd``.


RelayChange = Callable[[Any], Method[Any]]
_N, _D, _STEPS = 7, 40, 120


def cone(row: str, method: Method[Any], problem: NesterovChain) -> Verdict:
    """Every worker's nonzero coordinates and distance, against rounds of messages so far."""
    tail = problem.x_star.square().flip(0).cumsum(0).flip(0).sqrt().numpy()
    per_round = 64 * problem.d  # bits of an uncompressed row, which an end sends once a round
    beyond, tightest, widest = -problem.d, np.inf, 0
    for moment in path(method, problem, _STEPS):
        rounds = int(moment.context.network.account().sent_bits[..., 0].sum()) // per_round
        most = min(rounds // (problem.n - 1), problem.d - 1)
        rows = method.models(moment.state)[0]
        reached = int(torch.cat(((rows != 0).any(0).nonzero()[:, 0], torch.tensor([-1]))).max())
        beyond = max(beyond, reached - most)
        nearest = float((rows - problem.x_star).norm(dim=-1).min())
        tightest = min(tightest, nearest / max(tail[most + 1 :].max(initial=0.0), 1e-300))
        widest = max(widest, rounds)
    return Verdict(
        subject=row,
        problem=problem.name,
        claim="after R rounds no worker knows coordinates beyond R/(n-1): the lower bound's "
        "tail of x* stays",
        check="light cone",
        outcome=Outcome.SUPPORTED if beyond <= 0 and tightest >= 1 else Outcome.REFUTED,
        statistic=float(beyond),
        bound=0.0,
        tightness=1 / tightest,
        resolution=0.0,
        evidence=f"{method.name}: coordinates at most {beyond} beyond the cone in {widest} "
        f"rounds; nearest worker at {tightest:.4g} times the tail",
        provenance=f"{_STEPS} steps, path of {problem.n}, {problem.d} coordinates",
    )


def hard_instance() -> tuple[NesterovChain, Path]:
    """The lower bound's problem, L = 400, and the path of workers on which it is hard."""
    return NesterovChain(_N, _D, 1.0, 400.0), Path(_N)


def ssda_cone(change: RelayChange = right) -> Verdict:
    """SSDA on the hard instance."""
    problem = NesterovChain(_N, _D, 1.0, 400.0)
    return cone("ssda-msda", change(SSDA(Path(_N), LocalModel.from_problem(problem))), problem)


def relay() -> tuple[Verdict, ...]:
    """SSDA, MSDA, FISTA on the dual, MSPD and sliding on the hard instance."""
    problem, topology = hard_instance()
    local, step = LocalModel.from_problem(problem), ConstantStep(1 / 400.0)
    cases: tuple[tuple[str, Method[Any]], ...] = (
        ("ssda-msda", MSDA(topology, local)),
        ("dual-accelerated", DualAccelerated(topology, local)),
        ("mspd", MSPD(step, topology, 6)),
        ("dcs", CommunicationSliding(ConvexSliding(1 / 400.0), topology, 6)),
    )
    return (ssda_cone(), *(cone(row, method, problem) for row, method in cases))


CLOSED_FORMS = (dcs, relay)

COVERS = {"relay": ("dcs", "dual-accelerated", "mspd", "ssda-msda")}
