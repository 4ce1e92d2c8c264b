"""Closed forms: ssda, conjugates, mspd."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.polynomial.chebyshev import chebval
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated, FistaState
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.parts.dual_ascent import DualState
from algorithms.methods.parts.over_laplacian import multiplier
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Iid
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.laplacian import Laplacian, accelerated_gossip
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from proofs_check.evidence.admm.closed_forms import right, uneven
from proofs_check.evidence.gossip_dual.closed_forms_nonsmooth import (
    PERIOD,
    SCALE,
    STEPS,
    against_recursion,
    inner_states,
    linear,
    one_column,
    unrolled,
)
from proofs_check.evidence.gossip_dual.closed_forms_nonsmooth import PrimalDualChange as Change
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path, world_of
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

# SSDA, MSDA and FISTA on the dual, mode by mode; the Chebyshev polynomial; where duals end.
#
# On f_i(x) = a ||x - b_i||^2 / 2 the optimal dual is y_i^* = a (mean b - b_i) and the model of mode
# w > 0 of W is its part of b times c_t, where with r = 1 - \eta P(w)/a
#
#     c_0 = 1, c_1 = (1 + \mu_0) r - \mu_0, c_{t+1} = (1 + \mu_t) r c_t - \mu_t r c_{t-1}.
#
# For a constant \mu powers of the recursion's matrix give c_t. P_K(w) = 1 - T_K(c_2 (1 - c_3 w)) /
# T_K(c_2) is evaluated with numpy's Chebyshev series. On quadratics with any
# Hessians all workers end at the minimiser x*, duals at grad f_i(x*), summing to 0 all the way.


SsdaChange = Callable[[Any], Method[Any]]
Gossip = Callable[..., torch.Tensor]

_A, _KAPPA, _STEPS, _SSDA_SEED = 0.5, 9.0, 25, 57
_LOCAL = LocalModel(_A, _KAPPA * _A)  # states more than is needed, as a bound may


def chebyshev(gamma: float, degree: int, w: Floats) -> Floats:
    """P_K at eigenvalues w, by numpy's series of T_K."""
    if degree == 1:
        return np.asarray(2 / (1 + gamma) * w)
    series = np.eye(degree + 1)[degree]
    c2, c3 = (1 + gamma) / (1 - gamma), 2 / (1 + gamma)
    return np.asarray(1 - chebval(c2 * (1 - c3 * w), series) / chebval(c2, series))


_SSDA_MSDA_FORMS = ClosedForms("ssda-msda")


@_SSDA_MSDA_FORMS.case("Chebyshev polynomial")
def polynomial(gossip: Gossip = accelerated_gossip) -> Iterator[Verdict]:
    """K rounds of messages multiply every mode of W by P_K(w)."""
    for topology in (Ring(8), Ring(20), Star(8), Hypercube(8), Complete(4), Path(12)):
        w, n = Laplacian(topology), topology.n
        values, modes = np.linalg.eigh(w.matrix)
        rows = torch.from_numpy(np.ascontiguousarray(modes))
        context = world_of(Quadratic.from_arrays(torch.ones_like(rows), rows), _SSDA_SEED, 1)
        incoming = gossip(rows[None], multiplier(w, 0, context), w.gamma, w.degree)[0].numpy()
        yield same(
            "K exchanges multiply every mode by Chebyshev's P_K", modes.T @ incoming,
            np.diag(chebyshev(w.gamma, w.degree, values)), tolerance=1e-11, note=f"{n} modes",
            words=f"{topology.name}, K = {w.degree}",
        )  # fmt: skip


def even(n: int) -> Quadratic:
    """f_i(x) = a ||x - b_i||^2 / 2 with standard normal b_i, 3 coordinates."""
    b = torch.randn(
        (n, 3), generator=torch.Generator().manual_seed(_SSDA_SEED), dtype=torch.float64
    )
    return Quadratic.from_arrays(torch.full_like(b, _A), b, name="quadratic, one curvature")


def factors(r: Floats, momenta: Floats) -> Floats:
    """c_t ``[T, modes]`` by the recursion, for momenta mu_0, mu_1, ..."""
    before, rows = np.ones_like(r), [np.ones_like(r)]
    current = (1 + momenta[0]) * r - momenta[0]
    for mu in momenta[1:]:
        rows.append(current)
        before, current = current, (1 + mu) * r * current - mu * r * before
    return np.array(rows)


