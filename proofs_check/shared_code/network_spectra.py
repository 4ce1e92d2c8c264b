"""Closed forms of what all rows know of networks: spectra of weights, and weights of graphs.

Spectra are scipy's, numpy's norms and, of circulants, Fourier transforms; Laplacians and degrees
are networkx's; weights are fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import scipy.linalg

from proofs_check.instruments.evidence import identity
from proofs_check.shared_code.drawn_networks import (
    EVERY_ROW,
    MOST,
    ROUNDING,
    alike,
    array_of,
    circulant,
    connected_graphs,
    doubly_stochastic,
    graphs,
    numbers,
    symmetric,
)
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks import spectra, weights
from theory.networks.mixing import MixingError, lazy, spectrum

_NODES = range(1, 17)
_POWERS = range(1, 4097)
_ALPHA = Fraction(3, 16)
_ENTRY = MOST * 2.0**-53  # of an entry 1 - sum of at most eight roundings of numbers up to 1/2
_ONE_WORKER = (0.0, 0.0, 1.0, 0.0)
_NEARLY_ONE = 1 - 2.0**-41  # which passes for 1; a worker alone agrees with itself all the same
_NAMED = "seed 17"


def spectra_of_weights() -> tuple[Verdict, ...]:
    """Spectral constants of drawn weights against scipy's singular values and eigenvalues, numpy's
    norm and transform; lazy weights in fractions."""
    found, due, turned, fourier = list[float](), list[float](), list[float](), list[float]()
    halved, halves = list[float](), list[float]()
    for n in range(1, MOST + 1):
        for parts in (1, 2, 3, 5):
            rng = numbers(n, parts)
            for w in (doubly_stochastic(rng, n, parts), symmetric(rng, n, parts)):
                found += _spectrum(w)
                due += _by_scipy(w)
                halved += lazy(w).ravel().tolist()
                halves += [
                    float((Fraction(float(w[i, j])) + (i == j)) / 2)
                    for i in range(n) for j in range(n)
                ]  # fmt: skip
            around = circulant(rng, n, parts)
            turned += _spectrum(around)
            fourier += _by_fourier(around)
    rounded = spectrum([[_NEARLY_ONE]])
    found += [rounded.lam, rounded.lam_2]
    due += [0.0, 0.0]
    return (
        identity(
            "weights", "lam, lam_2, lam_n, beta and the gap are scipy's and numpy's", found, due,
            check="other implementation", tolerance=ROUNDING, provenance=_NAMED,
        ),
        identity(
            "circulant weights", "lam, lam_2, lam_n, beta and the gap are those of a transform",
            turned, fourier, check="Fourier transform", tolerance=ROUNDING, provenance=_NAMED,
        ),
        identity(
            "lazy weights", "they are (I + W) / 2", halved, halves,
            check="exact arithmetic", tolerance=0.0, provenance="fractions, seed 17",
        ),
    )  # fmt: skip


def _spectrum(w: Floats) -> list[float]:
    s = spectrum(w)
    return [s.lam, s.lam_2, s.lam_n, s.beta, s.gap]


def _by_scipy(w: Floats) -> list[float]:
    """lam is the second singular value: the first is 1, of the vector of ones."""
    n = len(w)
    if n == 1:
        return [*_ONE_WORKER, 1.0]
    lam = float(scipy.linalg.svdvals(w)[1])
    values = scipy.linalg.eigvalsh(w + w.T) / 2
    beta = float(np.linalg.norm(np.eye(n) - w, 2))
    return [lam, float(values[-2]), float(values[0]), beta, 1 - lam]


def _by_fourier(w: Floats) -> list[float]:
    values = np.fft.fft(w[:, 0])
    if len(w) == 1:
        return [*_ONE_WORKER, 1.0]
    lam, real = float(np.abs(values[1:]).max()), values.real
    return [
        lam, float(real[1:].max()), float(real.min()), float(np.abs(1 - values).max()), 1 - lam,
    ]  # fmt: skip


def spectra_by_formula() -> tuple[Verdict, ...]:
    """Closed forms of Laplacian spectra against scipy's of networkx's Laplacians, those of lam
    against norms and transforms."""
    found, due = list[float](), list[float]()
    for formula, graph in _laplacians():
        found += [float(formula[0]), *np.sort(formula).tolist()]
        due += [0.0, *scipy.linalg.eigvalsh(_laplacian(graph)).tolist()]
    lams, norms = list[float](), list[float]()
    for graph in connected_graphs():
        matrix = _laplacian(graph)
        for alpha in (0.1, 0.3, 0.6):
            lams.append(spectra.lam(scipy.linalg.eigvalsh(matrix), alpha))
            mean = np.full(matrix.shape, 1 / len(matrix))
            norms.append(float(np.linalg.norm(np.eye(len(matrix)) - alpha * matrix - mean, 2)))
    for n in _NODES:
        lams.append(spectra.directed_ring(n))
        norms.append(_second([1, 1], n))
        if n == 1 or n % 2 == 0:
            hops = [2**j for j in range(n) if 2**j < n]
            lams.append(spectra.static_exponential(n))
            norms.append(_second([1, *([1] * len(hops))], n, [0, *hops]))
    lams.append(spectra.lam(np.zeros(1), 0.5))
    norms.append(0.0)
    return (
        identity(
            "Laplacians", "spectra by formula are scipy's of networkx's Laplacians", found, due,
            check="other implementation", tolerance=ROUNDING * _NODES.stop / MOST,
            provenance="networkx, 1 to 16 nodes",
        ),
        identity(
            "lam by formula", "it is numpy's norm, of circulants the transform's second modulus",
            lams, norms, check="other implementation", tolerance=ROUNDING * _NODES.stop / MOST,
            provenance="networkx, 1 to 16 nodes",
        ),
    )  # fmt: skip


def _laplacians() -> Iterator[tuple[Floats, Any]]:
    for n in _NODES:
        path, cycle = nx.path_graph(n), nx.cycle_graph(n) if n > 1 else nx.empty_graph(1)
        yield spectra.path_laplacian(n), path
        yield spectra.cycle_laplacian(n), cycle
        yield spectra.complete_laplacian(n), nx.complete_graph(n)
        yield spectra.star_laplacian(n), nx.star_graph(n - 1)
        if n in (2, 4, 8, 16):
            bits = (2, 4, 8, 16).index(n) + 1
            yield spectra.hypercube_laplacian(n), nx.hypercube_graph(bits)
        if n < 5:
            both = spectra.path_laplacian(n), spectra.cycle_laplacian(4)
            grid = nx.cartesian_product(path, nx.cycle_graph(4))
            yield spectra.product_laplacian(*both), grid
    yield spectra.hypercube_laplacian(1), nx.empty_graph(1)


def _laplacian(graph: Any) -> Floats:
    return np.asarray(nx.laplacian_matrix(graph).toarray(), dtype=np.float64)


def _second(shares: list[int], n: int, hops: list[int] | None = None) -> float:
    """Second modulus of the circulant with equal shares at ``hops``, by its transform."""
    column = np.zeros(n)
    np.add.at(column, np.array([0, 1] if hops is None else hops) % n, np.array(shares, float))
    return float(np.abs(np.fft.fft(column / column.sum())[1:]).max(initial=0.0))


def exact_logarithms() -> tuple[Verdict, ...]:
    """log2 of powers of two, and the neighbours that other numbers are told, by math.frexp."""
    found, due = list[str](), list[str]()
    for n in _POWERS:
        half, power = math.frexp(n)  # n is half 2^power, 1/2 <= half < 1
        due.append(
            str(power - 1) if half == 0.5 else
            f"n must be a power of two, got n={n}; {2 ** (power - 1)} or {2**power} would do"
        )  # fmt: skip
        found.append(_told(spectra.log2_exact, n))
    for n, least in ((0, spectra.log2_exact), (-4, spectra.log2_exact), (0, spectra.directed_ring)):
        due.append(f"the number of workers must be at least 1, got {n}")
        found.append(_told(least, n))
    due += ["n must be even for the closed form, got n=7; spectrum(W) gives lam"]
    found += [_told(spectra.static_exponential, 7)]
    return (
        alike(
            "powers of two", "their logarithms are exact, and others are told the two next to them",
            found, due, check="other implementation", provenance="math.frexp",
        ),
    )  # fmt: skip


def _told(of: Callable[[int], float], n: int) -> str:
    try:
        return str(of(n))
    except ValueError as error:
        return str(error)


def weights_of_graphs() -> tuple[Verdict, ...]:
    """Weights of drawn graphs against their definitions in fractions, over networkx's degrees."""
    found, due, whole, laplacians = list[float](), list[float](), list[float](), list[float]()
    for graph in graphs():
        a, largest = array_of(graph), max(degree for _, degree in graph.degree)
        for plus in (True, False):
            given = (
                (weights.metropolis_hastings(a, plus_one=plus), _share_of_ends(graph, plus)),
                (weights.max_degree(a, plus_one=plus), lambda i, j, k=largest + plus: k),
            )
            for w, share in given:
                found += w.ravel().tolist()
                due += _filled(graph, share)
        found += weights.constant(a, float(_ALPHA)).ravel().tolist()
        due += _filled(graph, lambda i, j: 1 / _ALPHA)
        whole += weights.laplacian(a).ravel().tolist()
        laplacians += _laplacian(graph).ravel().tolist()
        alone = weights.edge_weight(weights.constant(a, float(_ALPHA)))
        found.append(-1.0 if alone is None else alone)
        due.append(float(_ALPHA) if graph.size() else 0.0)
    for graph in graphs(directed=True):
        found += weights.out_degree(array_of(graph).T).ravel().tolist()
        due += [
            float(Fraction(int(i == j or graph.has_edge(j, i)), 1 + graph.out_degree(j)))
            for i in graph for j in graph
        ]  # fmt: skip
    uneven = weights.edge_weight(weights.metropolis_hastings(array_of(nx.lollipop_graph(3, 2))))
    best, by_scipy = list[float](), list[float]()
    for graph in connected_graphs():
        a, values = array_of(graph), scipy.linalg.eigvalsh(_laplacian(graph))
        best += [weights.best_constant(a), weights.best_constant_lam(a)]
        by_scipy += [2 / (values[1] + values[-1]), 1 - 2 * values[1] / (values[1] + values[-1])]
    nobody = np.zeros((1, 1))
    best += [weights.best_constant(nobody), weights.best_constant_lam(nobody)]
    return (
        identity(
            "weights of graphs", "they are the fractions that define them", found, due,
            check="exact arithmetic", tolerance=_ENTRY, provenance="networkx's degrees, fractions",
        ),
        identity(
            "Laplacians of graphs", "they are networkx's", whole, laplacians,
            check="other implementation", tolerance=0.0, provenance="networkx",
        ),
        identity(
            "best constant weights", "they and their lam follow from scipy's spectrum",
            best, [*by_scipy, 0.0, 0.0], check="other implementation", tolerance=ROUNDING,
            provenance="networkx, scipy",
        ),
        alike(
            "graphs", "what is no undirected graph is named by its place", [str(uneven), *_loose()],
            ["None", *_places()], check="planted edges", provenance=_NAMED,
        ),
    )  # fmt: skip


