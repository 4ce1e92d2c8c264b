"""CMFL's filter and the loss of packets: hand-made cases, limits, exact laws."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch

from algorithms.compressors.identity import Identity
from algorithms.compressors.packet_loss import PacketLoss
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.lazy.cmfl import CMFL, relevance
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.compressors.check import check_compressor
from proofs_check.evidence.lazy import effects as faults
from proofs_check.instruments.exact import exact_law
from proofs_check.mutants.method_mutant import OperatorMutant
from proofs_check.mutants.report import faults_in
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

V = (3, -4, 0, 12)


def pulled(*centres):
    """f_i = ||x - c_i||^2 / 2 without noise, from 0."""
    b = torch.tensor(centres, dtype=torch.float64)
    return Quadratic.from_arrays(torch.ones_like(b), b)


def test_relevance_counts_equal_signs():
    u = torch.tensor([[1.0, -2.0, 0.0, 3.0], [-1.0, -2.0, 0.0, 3.0], [0.0, 0.0, 0.0, 0.0]])
    last = torch.tensor([[5.0, -0.1, 0.0, -1.0]])
    assert relevance(u, last).tolist() == [0.75, 0.5, 0.25]


def test_only_the_relevant_move_the_model():
    # the mean pulls up at first; then two workers want up, one (4, -8) has a sign against it
    problem = pulled((4.0, 4.0), (4.0, 4.0), (4.0, -8.0 + 1e-3))
    trace = run(CMFL(ConstantStep(0.5), 1, 1.0, decays=False), problem, steps=2, points=3)
    first = 0.5 * torch.tensor([4.0, 1e-3 / 3], dtype=torch.float64)
    second = first + 0.5 * (torch.tensor([4.0, 4.0]) - first)
    assert torch.allclose(trace.model[0], second, rtol=1e-14)
    assert trace.account.sent_messages.tolist() == [[2, 2, 1]]
    assert trace.account.received_messages.tolist() == [[2, 2, 2]]


def test_nobody_relevant_leaves_the_model():
    problem = pulled((2.0, -2.0), (2.0, 2.0 + 1e-3))  # first move (up, hardly up): then x_2 falls
    method = CMFL(ConstantStep(1.0), 1, 1.0, decays=False)
    trace = run(method, problem, steps=30, points=31)
    assert torch.allclose(trace.model[0], torch.tensor([2.0, 5e-4], dtype=torch.float64))
    assert trace.account.sent_messages.sum() == 2
    decaying = run(CMFL(ConstantStep(1.0), 1, 1.0), problem, steps=30)
    assert decaying.account.sent_messages.sum() > 2  # v_k falls to 1/2 at k = 4


def test_threshold_falls_as_the_root():
    method = CMFL(ConstantStep(1.0), 1, 0.8)
    assert [method.threshold_at(k) for k in (1, 4, 16)] == pytest.approx([0.8, 0.4, 0.2])
    assert CMFL(ConstantStep(1.0), 1, 0.8, decays=False).threshold_at(100) == 0.8


def test_without_threshold_it_is_local_sgd_with_noise():
    problem = Quadratic.strongly_convex(4, 10, sigma2=1.0, zeta2=1.0)
    step = ConstantStep(0.2)
    mine = run(CMFL(step, 4, 0.0), problem, steps=40, replicas=3, seed=2)
    other = run(LocalSGD(step, 4), problem, steps=40, replicas=3, seed=2)
    assert torch.allclose(mine.model, other.model, rtol=1e-12, atol=1e-13)
    assert torch.equal(mine.account.sent_bits, other.account.sent_bits)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: CMFL(ConstantStep(1.0), 0), "period=0"),
        (lambda: CMFL(ConstantStep(1.0), 1, 1.2), "threshold=1.2"),
        (lambda: PacketLoss(1.0), "p=1.0"),
        (lambda: PacketLoss(-0.1), "p=-0.1"),
        (lambda: PacketLoss(0.1, 0), "size=0"),
    ],
)
def test_bad_input_is_named(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_packet_loss_exactly():
    plain, scaled = exact_law(PacketLoss(0.5, 1), V), exact_law(PacketLoss(0.5, 1, True), V)
    assert plain.mean == tuple(Fraction(v, 2) for v in V) and plain.error == Fraction(169, 2)
    assert scaled.mean == V and scaled.error == 169  # omega = 2/(4 - 2)
    pairs = exact_law(PacketLoss(0.5, 2, True), V)  # packets (3, -4) and (0, 12), one is lost
    assert pairs.mean == V and pairs.error == 169


@pytest.mark.parametrize(
    ("p", "size", "d", "packets", "lost"),
    [(0.29, 1, 100, 100, 29), (0.3, 10, 256, 26, 7), (0.5, 2, 5, 3, 1), (0.9, 365, 300, 1, 0)],
)
def test_packets_and_losses(p, size, d, packets, lost):
    operator = PacketLoss(p, size)
    assert (operator.packets(d), operator.lost(d)) == (packets, lost)
    assert operator.claims(d)[0].delta == pytest.approx(1 - lost / packets)
    x = torch.ones(200, d, dtype=torch.float64)
    sent = operator.compress(x, Key.seed(4).draws(torch.tensor(0), torch.arange(200)))
    starts = (sent[:, ::size] == 0).sum(-1)
    assert (starts == lost).all()
    whole = torch.nn.functional.pad(sent, (0, -d % size), value=-1.0).view(200, packets, size)
    assert ((whole == 0).any(-1) == (whole <= 0).all(-1)).all()  # a packet is lost whole
    omega = PacketLoss(p, size, scaled=True).claims(d)[1].omega
    assert omega == pytest.approx(lost / (packets - lost))


def test_all_bits_are_charged_and_none_lost_is_plain():
    problem = Quadratic.strongly_convex(4, 20)
    step = ConstantStep(0.1)
    plain = run(BSP(step, Identity()), problem, steps=20)
    lossless = run(BSP(step, PacketLoss(0.04, 1, scaled=True)), problem, steps=20)
    lossy = run(BSP(step, PacketLoss(0.25, 4)), problem, steps=20)
    assert torch.equal(lossless.model, plain.model) and not torch.equal(lossy.model, plain.model)
    assert torch.equal(lossy.account.sent_bits, plain.account.sent_bits)


def test_infinite_input_is_named():
    x = torch.tensor([[1.0, float("inf")]])
    with pytest.raises(ValueError, match="packet loss"):
        PacketLoss(0.5, 1).compress(x, Key.seed(0).draws(torch.tensor(0), torch.arange(1)))


@pytest.mark.parametrize(
    "mutant", faults_in(faults, OperatorMutant), ids=lambda mutant: mutant.name
)
def test_wrong_losses_are_refuted(mutant):
    refuted = {
        v.check for v in check_compressor(mutant.mutant, d=256) if v.outcome is Outcome.REFUTED
    }
    assert mutant.check in refuted


@pytest.mark.parametrize(
    "operator", [PacketLoss(0.3, 7), PacketLoss(0.3, 7, scaled=True), PacketLoss(0.25, 1)],
    ids=lambda operator: operator.name,
)  # fmt: skip
def test_right_losses_are_not(operator):
    verdicts = check_compressor(operator, d=100)
    assert not [v for v in verdicts if v.outcome is Outcome.REFUTED]