def powers(r: Floats, mu: float, steps: int) -> Floats:
    """c_t ``[T, modes]`` for one momentum, by powers of the recursion's matrix."""
    p, zero = (1 + mu) * r, np.zeros_like(r)
    matrix = np.array([[p, -mu * r], [zero + 1, zero]]).transpose(2, 0, 1)
    first = np.stack([p - mu, zero + 1], axis=-1)[..., None]
    return np.array([(np.linalg.matrix_power(matrix, t) @ first)[:, 1, 0] for t in range(steps)])


def by_modes(
    row: str, method: Method[Any], topology: StaticTopology, c: Callable[[Floats], Floats]
) -> Verdict:
    """Models after 1, 2, ... steps against mean b + sum over modes of c_t(w) times b's part."""
    problem = even(topology.n)
    values, modes = np.linalg.eigh(Laplacian(topology).matrix)
    b = problem.c.numpy() / _A
    parts = modes.T @ b
    shares = c(values[1:])
    expected = b.mean(0) + np.einsum("im,tm,md->tid", modes[:, 1:], shares, parts[1:])
    moments = list(path(method, problem, len(shares)))[1:]
    found = torch.stack([method.models(moment.state)[0] for moment in moments])
    return identity(
        row, "models follow the closed form of every mode", found.numpy(), expected,
        check="dual modes", problem=problem.name, tolerance=1e-10,
        provenance=f"{topology.name}, {len(shares)} steps, kappa_l = {_KAPPA:g}, seed {_SSDA_SEED}",
    )  # fmt: skip


def ssda_modes(change: SsdaChange = right) -> tuple[Verdict, ...]:
    """SSDA on a ring and a star."""
    verdicts = []
    for topology in (Ring(8), Star(6)):
        gamma = Laplacian(topology).gamma
        mu = (math.sqrt(_KAPPA) - math.sqrt(gamma)) / (math.sqrt(_KAPPA) + math.sqrt(gamma))
        shares = partial(_steady, lambda w: w, mu)
        verdicts.append(by_modes("ssda-msda", change(SSDA(topology, _LOCAL)), topology, shares))
    return tuple(verdicts)


def _steady(gain: Callable[[Floats], Floats], mu: float, w: Floats) -> Floats:
    """c_t of modes w where a step multiplies the gradient by ``gain``."""
    return powers(1 - gain(w), mu, _STEPS)


def msda_modes(change: SsdaChange = right) -> tuple[Verdict, ...]:
    """MSDA on a ring (K = 5) and a path (K = 9); a gain is eta P_K / a."""
    verdicts = []
    for topology in (Ring(16), Path(15)):
        lap = Laplacian(topology)
        c = ((1 - math.sqrt(lap.gamma)) / (1 + math.sqrt(lap.gamma))) ** lap.degree
        root = math.sqrt(_KAPPA)
        mu = ((1 + c) * root - 1 + c) / ((1 + c) * root + 1 - c)
        shares = partial(_steady, partial(_gain, lap, (1 + c**2) / (1 + c) ** 2), mu)
        verdicts.append(by_modes("ssda-msda", change(MSDA(topology, _LOCAL)), topology, shares))
    return tuple(verdicts)


def _gain(lap: Laplacian, eta: float, w: Floats) -> Floats:
    return eta * chebyshev(lap.gamma, lap.degree, w)


def fista_modes(change: SsdaChange = right) -> tuple[Verdict, ...]:
    """Uribe's sequence, where the dual is strongly concave and where that is not used."""
    verdicts = []
    for strong in (True, False):
        topology = Ring(8)
        a = sequence(Laplacian(topology).gamma / _KAPPA if strong else 0.0)
        momenta = a[:-1] * (1 - a[:-1]) / (a[:-1] ** 2 + a[1:])
        shares = partial(_varying, momenta)
        method = change(DualAccelerated(topology, _LOCAL, strong))
        verdicts.append(by_modes("dual-accelerated", method, topology, shares))
    return tuple(verdicts)


def _varying(momenta: Floats, w: Floats) -> Floats:
    return factors(1 - w, momenta)


def sequence(q: float) -> Floats:
    """alpha_0, alpha_1, ...: positive roots of a^2 + (alpha^2 - q) a - alpha^2, from alpha = 1."""
    alphas = [1.0]
    for _ in range(_STEPS + 1):
        square = alphas[-1] ** 2
        alphas.append(float(np.roots([1.0, square - q, -square]).max()))
    return np.array(alphas[1:])


