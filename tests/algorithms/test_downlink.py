"""What the server says: handed out and charged in one call, in one process and on ranks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.identity import Identity
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import RunContext
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.base import Network, pack
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.stopwatch import STANDARD
from theory.stepsizes import ConstantStep

ROOT = Path(__file__).parents[2]
KEY, IDS, N, D = Key.seed(4), torch.arange(3), 4, 5
ACTIVE = torch.tensor([[3, 1], [0, 4], [2, 3]])  # 4 is nobody
COMPRESSORS = (Identity(), EliasQSGD(4))


def server_rows(count: int) -> torch.Tensor:
    return KEY.draws(IDS, torch.arange(count)).normal(D, torch.float64)


def answered(network: Network, x: torch.Tensor, compressor=COMPRESSORS[0]) -> torch.Tensor:
    ids = torch.full_like(ACTIVE, N)
    return network.answer(pack(compressor, x, KEY, IDS, ids), ACTIVE)


def context(network: Network) -> RunContext:
    return RunContext(Quadratic.strongly_convex(N, D), network, KEY, IDS)


def test_an_answer_is_the_row_of_who_is_asked_and_costs_that_worker_one_message():
    network, x = Simulated(N), server_rows(2)
    y = answered(network, x)
    assert torch.equal(y[0], x[0]) and torch.equal(y[2], x[2])
    assert torch.equal(y[1, 0], x[1, 0]) and not y[1, 1].any()
    bill = network.account((3,))
    assert bill.received_messages.tolist() == [[0, 1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 1]]
    assert torch.equal(bill.received_bits, 64 * D * bill.received_messages)
    assert not bill.sent_bits.any()


def test_an_answer_of_varying_length_is_charged_as_long_as_it_is():
    network, x = Simulated(N), server_rows(2)
    packet = pack(COMPRESSORS[1], x, KEY, IDS, torch.full_like(ACTIVE, N))
    lengths = packet.bits
    assert isinstance(lengths, torch.Tensor) and lengths.unique().numel() > 1
    network.answer(packet, ACTIVE)
    expected = torch.zeros(3, N + 1, dtype=torch.int64).scatter_add(-1, ACTIVE, lengths)
    assert torch.equal(network.account((3,)).received_bits, expected[:, :N])


def test_one_row_is_for_all_and_told_is_by_worker():
    network, x = Simulated(N), server_rows(1)
    y = context(network).answered(x, ACTIVE, 0)
    assert torch.equal(y, torch.where((ACTIVE < N)[..., None], x, 0))
    hears = torch.tensor([True, False, False, True])
    y = context(network).broadcast(x, hears, 0)
    assert torch.equal(y, torch.where(hears[:, None], x, 0))
    own = server_rows(N)
    assert torch.equal(context(network).broadcast(own, torch.ones(N, dtype=torch.bool), 0), own)


def test_published_is_the_row_and_costs_everybody_one_message():
    network, x = Simulated(N), server_rows(1)
    assert torch.equal(context(network).published(x, 0), x)
    bill = network.account((3,))
    assert bill.received_messages.eq(1).all() and bill.received_bits.eq(64 * D).all()


def on_ranks():
    """Rows as read, bills and bytes; rank 0 alone holds the true rows."""
    out = []
    for compressor in COMPRESSORS:
        network = Sharded(N)
        wrong = 0.0 if network.rank == 0 else 1.0
        y = answered(network, server_rows(2) + wrong, compressor)
        published = context(network).published(server_rows(1) + wrong, 0)
        bytes_ = network.crossed_bytes, network.received_bytes
        out.append((y, published, network.account((3,)), bytes_))
    return out


@pytest.mark.sharded
def test_on_ranks_what_workers_read_comes_from_rank_0():
    parts = launch(on_ranks, ranks=2)
    for k, compressor in enumerate(COMPRESSORS):
        network = Simulated(N)
        y = answered(network, server_rows(2), compressor)
        context(network).published(server_rows(1), 0)
        here = ACTIVE < 2
        assert torch.equal(parts[0][k][0], torch.where(here[..., None], y, 0))
        there = ((ACTIVE >= 2) & (ACTIVE < N))[..., None]
        assert torch.equal(parts[1][k][0], torch.where(there, y, 0))
        assert all(torch.equal(part[k][1], server_rows(1)) for part in parts)
        dense = 3 * 8 * D  # the published row of three replicas
        assert parts[0][k][3][1] == 0 and not parts[0][k][3][0].any()
        crossed, received = parts[1][k][3]
        assert received == int(crossed[N]) == int(crossed.sum())
        if compressor == Identity():
            assert received == dense + 3 * 8 * D  # workers 3, 2 and 3 live on rank 1
            bill = network.account((3,))
            for field, total in enumerate(bill):
                assert torch.equal(total, torch.cat([part[k][2][field] for part in parts], -1))


def test_a_network_that_was_used_starts_anew():
    problem, network = Quadratic.strongly_convex(N, D), Simulated(N)
    first, again = (
        run(BSP(ConstantStep(0.1)), problem, steps=5, network=network, timing=timing)
        for timing in (STANDARD, None)
    )
    assert again.sent_bits[0].tolist() == first.sent_bits[0].tolist()
    assert again.sent_bits[0, 0] == 0 and again.sent_bits[0, -1] == 5 * 64 * D
    assert torch.equal(first.account.received_bits, again.account.received_bits)
    assert torch.isfinite(torch.from_numpy(first.seconds)).all()
    assert torch.isnan(torch.from_numpy(again.seconds)).all()


FLOORS = ("theory", "algorithms", "proofs_check", "experiments")
FILES = [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]


def test_only_the_network_touches_the_ledger():
    """Nobody else bills by hand: no attribute ``ledger`` is read or written outside the room."""
    room = ROOT / "algorithms" / "network"
    assert any(path.is_relative_to(room) for path in FILES)
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        if not path.is_relative_to(room)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "ledger"
    ]
    assert found == []
