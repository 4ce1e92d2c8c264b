"""Figures of errata that no closed form measures, found with the project's own operators and runs.

The other errata are checked beside their rows, in ``proofs_check/closed_forms``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import torch

from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.ternary import UnitTernary
from algorithms.key import Key
from algorithms.memories.base import Round
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from theory.stepsizes import ConstantStep
from theory.survey.rows import ERRATA

EVIDENCE = {erratum.id: erratum.evidence for erratum in ERRATA}


def test_e10_levels_of_natural_dithering_end_at_the_norm() -> None:
    """s = 3: 0, 1/4, 1/2 and 1 of the norm; printed they would be 1/3, 2/3 and 4/3."""
    triples = ((3, 4, 5), (5, 12, 13), (9, 40, 41))  # their norms are rational
    levels = {
        abs(end) / norm
        for a, b, norm in triples
        for cell in NaturalDithering(3).exact_cells((Fraction(a), Fraction(b)))
        for end in cell
    }
    assert levels == {Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)}
    assert "4/3" in EVIDENCE["E10"]


def test_t9_the_server_hears_every_worker() -> None:
    """Local SGD averages n models every H steps; at H = 1 its server hears as much as in BSP."""
    n, d, steps, step = 4, 6, 16, ConstantStep(0.1)
    problem = Quadratic.strongly_convex(n, d)
    heard = {H: run(LocalSGD(step, H), problem, steps=steps) for H in (1, 8)}
    total = {H: float(trace.account.sent_bits.sum()) for H, trace in heard.items()}
    assert total[1] == n * 64 * d * steps and total[8] == total[1] / 8
    plain = run(BSP(step), problem, steps=steps).account.sent_bits
    assert float(plain.sum()) == total[1]


def test_t10_a_sum_of_ternaries_takes_more_bits() -> None:
    """Sums of n ternaries take all 2 n + 1 values: log2(2 n + 1) bits, 7.01 for n = 64."""
    n, replicas = 3, 2000
    draws = Key.seed(0).draws(torch.arange(replicas), torch.arange(n))
    x = torch.tensor([0.5, -0.5, 1.0], dtype=torch.float64).expand(replicas, n, 3)
    sums = UnitTernary().compress(x, draws).sum(-2)[..., :2]
    assert sorted({int(value) for value in sums.flatten()}) == list(range(-n, n + 1))
    assert f"{math.log2(2 * 64 + 1):.2f} bits" in EVIDENCE["T10"]


def test_s2_a_decaying_residual_loses_mass() -> None:
    """Every fifth step sends all there is: without decay nothing is lost, with it a share is."""
    for decay in (1.0, 0.9):
        memory, one = DecayingFeedback(decay, decay), torch.ones(1, 1, dtype=torch.float64)
        state, sent, lost = memory.init(one.shape, one.dtype, one.device), 0.0, 0.0
        for t in range(50):
            lost += (1 - decay) * float(state)
            wanted = memory.before(state, one)
            message = wanted if t % 5 == 4 else torch.zeros_like(one)
            sent += float(message)
            state = memory.after(state, Round(one, wanted, message, message))
        assert abs(sent + float(state) + lost - 50) < 1e-12
        assert (lost > 5) == (decay < 1)
