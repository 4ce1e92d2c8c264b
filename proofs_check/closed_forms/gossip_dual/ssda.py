r"""SSDA, MSDA and FISTA on the dual, mode by mode; the Chebyshev polynomial; where duals end.

On f_i(x) = a ||x - b_i||^2 / 2 the optimal dual is y_i^* = a (mean b - b_i) and the model of mode
w > 0 of W is its part of b times c_t, where with r = 1 - \eta P(w)/a

    c_0 = 1, c_1 = (1 + \mu_0) r - \mu_0, c_{t+1} = (1 + \mu_t) r c_t - \mu_t r c_{t-1}.

For a constant \mu powers of the recursion's matrix give c_t. P_K(w) = 1 - T_K(c_2 (1 - c_3 w)) /
T_K(c_2) is evaluated with numpy's Chebyshev series. On quadratics with any
Hessians all workers end at the minimiser x*, duals at grad f_i(x*), summing to 0 all the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.polynomial.chebyshev import chebval

from algorithms.methods.base import Method
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated, FistaState
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.parts.dual_ascent import DualState
from algorithms.methods.parts.over_laplacian import multiplier
from algorithms.problems.conjugate import LocalModel
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.laplacian import Laplacian, accelerated_gossip
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from proofs_check.closed_forms.admm.solutions import right, uneven
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path, world_of
from proofs_check.verdict import Verdict
from theory.arrays import Floats

COVERS = ("dual-accelerated", "ssda-msda")

Change = Callable[[Any], Method[Any]]
Gossip = Callable[..., torch.Tensor]

_A, _KAPPA, _STEPS, _SEED = 0.5, 9.0, 25, 57
_LOCAL = LocalModel(_A, _KAPPA * _A)  # states more than is needed, as a bound may


def chebyshev(gamma: float, degree: int, w: Floats) -> Floats:
    """P_K at eigenvalues w, by numpy's series of T_K."""
    if degree == 1:
        return np.asarray(2 / (1 + gamma) * w)
    series = np.eye(degree + 1)[degree]
    c2, c3 = (1 + gamma) / (1 - gamma), 2 / (1 + gamma)
    return np.asarray(1 - chebval(c2 * (1 - c3 * w), series) / chebval(c2, series))


def polynomial(gossip: Gossip = accelerated_gossip) -> tuple[Verdict, ...]:
    """K rounds of messages multiply every mode of W by P_K(w)."""
    verdicts = []
    for topology in (Ring(8), Ring(20), Star(8), Hypercube(8), Complete(4), Path(12)):
        w, n = Laplacian(topology), topology.n
        values, modes = np.linalg.eigh(w.matrix)
        rows = torch.from_numpy(np.ascontiguousarray(modes))
        context = world_of(Quadratic.from_arrays(torch.ones_like(rows), rows), _SEED, 1)
        heard = gossip(rows[None], multiplier(w, 0, context), w.gamma, w.degree)[0].numpy()
        verdicts.append(
            identity(
                "ssda-msda", "K exchanges multiply every mode by Chebyshev's P_K", modes.T @ heard,
                np.diag(chebyshev(w.gamma, w.degree, values)), check="Chebyshev polynomial",
                provenance=f"{topology.name}, K = {w.degree}", tolerance=1e-11,
                note=f"{n} modes",
            )
        )  # fmt: skip
    return tuple(verdicts)


def even(n: int) -> Quadratic:
    """f_i(x) = a ||x - b_i||^2 / 2 with standard normal b_i, 3 coordinates."""
    b = torch.randn((n, 3), generator=torch.Generator().manual_seed(_SEED), dtype=torch.float64)
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
        provenance=f"{topology.name}, {len(shares)} steps, kappa_l = {_KAPPA:g}, seed {_SEED}",
    )  # fmt: skip


def ssda_modes(change: Change = right) -> tuple[Verdict, ...]:
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


def msda_modes(change: Change = right) -> tuple[Verdict, ...]:
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


def fista_modes(change: Change = right) -> tuple[Verdict, ...]:
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


def optimal_duals(change: Change = right) -> tuple[Verdict, ...]:
    """Where the three methods and their duals end on uneven quadratics."""
    problem = uneven()
    local, topology = LocalModel.of(problem), Ring(problem.n)
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
        told = f"{chosen.name}, 200 steps"
        ends = chosen.models(states[-1])[0]
        verdicts += [
            identity(
                row, "all workers end at the minimiser", ends.numpy(),
                problem.x_star.expand_as(ends).numpy(), check="optimal duals",
                problem=problem.name, tolerance=1e-9, provenance=told,
            ),
            identity(
                row, "duals end at grad f_i(x*)", duals(states[-1])[0].numpy(), best.numpy(),
                check="optimal duals", problem=problem.name, tolerance=1e-9, provenance=told,
            ),
            identity(
                row, "duals sum to zero at every step",
                np.array([duals(state).sum(-2).abs().max().item() for state in states]), 0.0,
                check="optimal duals", problem=problem.name, provenance=told,
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


CLOSED_FORMS = (ssda,)
