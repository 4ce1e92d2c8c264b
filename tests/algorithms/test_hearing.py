"""Hearing chosen workers by replica: rows, bills, bytes, in one process and on ranks."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.methods.exchanges.gossip import gossip
from algorithms.network.base import pack
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.network.simulated import Simulated
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring

pytestmark = pytest.mark.processes

KEY, IDS, N, D = Key.seed(3), torch.arange(5), 6, 7


def rows(workers):
    return KEY.draws(IDS, workers).normal(D, torch.float64)


def drawn():
    """Two slots for each of the workers, some their own, and messages of which some are lost."""
    picks = KEY.fold("sources").draws(IDS, torch.arange(N)).integers(N, 2)
    lost = KEY.fold("lost").draws(IDS, torch.arange(N)).uniform(2, torch.float64) < 0.3
    return picks, ~lost


def packet(network, kind):
    x = rows(network.workers)
    sent = pack(EliasQSGD(4) if kind == "varies" else Identity(), x, KEY, IDS, network.workers)
    mute = (network.workers == 2) & (IDS[:, None] == 1)  # says nothing in replica 1
    return replace(sent, sends=~mute) if kind == "silent" else sent


def incoming(network, kind):
    sources, arrives = drawn()
    return network.receive(packet(network, kind), sources, arrives)


KINDS = ("even", "varies", "silent")


def on_ranks():
    out = []
    for kind in KINDS:
        network = Sharded(N)
        out.append((incoming(network, kind), network.ledger.account((5,)), network.crossed_bytes))
    return out


def test_rows_are_the_senders_as_read_and_zero_where_lost():
    network, (sources, arrives) = Simulated(N), drawn()
    x, y = rows(torch.arange(N)), incoming(Simulated(N), "even")
    for r in range(5):
        for i in range(N):
            for s in range(2):
                j = int(sources[r, i, s])
                there = j == i or bool(arrives[r, i, s])
                assert torch.equal(y[r, i, s], x[r, j] if there else torch.zeros(D).double())
    incoming(network, "even")
    bill, own = network.ledger.account((5,)), torch.arange(N)[:, None]
    apart = sources != own
    assert torch.equal(bill.received_messages, (apart & arrives).sum(-1))
    assert int(bill.sent_messages.sum()) == int(apart.sum())
    assert torch.equal(bill.sent_bits, bill.sent_messages * 64 * D)


def test_ranks_hear_the_same_and_only_what_they_need_crosses():
    parts = launch(on_ranks, ranks=2)
    sources, _ = drawn()
    for k, kind in enumerate(KINDS):
        context = Simulated(N)
        assert torch.equal(
            incoming(context, kind), torch.cat([part[k][0] for part in parts], -3)
        ), kind
        bill = context.ledger.account((5,))
        for field, total in enumerate(bill):
            assert torch.equal(total, torch.cat([part[k][1][field] for part in parts], -1)), kind
    for r, part in enumerate(parts):
        listeners = sources[:, 3 * r : 3 * r + 3].flatten(-2)
        pairs = {(q, j) for q, line in enumerate(listeners.tolist()) for j in line if j // 3 != r}
        assert int(part[0][2].sum()) == len(pairs) * 8 * D


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (torch.zeros(N, 2), "int64"),
        (torch.zeros(N - 1, 2, dtype=torch.int64), "n=6"),
        (torch.full((N, 1), N), r"ids in \[0, 6\)"),
    ],
)
def test_bad_sources_are_refused(sources, said):
    network = Simulated(N)
    with pytest.raises(ValueError, match=said):
        network.receive(packet(network, "even"), sources)


@pytest.mark.parametrize("topology", [Ring(6), Complete(6)])
def test_a_random_edge_averages_two_and_its_mean_is_stated(topology):
    meetings, ids = RandomEdge(topology), torch.arange(4000)
    network = Simulated(N)
    x = torch.eye(N, dtype=torch.float64).expand(4000, N, N).contiguous()
    w = gossip(network, pack(Identity(), x, KEY, ids, network.workers), meetings.draw(0, KEY, ids))
    assert torch.equal(w @ w, w) and torch.equal(w.sum(-1), torch.ones(4000, N).double())
    # an entry is a mean of 4000 numbers in [0, 1]: Hoeffding at 1e-9 over 36 entries
    slack = (torch.log(torch.tensor(2 * 36 / 1e-9)) / (2 * 4000)).sqrt()
    assert (w.mean(0) - torch.from_numpy(meetings.expected().copy())).abs().max() < slack
    assert torch.equal(
        network.ledger.account((4000,)).sent_messages.sum(-1), torch.full((4000,), 2)
    )
