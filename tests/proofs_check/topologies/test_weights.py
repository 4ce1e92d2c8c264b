"""Published factors are matched, optimal weights meet bounds by duality, wrong claims are seen."""

import networkx as nx
import numpy as np
import pytest

from algorithms.topologies.barbell import Barbell
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.erdos_renyi import ErdosRenyi
from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.graphs import Graph
from algorithms.topologies.grid import Grid
from algorithms.topologies.optimal_weights import FDLA, FMMC, incidence
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from algorithms.topologies.social import florentine_families
from algorithms.topologies.torus import Torus
from algorithms.topologies.weights import BestConstant, MaxDegree, MetropolisHastings, Weights
from proofs_check.evidence.gossip_averaging import theorems as gossip_averaging
from proofs_check.evidence.gossip_averaging.closed_forms import (
    GAPS,
    PUBLISHED,
    eight_nodes,
    linear_iterations,
    lower_bound,
    optimal,
    published_factors,
    weights,
)
from proofs_check.verdict import Outcome
from theory.networks.mixing import spectrum
from theory.networks.weights import best_constant_lam

CHECKS = {
    "published factor", "published gap", "Laplacian spectrum", "perturbation", "dual", "comparison",
    "weights of an irregular graph",
}  # fmt: skip


def test_nothing_is_refuted() -> None:
    verdicts = weights()
    found = {check: sorted(v.subject for v in verdicts if v.check == check) for check in CHECKS}
    assert {v.check for v in verdicts} == CHECKS
    timed = [rule for rule, _, time in PUBLISHED if time is not None]
    assert found["published factor"] == sorted(eight_nodes(rule).name for rule in RULES + timed)
    assert len(found["published gap"]) == len(GAPS)
    fastest = [
        f"{graph.graph_name}, {rule.name}"
        for graph in (eight_nodes(), Grid(3, 4)) for rule in (FDLA(), FMMC())
    ]  # fmt: skip
    assert found["dual"] == found["comparison"] == sorted(fastest)
    best = [f"{graph.graph_name}, best constant" for graph in (eight_nodes(), Grid(3, 4), Ring(9))]
    assert found["Laplacian spectrum"] == found["perturbation"] == sorted(best)
    irregular = (Barbell(4, 2), ErdosRenyi(12, 0.4), florentine_families())
    assert found["weights of an irregular graph"] == sorted(graph.name for graph in irregular)
    assert not [v for v in verdicts if v.outcome is Outcome.REFUTED]


def test_the_factors_are_the_published_ones_to_four_digits() -> None:
    factors = {rule.name: round(eight_nodes(rule).constants().need("lam"), 4) for rule in RULES}
    assert factors == {
        "FDLA": 0.6433,
        "FMMC": 0.6810,
        "Metropolis-Hastings 1/max": 0.7743,
        "max-degree 1/max": 0.7793,
        "best constant": 0.7119,
        "Metropolis-Hastings 1/(1+max)": 0.8126,
    }


@pytest.mark.parametrize(
    ("graph", "gap"),
    [
        (Ring(4), 0.67), (Ring(16), 0.05), (Ring(36), 0.01),
        (Torus(2, 2), 0.67), (Torus(4, 4), 0.4), (Torus(6, 6), 0.2), (Complete(16), 1.0),
    ],
    ids=repr,
)  # fmt: skip
def test_gaps_are_those_of_the_papers_table(graph: Graph, gap: float) -> None:
    """Koloskova et al. 2020 (arXiv:1907.09356), Table 2, as printed: two digits."""
    assert round(1 - graph.constants().need("lam"), 2) == gap


RULES = [rule for rule, _, _ in PUBLISHED]


def test_a_factor_off_by_two_of_the_last_digit_is_refuted() -> None:
    (verdict,) = published_factors(((MaxDegree(plus_one=False), 0.7795, None),))
    assert verdict.outcome is Outcome.REFUTED


@pytest.mark.parametrize("graph", [eight_nodes(), Grid(2, 4), Path(6)], ids=lambda g: g.name)
def test_no_weights_of_the_graph_lie_below_the_lower_bound(graph: Graph) -> None:
    """Random symmetric weights, near the optimum and far from it."""
    a = graph.adjacency()
    edges, n = incidence(a), graph.n
    free, chain = (lower_bound(a, non_negative=kind) for kind in (False, True))
    assert free <= chain + 1e-7
    best = -np.array([FDLA().matrix(a)[i, j] for i, j in np.argwhere(np.triu(a))])
    rng = np.random.default_rng(3)
    for scale in (1e-4, 1e-2, 0.1, 1.0):
        for _ in range(50):
            w = -best + scale * rng.standard_normal(len(best))
            matrix = np.eye(n) - (edges * w) @ edges.T
            lam = spectrum(matrix).lam
            assert lam >= free
            assert lam >= chain or matrix.min() < 0


@pytest.mark.parametrize("graph", [Ring(7), Ring(8), Path(5)], ids=lambda g: g.name)
def test_the_lower_bound_is_the_known_optimum(graph: Graph) -> None:
    """Rings by symmetry; paths: 1/2 on every edge, lam = cos(pi/n) (Boyd et al. 2006)."""
    a = graph.adjacency()
    for kind in (False, True):
        assert lower_bound(a, non_negative=kind) == pytest.approx(best_constant_lam(a), abs=1e-6)
    if isinstance(graph, Path):
        assert best_constant_lam(a) == pytest.approx(np.cos(np.pi / graph.n), abs=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fdla_and_fmmc_are_optimal_on_random_graphs(seed: int) -> None:
    graph = nx.compose(nx.gnp_random_graph(9, 0.3, seed=seed), nx.random_labeled_tree(9, seed=seed))
    for rule in (FDLA(), FMMC()):
        given = GivenGraph.from_graph("random", graph, rule)
        bound = lower_bound(given.adjacency(), non_negative=not rule.signed)
        assert given.constants().need("lam") == pytest.approx(bound, abs=1e-6)


def test_weights_that_are_not_the_fastest_are_refuted() -> None:
    for wrong in (MetropolisHastings(), MaxDegree()):
        assert "dual" in {v.check for v in optimal(chain=wrong) if v.outcome is Outcome.REFUTED}
    assert {r.name for r in RULES if r.signed} == {"FDLA", "best constant"}


def test_the_proof_settles_the_best_weight_and_no_other() -> None:
    assert gossip_averaging.prove_gossip_averaging().outcome is Outcome.PROVED
    l1, ln = gossip_averaging.large, gossip_averaging.small
    for wrong in (1 / l1, 1 / (l1 + ln), 2 / l1):
        assert gossip_averaging.prove_gossip_averaging(wrong).outcome is Outcome.REFUTED


def test_rules_are_values() -> None:
    same: list[Weights] = [FDLA(), FMMC(), MetropolisHastings(), MaxDegree(plus_one=True)]
    assert len({*same, FDLA(), FMMC(), MetropolisHastings(plus_one=True), MaxDegree()}) == 4


def test_linear_iterations_contract_as_their_theorem_says() -> None:
    verdicts = linear_iterations()
    curves, exact = (
        {v.subject for v in verdicts if v.check == check}
        for check in ("curve under bound", "eigenvector")
    )
    rules = (FDLA(), FMMC(), BestConstant(), MetropolisHastings(plus_one=False))
    assert (
        curves
        == exact
        == {Ring(8).name, DirectedRing(8).name, *(eight_nodes(rule).name for rule in rules)}
    )
    assert "steps to 1e-10" in {v.check for v in verdicts}
    assert not [v for v in verdicts if v.outcome is Outcome.REFUTED]
