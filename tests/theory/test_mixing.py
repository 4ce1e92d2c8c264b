"""Mixing weights, spectra and checks against networkx, scipy and the reference values."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.networks import mixing, spectra, weights
from theory.networks.compressed_gossip import choco_kept
from theory.networks.mixing import (
    MixingError,
    check_contracting,
    check_sequence,
    lazy,
)
from theory.networks.weights import metropolis_hastings

CIRCULANT_DECIMALS = 5e-9  # the reference gives 8 decimals


def adjacency(graph: nx.Graph) -> np.ndarray:
    return nx.to_numpy_array(graph, nodelist=sorted(graph.nodes))


def second_modulus(w: np.ndarray) -> float:
    """max(|lambda_2|, |lambda_n|) by scipy's general eigenvalues, the 1-vector removed by rank."""
    moduli = np.sort(np.abs(scipy.linalg.eigvals(w)))
    return float(moduli[-2]) if len(moduli) > 1 else 0.0


def ring(n: int) -> float:
    """lam of Metropolis-Hastings weights: here all edges weigh 1 / (1 + degree)."""
    return spectra.lam(spectra.cycle_laplacian(n), 1 / (1 + min(n - 1, 2)))


def path(n: int) -> float:
    return spectra.lam(spectra.path_laplacian(n), 1 / (1 + min(n - 1, 2)))


def complete(n: int) -> float:
    return spectra.lam(spectra.complete_laplacian(n), 1 / n)


def star(n: int) -> float:
    return spectra.lam(spectra.star_laplacian(n), 1 / n)


def hypercube(n: int) -> float:
    return spectra.lam(spectra.hypercube_laplacian(n), 1 / (1 + np.log2(n)))


def torus(rows: int, cols: int) -> float:
    degree = min(rows - 1, 2) + min(cols - 1, 2)
    values = spectra.product_laplacian(spectra.cycle_laplacian(rows), spectra.cycle_laplacian(cols))
    return spectra.lam(values, 1 / (1 + degree))


@pytest.mark.parametrize(
    ("value", "reference"),
    [
        (ring(4), 0.33333333),
        (ring(8), 0.80473785),
        (ring(16), 0.94925302),
        (ring(32), 0.98719019),
        (hypercube(8), 0.5),
        (star(8), 0.875),
        (spectra.directed_ring(8), 0.92387953),
    ],
)
def test_closed_forms_equal_the_reference_values(value: float, reference: float) -> None:
    assert value == pytest.approx(reference, abs=CIRCULANT_DECIMALS)


def test_metropolis_weights_of_a_path_are_the_fractions_of_the_definition() -> None:
    w = metropolis_hastings(adjacency(nx.path_graph(4)))
    third = Fraction(1, 3)
    wanted = [
        [1 - third, third, 0, 0],
        [third, third, third, 0],
        [0, third, third, third],
        [0, 0, third, 1 - third],
    ]
    np.testing.assert_allclose(w, np.array(wanted, dtype=float), rtol=0, atol=2**-53)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 24), p=st.floats(0.05, 1.0), seed=st.integers(0, 10**6))
def test_metropolis_weights_mix_every_connected_graph(n: int, p: float, seed: int) -> None:
    graph = nx.compose(nx.gnp_random_graph(n, p, seed=seed), nx.random_labeled_tree(n, seed=seed))
    w = metropolis_hastings(adjacency(graph))
    check_sequence((w,))
    assert np.array_equal(w, w.T)
    assert ((w != 0) | np.eye(n, dtype=bool)).sum() == 2 * graph.number_of_edges() + n
    s = mixing.spectrum(w)
    assert s.lam == pytest.approx(second_modulus(w), abs=1e-12)
    assert s.lam == pytest.approx(max(abs(s.lam_2), abs(s.lam_n)), abs=1e-12)
    assert s.beta == pytest.approx(1 - s.lam_n, abs=1e-12)
    assert 0 < s.gap == 1 - s.lam


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 64])
def test_closed_forms_of_undirected_graphs(n: int) -> None:
    cycle = nx.cycle_graph(n) if n > 1 else nx.empty_graph(1)
    graphs = {ring: cycle, complete: nx.complete_graph(n)}
    graphs[path] = nx.path_graph(n)
    graphs[star] = nx.star_graph(n - 1)
    if n & (n - 1) == 0 and n > 1:
        graphs[hypercube] = nx.hypercube_graph(n.bit_length() - 1)
    for closed, graph in graphs.items():
        w = metropolis_hastings(adjacency(graph))
        assert closed(n) == pytest.approx(second_modulus(w), abs=1e-12), closed.__name__


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 2), (2, 3), (3, 2), (2, 4), (4, 4), (5, 7)])
def test_closed_form_of_the_torus(shape: tuple[int, int]) -> None:
    w = metropolis_hastings(adjacency(nx.grid_2d_graph(*shape, periodic=True)))
    assert torus(*shape) == pytest.approx(second_modulus(w), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 16])
