"""Every topology against networkx, its edge cases, caching and refusals."""

import dataclasses
import pickle
import sys

import networkx as nx
import numpy as np
import pytest
import torch

from algorithms.topologies import social
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import Topology, product
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.erdos_renyi import ErdosRenyi
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.gallery import RULES, examples
from algorithms.topologies.geometric import Geometric
from algorithms.topologies.given_graph import GivenGraph
from algorithms.topologies.grid import Grid
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.optimal_weights import FDLA, FMMC
from algorithms.topologies.path import Path
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.random_regular import RandomRegular
from algorithms.topologies.ring import Ring
from algorithms.topologies.small_world import SmallWorld
from algorithms.topologies.star import Star
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from algorithms.topologies.torus import Torus
from algorithms.topologies.weights import (
    BestConstant,
    LazyWeights,
    MaxDegree,
    MetropolisHastings,
    Weights,
)
from theory.networks.mixing import MixingError, check_sequence

MEMBERS = [
    *examples(Topology),
    *(StaticExponential(7), Ring(8, BestConstant())),
    *(Ring(8, LazyWeights(MaxDegree(plus_one=False))), FixedMatrix([[1.0]], label="alone")),
]
ids = [member.name for member in MEMBERS]
SIZED = [
    Ring, Path, Complete, Star, Hypercube, StaticExponential, OnePeerExponential, DirectedRing,
]  # fmt: skip


def edges(topology: Topology, t: int = 0) -> set[tuple[int, int]]:
    """Pairs (i, j), i != j, where i hears from j."""
    w = topology.matrix(t)
    return {(int(i), int(j)) for i, j in np.argwhere(w != 0) if i != j}


def both_ways(graph: nx.Graph) -> set[tuple[int, int]]:
    names = {node: k for k, node in enumerate(sorted(graph.nodes))}
    pairs = [(names[a], names[b]) for a, b in graph.edges]
    return {*pairs, *((b, a) for a, b in pairs)}


@pytest.mark.parametrize("topology", MEMBERS, ids=ids)
def test_matrices_are_doubly_stochastic_cached_and_read_only(topology: Topology) -> None:
    matrices = [topology.matrix(t) for t in range(topology.period)]
    check_sequence(matrices, signed=topology.signed)
    for t in range(topology.period):
        w = topology.matrix(t)
        assert w.shape == (topology.n, topology.n)
        assert topology.matrix(t + 3 * topology.period) is w
        assert topology.neighbours(t + topology.period) is topology.neighbours(t)
        with pytest.raises(ValueError, match="read-only"):
            w[0, 0] = 2.0


@pytest.mark.parametrize("topology", MEMBERS, ids=ids)
def test_neighbours_are_the_matrix_as_lists(topology: Topology) -> None:
    for t in range(topology.period):
        w, near = topology.matrix(t), topology.neighbours(t)
        dense = torch.zeros(topology.n, topology.n, dtype=torch.float64)
        dense.scatter_add_(1, near.index, near.weight)
        assert torch.equal(dense, torch.tensor(w))
        incoming = edges(topology, t)
        assert {(i, j) for i, js in enumerate(near.senders) for j in js} == incoming
        assert near.in_degree.tolist() == [
            sum(a == i for a, _ in incoming) for i in range(topology.n)
        ]
        assert near.out_degree.tolist() == [
            sum(b == i for _, b in incoming) for i in range(topology.n)
        ]
        for row, weights in zip(near.index.tolist(), near.weight.tolist(), strict=True):
            ids_with_weight = [j for j, v in zip(row, weights, strict=True) if v]
            assert ids_with_weight == sorted(ids_with_weight)


