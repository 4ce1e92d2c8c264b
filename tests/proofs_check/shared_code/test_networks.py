"""Closed forms of shared network code: all hold, and each is seen to refute planted faults."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from algorithms.network.base import Packet
from algorithms.network.point_to_point import PointToPointNetwork
from algorithms.network.receive_pattern import ReceivePattern
from algorithms.network.simulated import Simulated
from algorithms.synchronisation.stopwatch import Stopwatch
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.optimal_weights import FMMC
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.evidence.gossip_averaging import closed_forms_rounding
from proofs_check.row_coverage import cells_of
from proofs_check.shared_code import (
    drawn_networks,
    network_clocks,
    network_doors,
    network_messages,
    network_spectra,
    networks,
)
from proofs_check.suite import cells
from proofs_check.verdict import Outcome
from theory.networks import mixing, spectra, weights

MODULES = (network_spectra, network_doors, networks, network_messages, network_clocks)
CHECKS = [
    *(check for module in MODULES for check in module.CLOSED_FORMS),
    *closed_forms_rounding.CLOSED_FORMS,
]


def outcomes(check):
    return {verdict.outcome for verdict in check()}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_all_hold(check):
    assert outcomes(check) == {Outcome.AGREES}


@pytest.mark.parametrize("key", ["scaffold", "wangni", "push-sum"])
def test_every_row_that_runs_rests_on_them(key):
    own = {cell.name for cell in cells_of(key, cells("quick"))}
    for module in MODULES:
        assert {f"shared_code.{check.__name__}" for check in module.CLOSED_FORMS} <= own
        assert all(key in keys for keys in module.COVERS.values())


@pytest.mark.parametrize("make", [drawn_networks.doubly_stochastic, drawn_networks.circulant])
def test_drawn_weights_sum_to_1_without_rounding(make):
    for n in range(1, 10):
        w = make(drawn_networks.numbers(n), n, 4)
        assert (w.sum(0) == 1).all() and (w.sum(1) == 1).all() and (w >= 0).all()


def test_drawn_unions_are_of_both_kinds():
    """A door that lets everybody in, or nobody, is no door."""
    for cases in (network_doors._unions(), network_doors._directed()):
        said = [bool(one.said) for one in cases]
        assert 10 < sum(said) < len(said) - 10


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, lam=s.lam + 1e-13),
        lambda s: replace(s, lam_2=1.05 * s.lam_2),
        lambda s: replace(s, lam_n=-s.lam_n),
        lambda s: replace(s, beta=0.95 * s.beta),
    ],
)
def test_a_spectral_constant_that_is_off_is_refuted(change, monkeypatch):
    monkeypatch.setattr(network_spectra, "spectrum", lambda w: change(mixing.spectrum(w)))
    assert Outcome.REFUTED in outcomes(network_spectra.spectra_of_weights)


def test_lazy_weights_that_keep_too_much_are_refuted(monkeypatch):
    monkeypatch.setattr(network_spectra, "lazy", lambda w: 0.75 * np.eye(len(w)) + 0.25 * w)
    assert Outcome.REFUTED in outcomes(network_spectra.spectra_of_weights)


@pytest.mark.parametrize("name", ["cycle_laplacian", "star_laplacian", "hypercube_laplacian"])
def test_a_laplacian_with_one_eigenvalue_off_is_refuted(name, monkeypatch):
    true = getattr(spectra, name)

    def off(n):
        values = true(n).copy()
        values[-1] *= 1 + 1e-12
        return values

    monkeypatch.setattr(spectra, name, off)
    assert Outcome.REFUTED in outcomes(network_spectra.spectra_by_formula)


@pytest.mark.parametrize("wrong", [lambda n: n.bit_length(), lambda n: (n - 1).bit_length()])
def test_a_logarithm_of_another_power_is_refuted(wrong, monkeypatch):
    monkeypatch.setattr(spectra, "log2_exact", wrong)
    assert Outcome.REFUTED in outcomes(network_spectra.exact_logarithms)


@pytest.mark.parametrize("name", ["metropolis_hastings", "out_degree", "best_constant"])
def test_weights_of_other_shares_are_refuted(name, monkeypatch):
    true = getattr(weights, name)
    monkeypatch.setattr(weights, name, lambda *a, **k: true(*a, **k) * (1 + 1e-13))
    assert Outcome.REFUTED in outcomes(network_spectra.weights_of_graphs)


@pytest.mark.parametrize("tolerance", [0.985e-12, 1.015e-12])
def test_a_door_that_is_a_hundredth_too_narrow_or_too_wide_is_refuted(tolerance, monkeypatch):
    monkeypatch.setattr(mixing, "SUM_TOLERANCE", tolerance)
    assert Outcome.REFUTED in outcomes(network_doors.mixing_doors)
    assert Outcome.REFUTED in outcomes(network_doors.push_doors)


def test_a_door_that_asks_for_no_links_is_refuted(monkeypatch):
    monkeypatch.setattr(mixing, "_unreached", lambda linked: np.zeros(0, dtype=np.int64))
    assert Outcome.REFUTED in outcomes(network_doors.mixing_doors)
    assert Outcome.REFUTED in outcomes(network_doors.push_doors)


def test_a_door_that_walks_against_the_links_is_refuted(monkeypatch):
    true = mixing._unreached
    monkeypatch.setattr(mixing, "_unreached", lambda linked: true(linked.T))
    assert Outcome.REFUTED in outcomes(network_doors.push_doors)


def test_a_door_that_names_the_next_place_is_refuted(monkeypatch):
    true = np.argwhere
    monkeypatch.setattr(mixing.np, "argwhere", lambda bad: true(bad) + 1 - np.eye(2)[0].astype(int))
    with pytest.raises(IndexError):  # the last column has no next one
        network_doors.mixing_doors()


def test_weights_that_swap_for_ever_are_refuted_where_they_pass(monkeypatch):
    monkeypatch.setattr(network_doors, "check_contracting", lambda w: None)
    assert Outcome.REFUTED in outcomes(network_doors.contraction_door)


def test_lists_whose_senders_are_counted_the_other_way_are_refuted(monkeypatch):
    class Turned(networks.Neighbours):
        def __init__(self, w):
            super().__init__(w)
            self.in_degree, self.out_degree = self.out_degree, self.in_degree

    monkeypatch.setattr(networks, "Neighbours", Turned)
    assert Outcome.REFUTED in outcomes(networks.lists_of_neighbours)


def test_a_product_in_the_other_order_is_refuted(monkeypatch):
    def turned(topology):
        whole = np.eye(topology.n)
        for t in range(topology.period):
            whole = whole @ topology.matrix(t)
        return whole

    monkeypatch.setattr(networks, "product", turned)
    assert Outcome.REFUTED in outcomes(networks.periods)


def test_a_step_that_states_nothing_is_refuted(monkeypatch):
    bare = networks.OnePeerExponential(8).each_step()
    monkeypatch.setattr(FixedMatrix, "each_step", lambda self: bare.state(n=self.n))
    assert Outcome.REFUTED in outcomes(networks.periods)


def test_an_exponential_graph_with_a_hop_too_many_is_refuted(monkeypatch):
    true = StaticExponential.build
    monkeypatch.setattr(
        StaticExponential, "build", lambda self: true(self) if self.n & (self.n - 1)
        else (true(self) * (self.n.bit_length()) + np.eye(self.n)) / (self.n.bit_length() + 1)
    )  # fmt: skip
    assert Outcome.REFUTED in outcomes(networks.exponential_graphs)


def test_a_contraction_of_meetings_without_its_root_is_refuted(monkeypatch):
    true = RandomEdge.contraction
    monkeypatch.setattr(RandomEdge, "contraction", lambda self: true(self) ** 0.5)
    assert Outcome.REFUTED in outcomes(networks.random_meetings)


def test_bits_that_are_short_by_one_are_refuted(monkeypatch):
    true = Packet.__dict__["bits"].func
    monkeypatch.setattr(Packet, "bits", property(lambda self: true(self) - 1))
    for check in network_messages.CLOSED_FORMS:
        assert Outcome.REFUTED in outcomes(check)


def test_rows_of_another_replica_are_refuted(monkeypatch):
    true = Packet.decode

    def elsewhere(self, *given):
        return true(replace(self, replicas=self.replicas + 1), *given)

    monkeypatch.setattr(Packet, "decode", elsewhere)
    for check in network_messages.CLOSED_FORMS:
        assert Outcome.REFUTED in outcomes(check)


def test_a_mixed_row_that_is_rounded_otherwise_is_refuted(monkeypatch):
    from algorithms.network import simulated

    monkeypatch.setattr(simulated, "mix", lambda x, index, weight: sum(
        weight[:, s, None] * x[..., index[:, s], :] for s in reversed(range(index.shape[1]))
    ))  # fmt: skip
    assert Outcome.REFUTED in outcomes(network_messages.mixed_rows)


def test_links_to_oneself_are_refuted(monkeypatch):
    true = ReceivePattern.links
    monkeypatch.setattr(ReceivePattern, "links", lambda self: true(self) + torch.eye(5).long())
    assert Outcome.REFUTED in outcomes(network_messages.heard_rows)


def test_a_server_that_hears_nobody_as_somebody_is_refuted(monkeypatch):
    monkeypatch.setattr(
        Simulated, "collect", lambda self, packet, active: packet.decode(packet.symbols, active)
    )
    assert Outcome.REFUTED in outcomes(network_messages.served_rows)


@pytest.mark.parametrize("name", ["down", "exchange", "up"])
def test_messages_that_take_no_time_are_refuted(name, monkeypatch):
    monkeypatch.setattr(Stopwatch, name, lambda self, *given: None)
    assert Outcome.REFUTED in outcomes(network_clocks.hours_of_workers)


def test_answers_that_all_wait_for_are_refuted(monkeypatch):
    true = Stopwatch.down
    monkeypatch.setattr(
        Stopwatch, "down", lambda self, bits, messages=1: true(self, bits, torch.ones_like(bits))
    )
    assert Outcome.REFUTED in outcomes(network_clocks.served_hours)


def test_a_period_that_begins_with_its_last_step_is_refuted(monkeypatch):
    true = networks.Periodic.matrix
    monkeypatch.setattr(networks.Periodic, "matrix", lambda self, t: true(self, t - 1))
    assert Outcome.REFUTED in outcomes(networks.periods)


def test_a_rank_that_names_another_server_is_refuted(monkeypatch):
    monkeypatch.setattr(PointToPointNetwork, "server", torch.tensor([4]))
    assert Outcome.REFUTED in outcomes(network_clocks.waited_in_vain)


def test_weights_that_are_not_rounded_are_refuted(monkeypatch):
    true = FMMC.matrix
    monkeypatch.setattr(FMMC, "matrix", lambda self, a: true(self, a) / 3 + np.eye(len(a)) * 2 / 3)
    assert Outcome.REFUTED in outcomes(closed_forms_rounding.rounded_weights)


def test_the_graphs_have_all_kinds_of_degrees():
    drawn = list(drawn_networks.graphs())
    assert any(nx.is_connected(g) and len({d for _, d in g.degree}) > 2 for g in drawn)
    assert any(not nx.is_connected(g) for g in drawn)
