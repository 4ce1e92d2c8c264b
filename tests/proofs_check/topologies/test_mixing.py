"""Every topology passes its checks; every planted mistake is refuted by the check named."""

from dataclasses import dataclass
from typing import final

import numpy as np
import pytest

from algorithms.topologies.base import Neighbours, PushTopology, Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.gallery import examples
from algorithms.topologies.grid import Grid
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.path import Path
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from algorithms.topologies.torus import Torus
from proofs_check.topologies.mixing import check_reference, check_topology
from proofs_check.topologies.push import check_push
from proofs_check.verdict import Outcome
from theory.arrays import Floats
from theory.constants import Constants
from theory.networks.mixing import MixingError

SMALL = [
    *(kind(n) for kind in (Ring, Path, Complete, Star, StaticExponential) for n in (1, 2, 3, 7)),
    *(kind(n) for kind in (Hypercube, OnePeerExponential) for n in (1, 2, 4, 64)),
    *(kind(*shape) for kind in (Torus, Grid) for shape in ((1, 1), (2, 2), (2, 3), (3, 5))),
    *(Lazy(t) for t in (Star(5), StaticExponential(6), OnePeerExponential(8))),
]
GIVEN = [
    FixedMatrix([[0.3, 0.7], [0.7, 0.3]]),
    FixedMatrix(np.full((3, 3), 0.2) + 0.4 * np.eye(3)),
]
CHECKED = [*SMALL, *GIVEN, *examples(Topology)]


@pytest.mark.parametrize("topology", CHECKED, ids=lambda t: t.name)
def test_every_topology_is_what_it_claims(topology: Topology) -> None:
    verdicts = {v.check: v for v in check_topology(topology)}
    assert not [v for v in verdicts.values() if v.outcome is Outcome.REFUTED]
    wanted = {"exact arithmetic", "graph search", "unit vectors", "gossip"}
    if topology.stated_lam() is not None:
        wanted |= {"closed form"}
    assert wanted <= set(verdicts)
    assert verdicts["unit vectors"].outcome is Outcome.AGREES


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: t.name)
def test_rational_weights_are_proved_doubly_stochastic(topology: Topology) -> None:
    proved = [v for v in check_topology(topology) if v.check == "exact arithmetic"]
    assert proved and all(v.outcome is Outcome.PROVED for v in proved)


def test_weights_that_are_no_small_rationals_are_summed_as_they_are() -> None:
    root = 2**-0.5
    topology = FixedMatrix([[root, 1 - root], [1 - root, root]])
    verdict = check_topology(topology)[0]
    assert verdict.outcome is Outcome.AGREES and "dyadic" in verdict.evidence


def test_the_contraction_is_attained_on_the_eigenvector() -> None:
    for topology in (Ring(8), Star(6), Hypercube(8), StaticExponential(7), Lazy(Ring(5))):
        assert "gossip on the eigenvector" in {v.check for v in check_topology(topology)}


def test_one_peer_averages_exactly() -> None:
    verdicts = [v for v in check_topology(OnePeerExponential(32)) if "average exactly" in v.claim]
    assert [v.outcome for v in verdicts] == [Outcome.AGREES]
    assert verdicts[0].statistic == 0.0


def test_reference_values_are_matched() -> None:
    verdicts = check_reference()
    assert [v.subject for v in verdicts] == [
        *(f"ring(n={n})" for n in (4, 8, 16, 32)),
        "hypercube(n=8)",
        "star(n=8)",
    ]
    assert {v.outcome for v in verdicts} == {Outcome.AGREES}


@final
@dataclass(frozen=True)
class Planted(Topology):
    """A ring of four with one mistake."""

    mistake: str
    n: int = 4

    @property
    def name(self) -> str:
        return f"planted: {self.mistake}"

    @property
    def period(self) -> int:
        return 1

    def matrix(self, t: int) -> Floats:
        w = np.array(Ring(4).matrix(0))
        if self.mistake == "rows do not sum to one":
            w[0, 0] -= 0.01
        if self.mistake == "rows sum to one, columns do not":
            w[0] = [0.5, 0.5, 0.0, 0.0]
        if self.mistake == "a negative weight":
            w += 0.5 * (w - 0.25)  # sums stay 1
        if self.mistake == "off by one part in a million":
            w[1, 1] += 1e-6
        if self.mistake == "not connected":
            w = np.kron(np.eye(2), np.full((2, 2), 0.5))
        return w

    def neighbours(self, t: int) -> Neighbours:
        w = self.matrix(t)
        return Neighbours(w[::-1] if self.mistake == "lists of another matrix" else w)

    def stated_lam(self) -> float:
        return 0.25 if self.mistake == "closed form" else 1 / 3

    def constants(self) -> Constants:
        if self.mistake == "lam too small":
            return Constants(n=4).state(lam=0.3)
        if self.mistake == "lam too large":
            return Constants(n=4).state(lam=0.35)
        return Topology.constants(self)