@pytest.mark.parametrize("topology", MEMBERS, ids=ids)
def test_members_are_values(topology: Topology) -> None:
    again = pickle.loads(pickle.dumps(topology))
    assert again == topology and hash(again) == hash(topology)
    assert again.neighbours(0) is topology.neighbours(0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        topology.n = 3


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 16])
def test_graphs_are_those_of_networkx(n: int) -> None:
    assert edges(Ring(n)) == both_ways(nx.cycle_graph(n))
    assert edges(Path(n)) == both_ways(nx.path_graph(n))
    assert edges(DirectedRing(n)) == {((i + 1) % n, i) for i in range(n)}
    assert edges(Complete(n)) == both_ways(nx.complete_graph(n))
    assert edges(Star(n)) == both_ways(nx.star_graph(n - 1))
    if n & (n - 1) == 0:
        assert edges(Hypercube(n)) == both_ways(nx.hypercube_graph(n.bit_length() - 1))
    directed = nx.DiGraph()
    directed.add_edges_from((i, (i + h) % n) for i in range(n) for h in (1, 2, 4, 8) if h < n)
    assert edges(StaticExponential(n)) == set(directed.edges)


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 5)])
def test_the_torus_is_a_product_of_rings_without_double_edges(shape: tuple[int, int]) -> None:
    rows, cols = (nx.cycle_graph(k) if k > 1 else nx.empty_graph(1) for k in shape)
    graph = nx.cartesian_product(rows, cols)
    assert edges(Torus(*shape)) == both_ways(graph)
    degree = sum(min(k - 1, 2) for k in shape)
    np.testing.assert_allclose(Torus(*shape).matrix(0).diagonal(), 1 / (1 + degree), atol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 6, 7, 12, 16, 64])
def test_square_torus_is_the_nearest_to_a_square(n: int) -> None:
    torus = Torus.square(n)
    better = [r for r in range(torus.rows + 1, n) if n % r == 0 and r * r <= n]
    assert torus.n == n and torus.rows <= torus.cols and not better


def test_two_workers_share_one_edge() -> None:
    for topology in (Ring(2), Torus(1, 2), Torus(2, 1), Complete(2), Star(2), Hypercube(2)):
        np.testing.assert_array_equal(topology.matrix(0), np.full((2, 2), 0.5))
    for topology in (StaticExponential(2), OnePeerExponential(2)):
        np.testing.assert_array_equal(topology.matrix(0), np.full((2, 2), 0.5))


def test_one_worker_keeps_its_row() -> None:
    for topology in (
        *(kind(1) for kind in SIZED),
        Torus(1, 1),
        Lazy(Ring(1)),
        FixedMatrix([[1.0]]),
    ):
        assert topology.matrix(0).tolist() == [[1.0]]
        assert topology.period == 1 and topology.neighbours(5).senders == ((),)
        assert topology.constants().lam == 0.0


@pytest.mark.parametrize("n", [2, 4, 8, 32, 128])
def test_one_peer_hears_from_one_and_averages_exactly_in_log2_n_steps(n: int) -> None:
    topology = OnePeerExponential(n)
    assert topology.period == n.bit_length() - 1
    for t in range(2 * topology.period):
        hop = 2 ** (t % topology.period)
        assert edges(topology, t) == {(i, (i + hop) % n) for i in range(n)}
    np.testing.assert_array_equal(product(topology), np.full((n, n), 1 / n))


def test_the_reference_case_of_one_peer_push_sum() -> None:
    """0..7 on 8 workers is 3.5 everywhere after three steps."""
    x = np.arange(8.0)
    for t in range(3):
        x = OnePeerExponential(8).matrix(t) @ x
    assert x.tolist() == [3.5] * 8


def test_lazy_keeps_half_of_the_own_row() -> None:
    np.testing.assert_array_equal(Lazy(Ring(8)).matrix(0), (np.eye(8) + Ring(8).matrix(0)) / 2)
    assert Lazy(Hypercube(8)).constants().need("lam_n") >= -1e-15
    assert Lazy(Lazy(Ring(8))).name == "lazy lazy ring(n=8)"


def test_constants_state_the_spectrum_and_where_it_holds() -> None:
    static = Ring(8).constants()
    assert static.n == 8 and static.lam == pytest.approx(0.80473785, abs=5e-9)
    assert static.lam_n == pytest.approx(-1 / 3, abs=1e-12)
    assert static.beta == pytest.approx(4 / 3, abs=1e-12)
    assert static.statements["lam"].where == "every step"
    varying = OnePeerExponential(8).constants()
    assert varying.lam == pytest.approx(0.0, abs=1e-15)
    assert varying.statements["lam"].where == "product of 3 steps"


