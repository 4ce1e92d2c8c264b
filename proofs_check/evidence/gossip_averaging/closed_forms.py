"""Closed forms: weights, linear iterations."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems.base import Problem
from algorithms.problems.entries import problem
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import Topology
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.erdos_renyi import ErdosRenyi
from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.graphs import STANDARD, Graph
from algorithms.topologies.grid import Grid
from algorithms.topologies.optimal_weights import FDLA, FMMC, incidence
from algorithms.topologies.ring import Ring
from algorithms.topologies.social import florentine_families
from algorithms.topologies.torus import Torus
from algorithms.topologies.weights import BestConstant, MaxDegree, MetropolisHastings, Weights
from proofs_check.instruments.closed_forms import ClosedForms, supported
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.networks.mixing import spectrum
from theory.networks.weights import best_constant, best_constant_lam, constant
from theory.optional import need_cvxpy
from theory.theorems.gossip_averaging import gossip_averaging

# Weights of graphs against published factors, closed forms, and certificates of optimality.
#
# The graph of 8 nodes and 13 edges and its five factors are those of CVX's example
# (examples/graph_laplacian/small_example.m, with its published output); its Metropolis-Hastings and
# max-degree weights have no +1.


_CVX = "CVX, examples/graph_laplacian/small_example (published output)"
_EDGES = (
    (1, 2), (2, 3), (3, 4), (1, 5), (2, 8), (2, 4), (5, 6), (5, 7), (3, 7), (4, 8), (6, 7), (7, 8),
    (2, 7),
)  # fmt: skip
_ROUNDED = 5.001e-5  # of a value printed to four decimals
_CERTIFIED = 1e-6  # of lam by the certificate

PUBLISHED: tuple[tuple[Weights, float, float | None], ...] = (
    (FDLA(), 0.6433, 2.2671),
    (FMMC(), 0.6810, 2.6025),
    (MetropolisHastings(plus_one=False), 0.7743, 3.9094),
    (MaxDegree(plus_one=False), 0.7793, 4.0093),
    (BestConstant(), 0.7119, 2.9422),
    (MetropolisHastings(), 0.8126, None),
)
"""Weights on the 8-node graph, lam and 1/log(1/lam); the last line is not CVX's convention."""

GAPS: tuple[tuple[Callable[[int], Graph], tuple[float, ...]], ...] = (
    (Ring, (0.1560, 0.0507, 0.0209, 0.0101, 0.0032)),
    (Torus.square, (0.6000, 0.4000, 0.2764, 0.2000, 0.1172)),
)
"""1 - |lambda_2| of 1/3-rings and 1/5-tori on 9, 16, 25, 36 and 64 workers, to four decimals."""


def eight_nodes(weights: Weights = STANDARD) -> GivenGraph:
    """The graph of CVX's example, nodes counted from 0."""
    return GivenGraph("8 nodes, 13 edges", 8, tuple((i - 1, j - 1) for i, j in _EDGES), weights)


def published_factors(
    published: tuple[tuple[Weights, float, float | None], ...] = PUBLISHED,
) -> tuple[Verdict, ...]:
    """lam and the time 1/log(1/lam) of every weighting, to the four decimals printed."""
    verdicts = []
    for weights, factor, time in published:
        lam = eight_nodes(weights).constants().need("lam")
        times = () if time is None else ((-1.0 / math.log(lam), time),)
        for what, (got, wanted) in zip(("lam", "time"), ((lam, factor), *times), strict=False):
            verdicts.append(
                identity(
                    eight_nodes(weights).name, f"{what} is the published {wanted}", got, wanted,
                    check="published factor", tolerance=_ROUNDED / max(1.0, wanted),
                    provenance=_CVX,
                )
            )  # fmt: skip
    return tuple(verdicts)


