"""The simulated network: sums in a fixed order, charges per worker and direction."""

from __future__ import annotations

import pytest
import torch

from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.kernels.mean import mean_rows, mean_rows_torch, sum_rows, sum_rows_torch
from algorithms.network.base import pack
from algorithms.network.simulated import Simulated
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star

KEY = Key.seed(0)
IDS = torch.arange(3)


def packet(network, x, compressor=None):
    return pack(compressor or Identity(), x, KEY, IDS, network.workers)


def rows(n, d=5, dtype=torch.float64):
    return KEY.draws(IDS, torch.arange(n)).normal(d, dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_mean_kernel_and_twin_have_the_same_bits(dtype):
    x = rows(7, 33, dtype)
    assert torch.equal(mean_rows(x), mean_rows_torch(x))
    assert torch.equal(sum_rows(x), sum_rows_torch(x))
    assert torch.allclose(mean_rows(x), x.mean(-2))
    assert torch.equal(mean_rows(x, keepdim=True)[..., 0, :], mean_rows(x))


def test_average_charges_the_code_length_once_per_worker():
    network, x = Simulated(4), rows(4)
    operator = TopK(2)
    mean, own = network.average(packet(network, x, operator))
    assert torch.allclose(mean[..., 0, :], own.mean(-2))
    bill = network.ledger.account((3,))
    assert bill.sent_bits.tolist() == [[2 * (64 + 3)] * 4] * 3
    assert bill.sent_messages.eq(1).all() and bill.received_bits.eq(0).all()


@pytest.mark.parametrize("topology", [Ring(8), Star(8)])
def test_mix_is_the_matrix_and_charges_every_edge(topology):
    network, x = Simulated(8), rows(8)
    mixed, _ = network.mix(packet(network, x), topology.neighbours(0))
    w = torch.from_numpy(topology.matrix(0).copy())
    assert torch.allclose(mixed, w @ x, rtol=1e-13, atol=1e-13)
    degree = (w != 0).sum(1) - 1
    bill = network.ledger.account()
    assert torch.equal(bill.sent_messages, degree)
    assert torch.equal(bill.sent_bits, degree * 5 * 64)
    assert torch.equal(bill.received_bits, bill.sent_bits)


def test_one_network_mixes_in_both_types_and_over_topologies():
    """What is kept for one neighbourhood and type does not serve another."""
    network, topologies = Simulated(8), (Ring(8), Star(8))
    for dtype in (torch.float32, torch.float64, torch.float32):
        x = rows(8, dtype=dtype)
        for topology in topologies:
            mixed, _ = network.mix(packet(network, x), topology.neighbours(0))
            expected = torch.from_numpy(topology.matrix(0).copy()) @ x.double()
            assert mixed.dtype == dtype
            assert torch.allclose(
                mixed.double(), expected, atol=2e-7 if dtype.itemsize == 4 else 1e-13
            )
    degrees = sum((torch.from_numpy(t.matrix(0).copy()) != 0).sum(1) - 1 for t in topologies)
    bill = network.ledger.account()
    assert torch.equal(bill.received_messages, 3 * degrees)
    assert torch.equal(bill.sent_bits, (32 + 64 + 32) * 5 * degrees)


def test_one_peer_sends_one_message_a_step():
    network, x = Simulated(8), rows(8)
    topology = OnePeerExponential(8)
    for t in range(3):
        x, _ = network.mix(packet(network, x), topology.neighbours(t))
    assert network.ledger.account().sent_messages.eq(3).all()
    assert torch.allclose(x, rows(8).mean(-2, keepdim=True).expand_as(x), atol=1e-14)


def test_collect_charges_only_who_arrives():
    network = Simulated(4)
    active = torch.tensor([[2], [0], [2]])
    g = KEY.draws(IDS, active).normal(5, torch.float64)
    sent = pack(Identity(), g, KEY, IDS, active)
    assert torch.equal(network.collect(sent, active), g)
    bill = network.ledger.account((3,))
    assert bill.sent_messages.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    assert bill.received_bits.sum().item() == 0


def test_no_workers_is_refused():
    with pytest.raises(ValueError, match=r"n must be at least 1 worker, got n=0"):
        Simulated(0)