def test_a_fixed_matrix_is_copied_compared_by_value_and_checked() -> None:
    w = np.array([[0.25, 0.75], [0.75, 0.25]])
    topology = FixedMatrix(w)
    w[0, 0] = 9.0
    assert topology.matrix(0)[0, 0] == 0.25
    assert topology == FixedMatrix([[0.25, 0.75], [0.75, 0.25]], label="other")
    assert topology != FixedMatrix([[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(MixingError, match="row 0 of W must sum to 1"):
        FixedMatrix(w)


@pytest.mark.parametrize("kind", SIZED)
@pytest.mark.parametrize("n", [0, -3])
def test_fewer_than_one_worker_is_refused(kind: type[Topology], n: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1, got .*{n}"):
        kind(n)


@pytest.mark.parametrize("kind", [Hypercube, OnePeerExponential])
def test_powers_of_two_only(kind: type[Topology]) -> None:
    with pytest.raises(ValueError, match="power of two, got n=6; 4 or 8 would do"):
        kind(6)


def test_a_torus_without_an_axis_is_refused() -> None:
    with pytest.raises(ValueError, match="cols must be at least 1, got cols=0"):
        Torus(3, 0)


GRAPHS = {
    Grid(3, 4): nx.grid_2d_graph(3, 4),
    Barbell(4): nx.barbell_graph(4, 0),
    Barbell(4, 3): nx.barbell_graph(4, 3),
    RandomRegular(10, 3, seed=5): nx.random_regular_graph(3, 10, seed=5),
    ErdosRenyi(10, 0.4, seed=5): nx.gnp_random_graph(10, 0.4, seed=5),
    SmallWorld(10, 4, 0.3, seed=5): nx.watts_strogatz_graph(10, 4, 0.3, seed=5),
    Geometric(10, 0.7, seed=5): nx.random_geometric_graph(10, 0.7, seed=5),
    social.karate_club(): nx.karate_club_graph(),
    social.southern_women(): nx.davis_southern_women_graph(),
    social.florentine_families(): nx.florentine_families_graph(),
    social.les_miserables(): nx.les_miserables_graph(),
}


@pytest.mark.parametrize("topology", GRAPHS, ids=lambda t: t.name)
def test_generators_and_classics_are_those_of_networkx(topology: Topology) -> None:
    graph = GRAPHS[topology]
    assert topology.n == graph.number_of_nodes()
    assert edges(topology) == both_ways(graph)


def test_social_networks_have_the_sizes_of_the_literature() -> None:
    sizes = {f.__name__: (f().n, len(f().edges)) for f in (
        social.karate_club, social.southern_women, social.florentine_families,
        social.les_miserables,
    )}  # fmt: skip
    assert sizes == {
        "karate_club": (34, 78), "southern_women": (32, 89), "florentine_families": (15, 20),
        "les_miserables": (77, 254),
    }  # fmt: skip


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("graph", [Grid(2, 3), Barbell(3), Path(7)], ids=lambda g: g.graph_name)
def test_every_rule_gives_symmetric_weights_on_the_graph(rule: Weights, graph: Topology) -> None:
    topology = dataclasses.replace(graph, weights=rule)
    w = topology.matrix(0)
    assert np.array_equal(w, w.T) and rule.signed == topology.signed
    np.testing.assert_allclose(w.sum(axis=0), 1.0, rtol=0, atol=1e-15)
    assert edges(topology) <= edges(graph)
    assert rule.signed or (w >= 0).all()
    assert topology.name == graph.graph_name + (
        "" if rule == MetropolisHastings() else f", {rule.name}"
    )


def test_the_conventions_differ_by_their_one() -> None:
    """Degrees 1, 3, 2, 2: the edge of the leaf, and the triangle."""
    graph = [(0, 1), (1, 2), (2, 3), (3, 1)]
    wanted = {
        MetropolisHastings(): (1 / 4, 1 / 4, 1 / 3),
        MetropolisHastings(plus_one=False): (1 / 3, 1 / 3, 1 / 2),
        MaxDegree(): (1 / 4, 1 / 4, 1 / 4),
        MaxDegree(plus_one=False): (1 / 3, 1 / 3, 1 / 3),
        LazyWeights(): (1 / 8, 1 / 8, 1 / 6),
    }
    for rule, values in wanted.items():
        w = GivenGraph("paw", 4, tuple(graph), rule).matrix(0)
        assert (w[0, 1], w[1, 2], w[2, 3]) == pytest.approx(values, abs=1e-15)


@pytest.mark.parametrize("n", [4, 6, 8])
@pytest.mark.parametrize("rule", [MetropolisHastings(plus_one=False), MaxDegree(plus_one=False)])
def test_weights_that_swap_the_halves_for_ever_are_refused(n: int, rule: Weights) -> None:
    with pytest.raises(MixingError, match=r"second eigenvalue -1, so lam = 1: .* LazyWeights"):
        Ring(n, rule).matrix(0)
    assert Ring(n, LazyWeights(rule)).constants().need("lam") < 1
    assert Ring(n + 1, rule).constants().need("lam") < 1


@pytest.mark.parametrize("graph", [Ring(9), Hypercube(8), Star(6), Complete(5), Torus(3, 3)])
def test_on_edge_transitive_graphs_one_weight_is_the_fastest(graph: Topology) -> None:
    """Boyd, Diaconis, Parrilo, Xiao 2009: symmetric graphs have symmetric optimal weights."""
    fastest, best = (
        dataclasses.replace(graph, weights=rule).constants().need("lam")
        for rule in (FDLA(), BestConstant())
    )
    assert fastest == pytest.approx(best, abs=1e-7)


def test_optimal_weights_need_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    for rule in (FDLA(), FMMC()):
        with pytest.raises(ImportError, match=r"pip install rateproof\[optimal\]"):
            rule.matrix(Path(3).adjacency())
    assert FDLA().matrix(np.zeros((1, 1))).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: ErdosRenyi(6, 0.0),
            r"6 components \{0\}, .*; a larger p or another seed would do",
        ),
        (lambda: ErdosRenyi(6, 1.5), r"p must lie in \[0, 1\], got p=1.5"),
        (
            lambda: Geometric(3, 0.0),
            r"3 components \{0\}, \{1\}, \{2\}; a larger radius or another",
        ),
        (lambda: Geometric(3, -1.0), "radius must be at least 0, got radius=-1.0"),
        (lambda: RandomRegular(4, 1), r"2 components .*; a larger degree or another seed would do"),
        (lambda: RandomRegular(5, 3), "n \\* degree be even, got n=5, degree=3"),
        (lambda: SmallWorld(8, 3, 0.1), "k must be even and lie in .*, got n=8, k=3"),
        (lambda: Barbell(1), "clique must be at least 2 .* got clique=1, bridge=0"),
        (
            lambda: GivenGraph("mine", 4, ((0, 1), (2, 3))),
            r"mine\(n=4\) must be connected, got 2 components \{0, 1\}, \{2, 3\}; an edge between",
        ),
        (lambda: GivenGraph("mine", 2, ((0, 2),)), r"the workers 0, ..., 1, got \(0, 2\)"),
        (lambda: RandomDigraph(4, 0.0), "4 components .*; a larger p, more graphs or another seed"),
        (
            lambda: TimeVaryingDigraph(3, (((0, 1),), ((1, 2),))),
            r"the union of .* must be strongly connected, got 3 components",
        ),
        (lambda: TimeVaryingDigraph(3, (((0, 0),),)), r"links must join .* got \(0, 0\)"),
    ],
)
def test_what_does_not_hold_together_is_refused_with_its_parts(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_out_degree_weights_share_out_what_a_worker_has() -> None:
    graph = nx.gnp_random_graph(6, 0.5, seed=2, directed=True)
    topology = RandomDigraph(6, 0.5, seed=2)
    p = topology.matrix(0)
    assert edges(topology) == {(b, a) for a, b in graph.edges}
    np.testing.assert_allclose(p.sum(axis=0), 1.0, atol=1e-15)
    for j in range(6):
        shares = p[:, j][p[:, j] > 0]
        assert shares == pytest.approx(1 / (1 + graph.out_degree(j)))
        assert topology.neighbours(0).out_degree[j] == graph.out_degree(j)


def test_a_cycle_of_digraphs_uses_one_after_the_other() -> None:
    topology = TimeVaryingDigraph.ring_by_parts(6, 3)
    assert topology.period == 3
    for t in range(6):
        assert edges(topology, t) == {((i + 1) % 6, i) for i in (t % 3, t % 3 + 3)}
    again = pickle.loads(pickle.dumps(topology))
    assert again == topology and again.neighbours(4) is topology.neighbours(1)


def test_negative_weights_pass_only_where_they_are_meant() -> None:
    """A star's best constant gives its centre a negative weight."""
    star = Star(6, BestConstant())
    assert star.signed and star.matrix(0)[0, 0] < 0
    assert Lazy(star).signed and star.constants().need("lam") == pytest.approx(5 / 7, abs=1e-12)
    with pytest.raises(MixingError, match=r"W\[0, 0\] must be non-negative"):
        FixedMatrix(star.matrix(0))