def published_gaps(weights: Weights = STANDARD) -> tuple[Verdict, ...]:
    """1 - |lambda_2| of rings and tori to the four decimals of the reference."""
    sizes = (9, 16, 25, 36, 64)
    verdicts = []
    for make, wanted in GAPS:
        built = [make(n).graph_name for n in sizes]
        found = [1.0 - abs(_second(_weighted(make(n), weights))) for n in sizes]
        verdicts.append(
            identity(
                f"{built[0]}, ..., {built[-1]}", "1 - |lambda_2| to four decimals", found, wanted,
                check="published gap", tolerance=_ROUNDED, provenance="weights 1/3 and 1/5",
            )
        )  # fmt: skip
    return tuple(verdicts)


def _weighted(graph: Graph, weights: Weights) -> Floats:
    return weights.matrix(graph.adjacency())


def _second(w: Floats) -> float:
    return float(np.linalg.eigvalsh(w)[-2])


def best_constants() -> tuple[Verdict, ...]:
    """lam of the best constant is (l_1 - l_{n-1})/(l_1 + l_{n-1}); a weight beside it is worse."""
    verdicts = []
    for graph in (eight_nodes(), Grid(3, 4), Ring(9)):
        a = graph.adjacency()
        alpha, claimed = best_constant(a), best_constant_lam(a)
        lam = spectrum(constant(a, alpha)).lam
        beside = min(spectrum(constant(a, alpha * (1 + h))).lam for h in (-0.01, 0.01))
        verdicts.append(
            identity(
                f"{graph.graph_name}, best constant", "lam = (l_1 - l_{n-1})/(l_1 + l_{n-1})",
                lam, claimed, check="Laplacian spectrum", provenance="Xiao, Boyd 2004",
            )
        )  # fmt: skip
        verdicts.append(
            _at_least(f"{graph.graph_name}, best constant", "1% more or less on every edge",
                      "perturbation", beside, lam)
        )  # fmt: skip
    return tuple(verdicts)


def _at_least(subject: str, what: str, check: str, other: float, lam: float) -> Verdict:
    return Verdict(
        subject=subject,
        claim=f"no better: {what}",
        check=check,
        outcome=Outcome.SUPPORTED if lam <= other + _CERTIFIED else Outcome.REFUTED,
        statistic=lam,
        bound=other,
        evidence=f"lam {lam:.9g}, {what} {other:.9g}",
        provenance=f"Xiao, Boyd 2004; eigenvalues in double precision, {_CERTIFIED:g} allowed",
    )


def optimal(fastest: Weights = FDLA(), chain: Weights = FMMC()) -> tuple[Verdict, ...]:  # noqa: B008 - frozen
    """FDLA and FMMC meet their lower bounds from duality, and no other weighting beats them."""
    verdicts = []
    others = (STANDARD, MetropolisHastings(plus_one=False), MaxDegree(), BestConstant())
    for graph in (eight_nodes(), Grid(3, 4)):
        a = graph.adjacency()
        for weights in (fastest, chain):
            lam = spectrum(weights.matrix(a)).lam
            subject = f"{graph.graph_name}, {weights.name}"
            bound = lower_bound(a, non_negative=not weights.signed)
            verdicts.append(
                _at_least(subject, "any weights of the graph, by duality", "dual", bound, lam)
            )
            best = min(spectrum(w.matrix(a)).lam for w in others if weights.signed or not w.signed)
            verdicts.append(_at_least(subject, "the other rules", "comparison", best, lam))
    return tuple(verdicts)


