"""DIANA, LAQ, AsyLPG, refined quantisation, blocks: forms, limits, both worlds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import optimize, stats

from algorithms.compressors.blocks import BlockInTurn, BlockSampling
from algorithms.compressors.identity import Identity
from algorithms.compressors.max_levels import MaxLevels
from algorithms.compressors.nearest_grid import FixedRange, NearestGrid
from algorithms.compressors.norm_ternary import NormTernary
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.terngrad import TernGrad
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.drift.feddyn import FedDyn
from algorithms.methods.error_feedback.ef21_p import EF21P
from algorithms.methods.parts.gradients import Full, Sampled
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.methods.variance_reduced.dasha import Dasha
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.methods.variance_reduced.laq import LAQ
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.methods.variance_reduced.refined import RefinedQuantisation
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.instruments.exact import exact_law
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.1)
ROWS = ("diana", "laq", "asylpg", "adaptive-quantisation", "ibcd", "bcd")
V = (3, -4, 0, 12)


def draws(m=1):
    return Key.seed(1).draws(torch.tensor(0), torch.arange(m))


def quiet(n=4, d=10):
    return Quadratic.strongly_convex(n, d, sigma2=0.0, zeta2=1.0)


@pytest.mark.parametrize(("p", "same"), [(2, QSGD(1)), (float("inf"), TernGrad())])
def test_ternary_is_qsgd_and_terngrad(p, same):
    x = torch.randn(5, 33, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ours = NormTernary(p).compress(x, draws(5))
    assert torch.equal(ours, same.compress(x, draws(5)))


def test_ternary_of_the_one_norm_exactly():
    law = exact_law(NormTernary(1), V)
    assert law.mean == V and law.error == 19 * 19 - 169
    assert law.nonzeros == Fraction(19, 19)


def test_max_levels_of_one_is_terngrad_and_its_worst_vector():
    assert exact_law(MaxLevels(1), V).error == 59
    s, d = 3, 10
    share = (d - 1) / s**2
    a = (np.sqrt(1 + share) - 1) / share  # the maximiser of D f (1 - f) / (1 + D f^2)
    x = torch.full((1, d), float(a) / s, dtype=torch.float64)
    x[0, 0] = 1
    operator = MaxLevels(s)
    ratio = float(operator.variance(x)) / float(x.square().sum())
    assert ratio == pytest.approx(operator.claims(d)[1].omega, rel=1e-12)


def test_blocks_are_kept_whole():
    x = torch.arange(1.0, 11.0, dtype=torch.float64)[None].repeat(50, 1)
    sent = BlockSampling(4, 2, scaled=False).compress(x, draws(50))
    kept = (sent != 0).reshape(50, -1)
    for block in ((0, 3), (3, 6), (6, 9), (9, 10)):
        part = kept[:, slice(*block)]
        assert (part.all(-1) == part.any(-1)).all()
    assert set(kept.sum(-1).tolist()) <= {4, 6}
    turned = [BlockInTurn(4).at_step(t).compress(x[:1], draws()) for t in range(8)]
    assert torch.equal(sum(turned[:4]), x[:1]) and torch.equal(turned[1], turned[5])
    lots = {BlockInTurn(4, lot=3).at_step(t).block for t in range(40)}
    assert lots == {0, 1, 2, 3}


def test_nearest_grid_reference_points():
    x = torch.tensor([[1.0, 0.0, -0.2, 0.5]], dtype=torch.float64)
    expected = torch.tensor([[1.0, 1 / 3, -1 / 3, 1 / 3]], dtype=torch.float64)
    torch.testing.assert_close(NearestGrid(2).compress(x, draws()), expected)
    assert not FixedRange(10.0, 3).compress(x, draws()).any()


def test_diana_without_compression_and_shifts_is_sgd():
    problem = Quadratic.strongly_convex(4, 10, sigma2=1.0, zeta2=1.0)
    plain = run(BSP(ConstantStep(0.2)), problem, steps=20, points=2)
    shifted = run(Diana(ConstantStep(0.2), Identity()), problem, steps=20, points=2)
    torch.testing.assert_close(plain.model, shifted.model, rtol=1e-10, atol=1e-12)
    off = run(Diana(ConstantStep(0.1), QSGD(2), alpha=0.0), problem, steps=20, points=2)
    compressed = run(BSP(ConstantStep(0.1), QSGD(2)), problem, steps=20, points=2)
    torch.testing.assert_close(off.model, compressed.model, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_proximal_diana_finds_the_lasso_solution(beta):
    problem, weight = quiet(), 0.05
    method = Diana(ConstantStep(0.1), QSGD(4), beta=beta, proximal=SoftThreshold(weight))
    trace = run(method, problem, steps=4000, points=2)

    def smooth(x):
        return problem.value(torch.from_numpy(x)).item()

    def gradient(x):
        return problem.mean_gradient(torch.from_numpy(x)).numpy()

    d = problem.d  # x = u - v with u, v >= 0 makes the l1 norm smooth
    found = optimize.minimize(
        lambda z: smooth(z[:d] - z[d:]) + weight * z.sum(),
        np.zeros(2 * d),
        jac=lambda z: np.concatenate((g := gradient(z[:d] - z[d:]), -g)) + weight,
        bounds=[(0, None)] * (2 * d),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )
    expected = torch.from_numpy(found.x[:d] - found.x[d:])
    torch.testing.assert_close(trace.model[0], expected, rtol=0, atol=2e-5)


def test_laq_with_full_patience_is_quantised_gradient_descent():
    """Patience 1: everybody sends at every step."""
    trace = run(LAQ(ConstantStep(0.3), patience=1), quiet(), steps=30, points=2)
    assert (trace.account.sent_messages >= 15).all()
    always = run(LAQ(ConstantStep(0.3), weight=0.0, patience=1), quiet(), steps=30, points=2)
    assert (always.account.sent_messages >= trace.account.sent_messages).all()


@pytest.mark.parametrize(
    "method",
    [
        AsyLPG(ConstantStep(0.05), 6000, Exponential(), 200, theta=0.5),
        AsyLPG(ConstantStep(0.05), 6000, Exponential(), 200, BlockSampling(2)),
        AsyLPG(ConstantStep(0.05), 6000, Exponential(), 200, proximal=SoftThreshold(0.0)),
    ],
    ids=["accelerated", "sparse", "proximal"],
)
def test_forms_of_asylpg_converge_with_noise(method):
    """Both gradients are taken on the same sample, so noise does not leave a floor."""
    problem = Quadratic.strongly_convex(4, 10, sigma2=1.0, zeta2=1.0)
    trace = run(method, problem, steps=6000, points=3)
    assert float(trace.squared_distance[0, -1] / trace.squared_distance[0, 0]) < 1e-8


def test_anchored_refinement_converges_with_noise():
    problem = Quadratic.strongly_convex(4, 10, sigma2=1.0, zeta2=1.0)
    method = RefinedQuantisation(ConstantStep(0.5), 5, 4.0, 0.985, epoch=20)
    trace = run(method, problem, steps=2500, points=3)
    assert float(trace.squared_distance[0, -1] / trace.squared_distance[0, 0]) < 1e-10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NormTernary(3), "p must be 1, 2 or inf, got p=3"),
        (lambda: MaxLevels(0), r"s must lie in \[1, 2\^24\), got s=0"),
        (lambda: BlockSampling(3, 4), r"taken must lie in \[1, blocks\], got taken=4"),
        (lambda: BlockSampling(3).claims(2), "blocks must be at most d, got blocks=3 with d=2"),
        (lambda: NearestGrid(0), r"bits must lie in \[1, 16\], got bits=0"),
        (lambda: FixedRange(0.0), "radius positive"),
        (lambda: Diana(ConstantStep(1.0), QSGD(1), alpha=2.0), r"alpha must lie in \[0, 1\]"),
        (lambda: Diana(ConstantStep(1.0), ScaledSign()).shift_step(4), "claims no omega"),
        (lambda: LAQ(ConstantStep(1.0), memory=0), "memory must be at least 1, got memory=0"),
        (lambda: RefinedQuantisation(ConstantStep(1.0), shrink=1.5), r"shrink must lie in \(0, 1"),
        (lambda: AsyLPG(ConstantStep(1.0), 5, Exponential(), 0), "epoch must be at least 1"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_blocks_by_lot_are_uniform():
    operator, blocks, steps = BlockInTurn(8, lot=5), 8, 4000
    counts = np.bincount([operator.at_step(t).block for t in range(steps)], minlength=blocks)
    assert stats.chisquare(counts).pvalue > 1e-9


@pytest.mark.parametrize("b", [2, 4, 8])
def test_laq_error_is_at_most_half_a_cell_of_the_grid(b):
    """Sun et al.: with R the largest magnitude, each coordinate is off by at most R/(2^b - 1)."""
    x = torch.from_numpy(np.random.default_rng(b).standard_normal((50, 40)))
    error = (NearestGrid(b).compress(x, draws(50)) - x).abs().amax(-1)
    assert (error <= x.abs().amax(-1) / (2**b - 1) * (1 + 1e-12)).all()


REFUSED = (
    (lambda: Marina(STEP, RandK(1), participants=0), "participants"),
    (lambda: run(Marina(STEP, RandK(1), participants=5), quiet(), steps=1), "at most n=4 workers"),
    (lambda: Dasha(STEP, RandK(1), momentum=1.5), r"momentum must lie in \[0, 1\]"),
    (lambda: Dasha(STEP, RandK(1), refresh=-0.1), r"refresh must lie in \[0, 1\]"),
    (lambda: EF21P(STEP, Identity(), alpha=2.0), r"alpha must lie in \[0, 1\]"),
    (
        lambda: run(EF21P(STEP, Identity(), uplink=ScaledSign()), quiet(), steps=1),
        "claims no omega",
    ),
    (lambda: FedDyn(STEP, 2, 0.0), "pull must be finite and > 0"),
    (lambda: FedDyn(STEP, 2, math.inf), "pull must be finite and > 0, got pull=inf"),
    (lambda: FedDyn(STEP, True, 1.0), "FedDyn: period should be a whole number, got period=True"),
    (lambda: EF21P(STEP, Identity(), alpha=0.5), "alpha moves shifts of an uplink"),
    (lambda: Marina(STEP, Identity(), gradients=Sampled(), differences=Full()), "must be exact"),
    (lambda: FedDyn(STEP, 0, 1.0), "period"),
    (lambda: run(FedDyn(STEP, 2, 1.0, 5), quiet(), steps=1), "at most n=4 workers"),
)


@pytest.mark.parametrize(("made", "words"), REFUSED)
def test_parameters_that_cannot_be_meant_are_refused(made, words):
    with pytest.raises(ValueError, match=words):
        made()