def test_laplacian_spectra_are_those_of_networkx(n: int) -> None:
    graphs = {
        spectra.path_laplacian: nx.path_graph(n),
        spectra.cycle_laplacian: nx.cycle_graph(n) if n > 1 else nx.empty_graph(1),
        spectra.complete_laplacian: nx.complete_graph(n),
        spectra.star_laplacian: nx.star_graph(n - 1),
    }
    if n & (n - 1) == 0 and n > 1:
        graphs[spectra.hypercube_laplacian] = nx.hypercube_graph(n.bit_length() - 1)
    for closed, graph in graphs.items():
        assert closed(n)[0] == 0
        values = scipy.linalg.eigvalsh(nx.laplacian_matrix(graph).toarray().astype(float))
        np.testing.assert_allclose(np.sort(closed(n)), values, atol=1e-12, err_msg=closed.__name__)


def test_the_spectrum_of_a_grid_is_a_sum_of_paths() -> None:
    values = spectra.product_laplacian(spectra.path_laplacian(3), spectra.path_laplacian(5))
    wanted = scipy.linalg.eigvalsh(nx.laplacian_matrix(nx.grid_2d_graph(3, 5)).toarray() * 1.0)
    assert values[0] == 0
    np.testing.assert_allclose(np.sort(values), wanted, atol=1e-12)


def test_known_values_of_lam() -> None:
    """A path is a ring of twice its length; stars and hypercubes have one line each."""
    for n in (3, 4, 9, 30):
        assert path(n) == pytest.approx(ring(2 * n), abs=1e-14)
        assert path(n) == pytest.approx((1 + 2 * np.cos(np.pi / n)) / 3, abs=1e-14)
        assert star(n) == pytest.approx(1 - 1 / n, abs=1e-14)
    for n in (2, 4, 32):
        assert hypercube(n) == pytest.approx(1 - 2 / (1 + np.log2(n)), abs=1e-14)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 14), p=st.floats(0.1, 0.9), seed=st.integers(0, 10**6))
def test_no_constant_weight_beats_the_best(n: int, p: float, seed: int) -> None:
    graph = nx.compose(nx.gnp_random_graph(n, p, seed=seed), nx.random_labeled_tree(n, seed=seed))
    a = adjacency(graph)
    best = weights.best_constant_lam(a)
    assert mixing.spectrum(weights.constant(a, weights.best_constant(a))).lam == pytest.approx(
        best, abs=1e-12
    )
    found = scipy.optimize.minimize_scalar(
        lambda alpha: np.abs(scipy.linalg.eigvalsh(weights.constant(a, alpha) - 1 / n)).max(),
        bounds=(0, 2),
        method="bounded",
    )
    assert best <= found.fun + 1e-12 and best == pytest.approx(found.fun, abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 12), p=st.floats(0.0, 1.0), seed=st.integers(0, 10**6))
def test_out_degree_weights_are_column_stochastic(n: int, p: float, seed: int) -> None:
    graph = nx.gnp_random_graph(n, p, seed=seed, directed=True)
    hears = nx.to_numpy_array(graph, nodelist=range(n)).T
    wanted = np.zeros((n, n))
    for j in range(n):
        for i in (j, *graph.successors(j)):
            wanted[i, j] = float(Fraction(1, 1 + graph.out_degree(j)))
    np.testing.assert_allclose(weights.out_degree(hears), wanted, rtol=0, atol=2**-53)