def lower_bound(adjacency: Floats, *, non_negative: bool) -> float:
    r"""A number below lam of all symmetric W on the graph, by a point of the dual.

    For Y with nuclear norm 1 and $z \ge 0$ (z = 0 unless ``non_negative``) let M = Y - diag z. Then
    $\|W - J\| \ge tr(Y(W - J)) - z^T diag(W) = tr(Y(I - J)) - 1^T z - \sum_e w_e a_e^T M a_e$; the
    last sum vanishes if $a_e^T M a_e = 0$ on every edge, and helps if $w_e \ge 0$ and it is
    negative. The solver proposes Y and z; what is used of them is made feasible here.
    """
    cp = need_cvxpy("optimal weights")
    a = incidence(adjacency)
    n = len(adjacency)
    centre = np.eye(n) - 1.0 / n
    plus, minus = cp.Variable((n, n), PSD=True), cp.Variable((n, n), PSD=True)
    z = cp.Variable(n, nonneg=True)
    y = plus - minus
    edge = cp.diag(a.T @ (y - cp.diag(z)) @ a)
    limits = [cp.trace(plus + minus) <= 1, edge <= 0 if non_negative else edge == 0]
    limits += [] if non_negative else [z == 0]
    dual = cp.Problem(cp.Maximize(cp.trace(centre @ y) - cp.sum(z)), limits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an inaccurate point is a point as well
        dual.solve(solver=cp.CLARABEL)
    found = np.maximum(np.asarray(z.value), 0.0) if non_negative else np.zeros(n)
    return _feasible(np.asarray(y.value), found, a, non_negative)


def _feasible(y: Floats, z: Floats, a: Floats, non_negative: bool) -> float:
    """The bound from Y and z, after Y is moved until the condition on every edge holds."""
    n, edges = a.shape
    wrong = np.einsum("ie,ij,je->e", a, y - np.diag(z), a)
    wrong = np.maximum(wrong, 0.0) if non_negative else wrong
    squares = (a.T @ a) ** 2  # <a_e a_e^T, a_f a_f^T>
    share = np.linalg.lstsq(squares, wrong, rcond=None)[0]
    moved = y - (a * share) @ a.T
    left = float(np.abs(np.einsum("ie,ij,je->e", a, moved - y, a) + wrong).max())
    norm = float(np.abs(np.linalg.eigvalsh(moved)).sum())
    value = float(np.trace(moved) - moved.sum() / n - z.sum())
    return value / max(norm, 1.0) - float(edges) * left


def irregular(rule: Weights = STANDARD) -> tuple[Verdict, ...]:
    """Metropolis-Hastings weights on graphs whose degrees differ, edge by edge in fractions."""
    found = []
    for graph in (
        Barbell(4, 2, rule),
        ErdosRenyi(12, 0.4, weights=rule),
        florentine_families(rule),
    ):
        edges = graph.graph()
        place = {node: i for i, node in enumerate(sorted(edges.nodes))}
        exact = [[Fraction(0)] * len(place) for _ in place]
        for one, other in edges.edges:
            share = Fraction(1, 1 + max(edges.degree[one], edges.degree[other]))
            i, j = place[one], place[other]
            exact[i][j] = exact[j][i] = share
        for i, row in enumerate(exact):
            row[i] = 1 - sum(row, Fraction(0))
        found.append(
            identity(
                graph.name, "w_ij = 1/(1 + max(d_i, d_j)), w_ii what is left", graph.matrix(0),
                np.array(exact, dtype=np.float64), check="weights of an irregular graph",
                provenance="Xiao, Boyd, Lall 2005, IPSN; in fractions",
            )
        )  # fmt: skip
    return tuple(found)


def weights() -> tuple[Verdict, ...]:
    """Published factors and gaps, closed forms and optimality of weights on graphs."""
    return (
        *published_factors(), *published_gaps(), *best_constants(), *optimal(), *irregular(),
    )  # fmt: skip


# x <- W x: the whole curve under lam^{2t}, equality on the slowest eigenvector, and who is first.
#
# (Xiao, Boyd 2004, Systems and Control Letters 53.)


Build = Callable[[Exchange], Method[Any]]

_ROUNDING = 1e-25  # of squared distances, whose start is of order 100
_SOURCE = "Xiao, Boyd 2004, Theorem 1"
_BY_SPEED = (FDLA(), FMMC(), BestConstant(), MetropolisHastings(plus_one=False))


def linear_iterations() -> tuple[Verdict, ...]:
    """All of it on the 8-node graph, rings of either kind, and the four weightings."""
    topologies: tuple[Topology, ...] = (
        Ring(8), DirectedRing(8), *(eight_nodes(rule) for rule in _BY_SPEED),
    )  # fmt: skip
    return (
        *(under_the_bound(topology) for topology in topologies),
        *(slowest_eigenvector(topology) for topology in topologies),
        faster_by_weights(),
    )


def under_the_bound(topology: Topology, build: Build = GossipAveraging) -> Verdict:
    """The sum of squared distances along a run, step by step, under the theorem's curve."""
    built, steps = problem("consensus", topology.n), 100
    c = GossipAveraging(FixedLinks(topology)).constants(built)
    distances, times = _distances(build(FixedLinks(topology)), built, steps)
    bound = gossip_averaging.bound(c, gossip_averaging.stepsize(c, steps), times)
    excess = float((distances - bound * (1 + 1e-12) - _ROUNDING).max())
    return Verdict(
        subject=topology.name,
        problem=built.name,
        claim="sum ||x_i - xbar||^2 <= lam^(2t) of its start, at every step",
        check="curve under bound",
        kind=CheckKind.BOUND,
        outcome=Outcome.SUPPORTED if excess <= 0 else Outcome.REFUTED,
        statistic=float(distances[-1]),
        bound=float(bound[-1]),
        evidence=f"{steps} steps; largest excess {excess:.2g}; at the end {distances[-1]:.3g} "
        f"under {bound[-1]:.3g}",
        provenance=_SOURCE,
    )


def slowest_eigenvector(topology: Topology, build: Build = GossipAveraging) -> Verdict:
    """From the eigenvector of the second modulus the distance is lam^t of its start, exactly.

    The b_i of f_i(x) = ||x - b_i||^2 / 2 are its real and imaginary part (normal W).
    """
    values, vectors = np.linalg.eig(topology.matrix(0) - 1.0 / topology.n)
    v = vectors[:, int(np.abs(values).argmax())]
    rows = torch.from_numpy(np.stack([v.real, v.imag], axis=1))
    built = Quadratic.from_arrays(torch.ones_like(rows), rows, name="eigenvector")
    distances, times = _distances(build(FixedLinks(topology)), built, 20)
    lam = topology.constants().need("lam")
    return identity(
        topology.name, "from the slowest eigenvector every step contracts by exactly lam",
        distances / distances[0], lam ** (2 * times), check="eigenvector", problem=built.name,
        tolerance=1e-11, provenance=_SOURCE,
    )  # fmt: skip


_FDLA_FORMS = ClosedForms("fdla")


@_FDLA_FORMS.case("steps to 1e-10", _SOURCE)
def faster_by_weights() -> Verdict:
    """Steps to 1e-10 of the start on the 8-node graph: FDLA, FMMC, best constant, 1/max."""
    built = problem("consensus", 8)
    needed = []
    for rule in _BY_SPEED:
        distances, _ = _distances(GossipAveraging(FixedLinks(eight_nodes(rule))), built, 200)
        needed.append(int(np.flatnonzero(distances <= 1e-10 * distances[0])[0]))
    description = ", ".join(f"{rule.name} {k}" for rule, k in zip(_BY_SPEED, needed, strict=True))
    return supported(
        "the fastest weights need the fewest steps, in the order of lam", needed == sorted(needed),
        float(needed[0]), float(needed[1]), f"steps: {description}", on=built,
    )  # fmt: skip


def _distances(method: Method[Any], built: Problem, steps: int) -> tuple[Floats, Floats]:
    """sum_i ||x_i - xbar||^2 after 0, 1, ..., ``steps`` steps, and those times."""
    trace = run(method, built, steps=steps, seed=0, replicas=1, every=1)
    return built.n * trace.consensus[0], trace.steps.astype(np.float64)


CLOSED_FORMS = (weights, linear_iterations)

COVERS = {"linear_iterations": ("fdla",), "weights": ("d-psgd", "fdla")}