def optimal_duals(change: SsdaChange = right) -> tuple[Verdict, ...]:
    """End points of the three methods and their duals on uneven quadratics."""
    problem = uneven()
    local, topology = LocalModel.from_problem(problem), Ring(problem.n)
    everyone = torch.arange(problem.n)
    best = problem.full_gradient(problem.x_star[None], everyone)
    verdicts: list[Verdict] = []
    cases: tuple[tuple[str, Method[Any], Callable[[Any], torch.Tensor]], ...] = (
        ("ssda-msda", SSDA(topology, local), _own),
        ("ssda-msda", MSDA(topology, local), _own),
        ("dual-accelerated", DualAccelerated(topology, local), _inner),
    )
    for row, method, duals in cases:
        chosen = change(method)
        states = [moment.state for moment in path(chosen, problem, 200)]
        description = f"{chosen.name}, 200 steps"
        ends = chosen.models(states[-1])[0]
        verdicts += [
            identity(
                row, "all workers end at the minimiser", ends.numpy(),
                problem.x_star.expand_as(ends).numpy(), check="optimal duals",
                problem=problem.name, tolerance=1e-9, provenance=description,
            ),
            identity(
                row, "duals end at grad f_i(x*)", duals(states[-1])[0].numpy(), best.numpy(),
                check="optimal duals", problem=problem.name, tolerance=1e-9, provenance=description,
            ),
            identity(
                row, "duals sum to zero at every step",
                np.array([duals(state).sum(-2).abs().max().item() for state in states]), 0.0,
                check="optimal duals", problem=problem.name, provenance=description,
            ),
        ]  # fmt: skip
    return tuple(verdicts)


def _own(state: DualState) -> torch.Tensor:
    return state.x


def _inner(state: FistaState) -> torch.Tensor:
    return state.dual.x


def ssda() -> tuple[Verdict, ...]:
    """Every check of this file, on the genuine methods."""
    return (*polynomial(), *ssda_modes(), *msda_modes(), *fista_modes(), *optimal_duals())


# Gradients of the conjugates, on which SSDA and MSDA run: grad f_i^* inverts grad f_i.


_CONJUGATES_SEED = 58


def conjugates(change: Change = right) -> tuple[Verdict, ...]:
    """grad f_i(grad f_i^*(y)) = y on quadratics and on logistic regression, also with a centre."""
    logistic = breast_cancer(4, L2(0.1), partition=Iid())
    verdicts = []
    for problem in (uneven(), logistic):
        own = LocalModel.from_problem(problem)
        for local in (own, LocalModel(own.alpha, own.beta + 1.0, 1.0)):
            verdicts.append(_inverse(problem, change(local), local))
    return tuple(verdicts)


@_SSDA_MSDA_FORMS.case("conjugate")
def _inverse(problem: Problem, local: Any, genuine: LocalModel) -> Verdict:
    everyone = torch.arange(problem.n)
    draws = Key.seed(_CONJUGATES_SEED).fold("duals").draws(torch.arange(6), everyone)
    y = draws.normal(problem.d, torch.float64)
    centre = y.flip(0)
    x = local.argmin(problem, y, centre, everyone, torch.zeros_like(y))
    back = problem.full_gradient(x, everyone) + genuine.weight * (x - centre)
    return same(
        "grad h_i inverts grad h_i^*", back.numpy(), y.numpy(), tolerance=1e-9, on=problem,
        words=f"6 normal duals a worker, weight {genuine.weight:g}, seed {_CONJUGATES_SEED}",
    )  # fmt: skip


# MSPD where every step is linear or exact.
#
# With one inner step it is powers of one matrix on quadratics; on linear functions the inner loop
# is exact from the first step on.


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
        description = f"{topology.name}, K = {lap.degree}"
        verdicts.append(against_recursion("mspd", claim, method, problem, expected, description))
    return tuple(verdicts)


_MSPD_FORMS = ClosedForms("mspd")


@_MSPD_FORMS.case("inner loop", f"M = {PERIOD}, ring of 4")
def mspd_inner(change: Change = right) -> Verdict:
    """The first outer step of MSPD on linear functions."""
    problem, method = linear(), MSPD(ConstantStep(SCALE), Ring(4), PERIOD)
    target = problem.x0 + method.primal_step(0) * problem.c
    return same(
        "linear f_i: every inner iterate is the proximal point",
        inner_states(change(method), problem, PERIOD, _local),
        np.tile(target.numpy()[:, 0], (PERIOD, 1)), on=problem,
    )  # fmt: skip


def _local(state: Any) -> Tensor:
    return state.inner  # type: ignore[no-any-return]


def mspd() -> tuple[Verdict, ...]:
    """One inner step, and the inner loop by itself."""
    return (*mspd_recursion(), mspd_inner())


CLOSED_FORMS = (ssda, conjugates, mspd)

COVERS = {"conjugates": ("ssda-msda",), "ssda": ("dual-accelerated",)}