def test_signed_weights_need_symmetry_sums_and_a_joined_graph() -> None:
    good = np.array([[-0.5, 1.5], [1.5, -0.5]])
    check_sequence([good], signed=True)
    for bad, words in (
        (
            np.array([[0.5, 0.6, -0.1], [0.4, 0.5, 0.1], [0.1, -0.1, 1.0]]),
            "must be symm",
        ),
        (good * 1.01, "row 0 of W must sum to 1"),
        (np.eye(2), "must join all workers"),
    ):
        with pytest.raises(MixingError, match=words):
            check_sequence([bad], signed=True)


def test_weights_of_no_contraction_are_named_with_their_eigenvalue() -> None:
    check_contracting(metropolis_hastings(adjacency(nx.cycle_graph(6))))
    swapping = metropolis_hastings(adjacency(nx.cycle_graph(6)), plus_one=False)
    with pytest.raises(MixingError, match="second eigenvalue -1, so lam = 1"):
        check_contracting(swapping)
    with pytest.raises(MixingError, match="second eigenvalue -2, so lam = 2"):
        check_contracting([[-0.5, 1.5], [1.5, -0.5]])


def test_edge_weights_are_found_where_all_edges_weigh_alike() -> None:
    a = adjacency(nx.path_graph(4))
    assert weights.edge_weight(metropolis_hastings(a)) == pytest.approx(1 / 3)
    assert weights.edge_weight(metropolis_hastings(adjacency(nx.grid_2d_graph(3, 3)))) is None
    assert weights.edge_weight(np.eye(3)) == 0.0


@pytest.mark.parametrize("n", [2, 4, 6, 8, 10, 16, 22, 64, 100])
def test_closed_form_of_the_static_exponential_graph(n: int) -> None:
    hops = [2**j for j in range(10) if 2**j < n]
    column = np.zeros(n)
    column[[0, *hops]] = 1.0 / (1 + len(hops))
    w = scipy.linalg.circulant(column)
    assert spectra.static_exponential(n) == pytest.approx(second_modulus(w), abs=1e-12)
    assert mixing.spectrum(w).lam == pytest.approx(second_modulus(w), abs=1e-12)


def test_static_exponential_has_no_closed_form_for_odd_n() -> None:
    with pytest.raises(ValueError, match="n must be even for the closed form, got n=7"):
        spectra.static_exponential(7)


def test_lam_of_unsymmetric_weights_is_the_second_singular_value() -> None:
    """Averages of permutation matrices are doubly stochastic, mostly not normal."""
    rng = np.random.default_rng(5)
    w = np.mean([np.eye(7)[rng.permutation(7)] for _ in range(4)], axis=0)
    assert np.abs(w @ w.T - w.T @ w).max() > 0.05
    s = mixing.spectrum(w)
    assert s.lam == pytest.approx(scipy.linalg.svdvals(w)[1], abs=1e-12)
    assert s.beta == pytest.approx(scipy.linalg.svdvals(np.eye(7) - w)[0], abs=1e-12)
    symmetric = scipy.linalg.eigvalsh((w + w.T) / 2)
    assert (s.lam_2, s.lam_n) == pytest.approx((symmetric[-2], symmetric[0]), abs=1e-12)


def test_one_worker_is_already_agreed() -> None:
    check_sequence(([[1.0]],))
    assert mixing.spectrum([[1.0]]) == mixing.Spectrum(lam=0.0, lam_2=0.0, lam_n=1.0, beta=0.0)


def test_lazy_moves_eigenvalues_halfway_to_one() -> None:
    w = metropolis_hastings(adjacency(nx.cycle_graph(6)))
    before, after = scipy.linalg.eigvalsh(w), scipy.linalg.eigvalsh(lazy(w))
    np.testing.assert_allclose(after, (1 + before) / 2, atol=1e-14)


HALVES = np.full((2, 2), 0.5)


@pytest.mark.parametrize(
    ("w", "words"),
    [
        (np.ones((2, 3)) / 3, r"square matrix \[n, n\] with n >= 1, got shape \(2, 3\)"),
        (np.zeros((0, 0)), r"square matrix .* got shape \(0, 0\)"),
        ([[0.5, np.nan], [0.5, 0.5]], r"W\[0, 1\] must be finite, got nan; finite weights"),
        (
            [[-0.5, 1.5], [1.5, -0.5]],
            r"W\[0, 0\] must be non-negative, got -0.5; weights in \[0, 1\]",
        ),
        ([[0.5, 0.4], [0.5, 0.5]], r"row 0 of W must sum to 1, got 0.9; .* would do"),
        ([[0.9, 0.1], [0.5, 0.5]], r"column 0 of W must sum to 1, got 1.4; .* would do"),
        (np.kron(np.eye(2), HALVES), r"workers 2, 3 cannot hear from worker 0; add an edge"),
        (np.eye(20), r"workers 1, 2, 3, 4, 5, 6, 7, 8 and 11 more cannot hear"),
    ],
)
def test_what_cannot_mix_is_refused_by_name(w: object, words: str) -> None:
    with pytest.raises(MixingError, match=words):
        check_sequence((w,))