def _share_of_ends(graph: Any, plus: bool) -> Callable[[int, int], int]:
    """The larger degree of the two ends of an edge, and 1 more where ``plus``."""
    return lambda i, j: max(graph.degree[i], graph.degree[j]) + plus


def _filled(graph: Any, share: Callable[[int, int], Fraction | int]) -> list[float]:
    """Entries of W row by row: 1 / share on edges, the rest of 1 on the diagonal."""
    rows = list[float]()
    for i in graph:
        own = {j: 1 / Fraction(share(i, j)) for j in graph if graph.has_edge(i, j)}
        own[i] = 1 - sum(own.values(), Fraction(0))
        rows += [float(own.get(j, 0)) for j in graph]
    return rows


_WRONG = ((5, 1, 3), (5, 3, 1), (7, 6, 0), (4, 2, 2), (6, 0, 0))
"""Number of workers, and an edge of one direction or a loop."""


def _loose() -> list[str]:
    said = list[str]()
    for n, i, j in _WRONG:
        a = array_of(nx.path_graph(n))
        a[i, j] = 1.0
        try:
            weights.metropolis_hastings(a)
            said.append("")
        except MixingError as error:
            said.append(str(error).split(";")[0])
    return said


def _places() -> list[str]:
    return [
        f"adjacency[{i}, {i}] must be 0: worker {i} needs no edge to itself" if i == j else
        f"adjacency must be symmetric, got only one of the edges ({min(i, j)}, {max(i, j)}) and "
        f"({max(i, j)}, {min(i, j)})"
        for _, i, j in _WRONG
    ]  # fmt: skip


CLOSED_FORMS = (spectra_of_weights, spectra_by_formula, exact_logarithms, weights_of_graphs)
COVERS = {check.__name__: EVERY_ROW for check in CLOSED_FORMS}
"""All rows that run: mixing matrices, lam and graphs are made by these."""