@pytest.mark.parametrize(
    ("mistake", "check"),
    [
        ("rows do not sum to one", "exact arithmetic"),
        ("rows sum to one, columns do not", "exact arithmetic"),
        ("a negative weight", "exact arithmetic"),
        ("off by one part in a million", "exact arithmetic"),
        ("not connected", "graph search"),
        ("lists of another matrix", "unit vectors"),
        ("closed form", "closed form"),
        ("lam too small", "gossip on the eigenvector"),
        ("lam too large", "gossip on the eigenvector"),
    ],
)
def test_planted_mistakes_are_refuted(mistake: str, check: str) -> None:
    refuted = {v.check for v in check_topology(Planted(mistake)) if v.outcome is Outcome.REFUTED}
    assert check in refuted


def test_the_ring_without_a_mistake_passes() -> None:
    assert not [v for v in check_topology(Planted("")) if v.outcome is Outcome.REFUTED]


def test_a_matrix_that_does_not_sum_to_one_is_refused_when_it_is_given() -> None:
    with pytest.raises(MixingError, match=r"row 0 of W must sum to 1, got 0.99"):
        FixedMatrix(Planted("rows do not sum to one").matrix(0))


@final
@dataclass(frozen=True)
class Refusing(Topology):
    n: int = 2
    name = "refusing"
    period = 1

    def matrix(self, t: int) -> Floats:
        return FixedMatrix([[0.5, 0.4], [0.5, 0.5]]).matrix(t)


def test_a_topology_that_refuses_its_own_matrix_is_refuted_with_the_reason() -> None:
    (verdict,) = check_topology(Refusing())
    assert verdict.outcome is Outcome.REFUTED and "row 0 of W must sum to 1" in verdict.evidence


PUSHED = [
    *examples(PushTopology),
    *(DirectedRing(n) for n in (1, 2, 5)),
    *(TimeVaryingDigraph.ring_by_parts(*size) for size in ((1, 1), (2, 5), (6, 2), (6, 6))),
    RandomDigraph(1, 0.0),
    RandomDigraph(5, 1.0),
]


@pytest.mark.parametrize("topology", PUSHED, ids=lambda t: t.name)
def test_every_push_topology_is_what_it_claims(topology: PushTopology) -> None:
    verdicts = {v.check: v.outcome for v in check_push(topology)}
    assert verdicts == {
        "exact arithmetic": Outcome.PROVED,
        "graph search": Outcome.PROVED,
        "unit vectors": Outcome.AGREES,
        "push-sum": Outcome.AGREES,
        "eigenvector": Outcome.AGREES,
    }


def test_push_sum_averages_by_its_own_recursion() -> None:
    """By numpy alone, on weights that are not doubly stochastic."""
    topology = RandomDigraph(7, 0.5, seed=4)
    p = topology.matrix(0)
    assert np.abs(p.sum(axis=1) - 1).max() > 0.1
    x, w = np.arange(7.0), np.ones(7)
    for _ in range(300):
        x, w = p @ x, p @ w
    np.testing.assert_allclose(x / w, 3.0, atol=1e-12)
    assert np.abs(w - 1).max() > 0.1


def test_a_door_that_takes_workers_who_never_meet_is_refuted(monkeypatch) -> None:
    """Its search of the graph finds everybody: the check does not rely on it."""
    monkeypatch.setattr("theory.networks.mixing._unreached", lambda linked: np.array([], int))
    found = {v.check: v for v in check_topology(Ring(4))}["graph search"]
    assert found.outcome is Outcome.REFUTED and "two copies" in found.evidence