def test_weights_in_single_precision_are_refused_with_the_cure() -> None:
    w = np.full((3, 3), np.float32(0.3))
    w += np.float32(1 / 30)
    with pytest.raises(MixingError, match="within 1e-12 in double precision"):
        check_sequence((w.astype(np.float32),))


def test_a_period_needs_to_be_connected_only_jointly() -> None:
    pairs = np.kron(np.eye(2), HALVES)  # 0-1, 2-3
    crossed = pairs[np.ix_([0, 2, 1, 3], [0, 2, 1, 3])]  # 0-2, 1-3
    for w in (pairs, crossed):
        with pytest.raises(MixingError, match="cannot hear"):
            check_sequence((w,))
    check_sequence((pairs, crossed))
    with pytest.raises(MixingError, match=r"workers 2, 3 .* any of the 2 matrices of a period"):
        check_sequence((pairs, pairs))
    with pytest.raises(MixingError, match="row 1 of W_1 must sum to 1"):
        check_sequence((pairs, crossed - 0.25 * np.outer(np.eye(4)[1], np.eye(4)[1])))
    with pytest.raises(MixingError, match=r"same number of workers, got \[4, 2\]"):
        check_sequence((pairs, HALVES))
    with pytest.raises(MixingError, match="at least one W"):
        check_sequence(())


def test_a_directed_cycle_is_connected() -> None:
    check_sequence(((np.eye(5) + np.roll(np.eye(5), 1, axis=1)) / 2,))


def test_adjacency_must_be_an_undirected_graph() -> None:
    with pytest.raises(MixingError, match=r"adjacency\[1, 1\] must be 0"):
        metropolis_hastings([[0, 1], [1, 1]])
    with pytest.raises(MixingError, match=r"only one of the edges \(0, 1\) and \(1, 0\)"):
        metropolis_hastings([[0, 1], [0, 0]])


@pytest.mark.parametrize("closed", [ring, star, complete, hypercube])
def test_no_workers_are_refused(closed: object) -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        closed(0)  # type: ignore[operator]


def test_powers_of_two_are_named() -> None:
    with pytest.raises(ValueError, match="power of two, got n=12; 8 or 16 would do"):
        hypercube(12)


@pytest.mark.parametrize("step", [0.25, 0.5, 0.75, 1.0])
def test_compressed_gossip_without_compression_keeps_its_closed_form(step: float) -> None:
    """On a complete graph spreads shrink by 1 - c, and copies are c of them behind."""
    mean = np.full((4, 4), 0.25)
    assert choco_kept(mean, 1.0, step) == pytest.approx((1 - step) ** 2 + step**2, rel=1e-12)


def test_compressed_gossip_keeps_what_its_worst_start_shows() -> None:
    """Of a random start no more is left in the mean of its masks, and the bound is met by one."""
    rng, share, step = np.random.default_rng(5), 0.5, 0.4
    w = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    kept = choco_kept(w, share, step)
    largest = 0.0
    for _ in range(200):
        x, copies = rng.normal(size=(2, 3))
        before = ((x - x.mean()) ** 2).sum() + ((x - copies) ** 2).sum()
        after = 0.0
        for number in range(8):
            mask = np.array([number >> i & 1 for i in range(3)])
            public = copies + mask * (x - copies)
            moved = x + step * (w @ public - public)
            spread = ((moved - moved.mean()) ** 2).sum() + ((moved - public) ** 2).sum()
            after += spread / 8
        largest = max(largest, after / before)
    assert 0.8 * kept < largest <= kept * (1 + 1e-12)
    with pytest.raises(ValueError, match=r"at most 10 workers \(2\^n masks\), got 11"):
        choco_kept(np.eye(11), share, step)
