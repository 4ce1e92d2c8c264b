"""Enlarged problems, batch rules, scaled stepsizes, LARS and LAMB, CR-PSGD."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from algorithms.catalogue import problem, row
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.lamb import LAMB
from algorithms.optimizers.lars import LARS
from algorithms.optimizers.layers import NormRatio, layer_norms, sizes_of
from algorithms.problems.mlp import digits_mlp, digits_test
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stopwatch import Timing
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import models
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.verdict import Outcome
from theory.rules.batch_rules import FixedBatch, GeometricBatch, StagedBatch, SteadyBatch
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import (
    ConstantStep,
    GradualWarmUpStep,
    PolynomialStep,
    ScaledStep,
    StepDecay,
    legw,
)

KEYS = ("linear-scaling", "sqrt-scaling", "legw", "lars", "lamb", "batch-growth", "cr-psgd")
NOISY = ("quadratic-sc", "logreg-breast-cancer", "nonconvex-digits-dirichlet", "mlp-digits")


@pytest.mark.parametrize("name", NOISY)
def test_enlarging_divides_the_noise_and_keeps_the_objective(name):
    small = problem(name, 3)
    large = small.enlarged(4)
    x = small.start() + 0.3
    assert large is small.enlarged(4) and small.enlarged(1) is small
    assert torch.equal(large.value(x), small.value(x))
    assert torch.equal(large.mean_gradient(x), small.mean_gradient(x))
    assert torch.allclose(4 * large.noise(x), small.noise(x), rtol=1e-12)


@pytest.mark.parametrize("name", ("quadratic-sc", "logreg-breast-cancer"))
def test_drawn_noise_is_that_of_the_enlarged_batch(name):
    large = problem(name, 3).enlarged(5)
    x, replicas = large.start() + 0.2, 4000
    draws = Key.seed(3).draws(torch.arange(replicas), torch.arange(3))
    away = large.gradient(x.expand(replicas, 1, -1), draws) - large.all_gradients(x)
    samples = away.square().sum(-1).numpy()
    half = stats.t.isf(ALPHA / 2, replicas - 1) * samples.std(0, ddof=1) / math.sqrt(replicas)
    assert (abs(samples.mean(0) - large.noise(x).numpy()) <= half).all()


def test_exact_gradients_cannot_be_enlarged():
    exact = problem("consensus", 3)
    assert exact.enlarged(7).constants().sigma2 == 0.0
    with pytest.raises(ValueError, match="factor must be at least 1, got factor=0"):
        exact.enlarged(0)


@given(st.floats(1.01, 4.0), st.integers(1, 40), st.integers(0, 60))
def test_geometric_batches_follow_the_floor_at_every_step(rho, first, t):
    if math.floor(rho * first) == first:
        with pytest.raises(ValueError, match="to grow"):
            GeometricBatch(rho, first)
        return
    rule = GeometricBatch(rho, first, most=10**6)
    assert rule(t + 1) == min(math.floor(rho * rule(t)), 10**6)
    assert rule(0) == first == rule.least


@given(st.floats(1.2, 3.0), st.integers(1000, 10**7))
def test_rounds_grow_with_the_logarithm_of_the_samples(rho, samples):
    first = math.ceil(2 / (rho - 1))
    rule = GeometricBatch(rho, first, most=1 << 40)
    rounds = rule.rounds(samples)
    assert sum(rule(t) for t in range(rounds - 1)) <= samples < sum(rule(t) for t in range(rounds))
    slow = (1 + rho) / 2  # floor(rho B) >= (rho - 1/B) B and 1/B <= (rho - 1) / 2
    assert rounds <= 2 + math.log(1 + samples * (slow - 1) / first) / math.log(slow)


@given(st.integers(2, 3000), st.integers(1, 9), st.integers(0, 200))
def test_steady_batches_grow_by_one_ratio_from_the_first_round_to_the_last(steps, first, more):
    rule = SteadyBatch(steps, first + more, first)
    grown = [rule(t) for t in range(steps + 2)]
    assert grown == sorted(grown) and grown[0] == first
    assert grown[-3:] == [first + more] * 3
    t = steps // 2  # (k_t / first)^(steps - 1) = (last / first)^t but for the floor
    exact = first * ((first + more) / first) ** (t / (steps - 1))
    assert exact - 1 < rule(t) <= exact * (1 + 1e-9)


@given(st.integers(1, 30), st.integers(1, 5), st.integers(1, 200))
def test_staged_batches_mirror_a_decaying_stepsize(every, ratio, t):
    batch = StagedBatch(every, ratio, most=10**9)
    decay = StepDecay(ConstantStep(1.0), every, float(ratio), times=12)
    if t // every <= 12:
        assert 1 / batch(t) == pytest.approx(decay(t), rel=1e-12)


@given(st.integers(1, 400), st.integers(0, 3))
def test_polynomial_steps_fall_to_the_last_share_of_a_run(length, power):
    """(1 - t/T)^p exactly, and no step is 0."""
    rule = PolynomialStep(ConstantStep(3.0), length, float(power))
    assert rule(0) == 3.0
    for t in range(length):
        assert rule(t) == pytest.approx(3 * float(Fraction(length - t, length) ** power), rel=1e-12)
    assert rule(length) == rule(10 * length) == rule(length - 1) > 0


@given(st.floats(0.1, 64), st.integers(1, 100))
def test_legw_warms_up_over_as_many_steps_for_every_batch(factor, epoch):
    rule = legw(ConstantStep(0.5), factor, 3.0, epoch)
    assert rule.length == 3 * epoch
    assert rule(3 * epoch) == pytest.approx(0.5 * math.sqrt(factor))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FixedBatch(0), "factor=0"),
        (lambda: StagedBatch(0), "every=0"),
        (lambda: StagedBatch(5, first=4, most=2), "most=2"),
        (lambda: SteadyBatch(0, 8), "steps=0"),
        (lambda: SteadyBatch(5, 3, 4), "last=3"),
        (lambda: GeometricBatch(1.0), "rho=1.0"),
        (lambda: GeometricBatch(1.5, 1), "first=2 would do"),
        (lambda: ScaledStep(ConstantStep(1.0), 0.0), "factor=0.0"),
        (lambda: GradualWarmUpStep(ConstantStep(1.0), 0.5, 3), "factor=0.5"),
        (lambda: GradualWarmUpStep(ConstantStep(1.0), 2.0, 0), "length=0"),
        (lambda: StepDecay(ConstantStep(1.0), 0), "every=0"),
        (lambda: StepDecay(ConstantStep(1.0), 3, 0.5), "ratio=0.5"),
        (lambda: PolynomialStep(ConstantStep(1.0), 0), "length=0"),
        (lambda: PolynomialStep(ConstantStep(1.0), 9, -1.0), "power=-1"),
        (lambda: LARS(((2,),), m=1.0), "m=1.0"),
        (lambda: LARS(((2,),), decay=-1.0), "decay=-1.0"),
        (lambda: LAMB(((2,),), beta2=1.0), "beta2=1.0"),
        (lambda: LAMB(((2,),), eps=0.0), "eps=0.0"),
        (lambda: NormRatio(0.0), "eta=0.0"),
        (lambda: NormRatio(1.0, 2.0, 1.0), "low=2.0"),
        (lambda: LARS(((2,),)).init(torch.zeros(1, 3)), "d=3"),
        (lambda: CatalystPSGD(ConstantStep(1.0), FixedBatch(1), 0, 1.0), "stage=0"),
        (lambda: CatalystPSGD(ConstantStep(1.0), FixedBatch(1), 5, -1.0), "theta=-1.0"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("optimizer", (LARS, LAMB))
def test_layers_of_zero_norm_or_zero_slope_move_like_the_plain_method(optimizer):
    shapes = ((2,), (2,), (1,))
    x = torch.tensor([[0.0, 0.0, 1.0, 2.0, 0.0]], dtype=torch.float64)
    g = torch.tensor([[1.0, -2.0, 0.0, 0.0, 0.0]], dtype=torch.float64)
    made = optimizer(shapes, trust=NormRatio(1.0))
    _, move = made.update(made.init(x), 0.1 * g, x, 0.1)
    assert torch.isfinite(move).all()
    assert torch.equal(move[0, 2:], torch.zeros(3, dtype=torch.float64))
    assert (move[0, :2] * g[0, :2] > 0).all()


@pytest.mark.parametrize("dtype", (torch.float64, torch.float32))
def test_layer_norms_are_those_of_each_tensor(dtype):
    shapes = digits_mlp(2).shapes
    x = torch.randn(3, 2, 1210, generator=torch.Generator().manual_seed(0)).to(dtype)
    sizes = sizes_of(shapes, 1210)
    expected = torch.stack([part.double().norm(dim=-1) for part in x.split(list(sizes), -1)], -1)
    assert torch.allclose(layer_norms(x, sizes).double(), expected, rtol=1e-6)


@pytest.mark.parametrize("scale", (1e-6, 1e6))
def test_lars_and_lamb_do_not_see_the_scale_of_the_gradient(scale):
    base = Quadratic.strongly_convex(2, 6, sigma2=0.0, zeta2=1.0)
    scaled = replace(base, a=scale * base.a, c=scale * base.c)
    for made in (LARS(((6,),), trust=NormRatio(0.1)), LAMB(((6,),), eps=1e-30)):
        method = BSP(ConstantStep(0.1), optimizer=made)
        assert torch.allclose(models(method, scaled, 30), models(method, base, 30), rtol=1e-9)


@pytest.mark.parametrize(("key", "name"), [(k, name) for k in KEYS for name in row(k).problems])
def test_rows_make_progress(key, name):
    built = problem(name, 4)
    trace = run(row(key).build(built, 120), built, steps=120, seed=2, points=3)
    assert trace.suboptimality[0, -1] < trace.suboptimality[0, 0]
    assert trace.squared_gradient[0, -1] < trace.squared_gradient[0, 0]


def test_catalyst_without_a_centre_is_cr_psgd():
    built, batch = problem("logreg-breast-cancer", 3), GeometricBatch(1.5, 2, most=16)
    plain = Batched(BSP(ConstantStep(0.2)), batch)
    catalyst = CatalystPSGD(ConstantStep(0.2), batch, 1000, 0.0)
    assert torch.equal(models(catalyst, built, 20), models(plain, built, 20))


def test_catalyst_takes_gradients_of_the_proximal_objective():
    built = Quadratic.strongly_convex(1, 1, L=1.0, mu=1.0, sigma2=0.0, R2=1.0)
    catalyst = CatalystPSGD(ConstantStep(0.25), FixedBatch(1), 2, 2.0)
    path = models(catalyst, built, 4)[:, 0, 0]
    # x - (x + 2 (x - y)) / 4 from y = 1: 3/4, then 3/4 - (3/4 - 1/2) / 4 = 11/16; y = 11/16 ...
    assert path.tolist() == [1.0, 0.75, 0.6875, 0.6875 * 0.75, 0.6875**2]


def _catalyst(name, n):
    batch = GeometricBatch(1.5, 2, most=8)
    return CatalystPSGD(ConstantStep(0.1), batch, 4, 1.0), problem(name, n)


def _layered(name, n):
    built = problem(name, n)
    optimizer = LAMB(built.shapes, decay=0.01)
    return Batched(BSP(ConstantStep(0.02), optimizer=optimizer), StagedBatch(3, most=8)), built


@pytest.mark.sharded
def test_worlds_agree():
    names = ("quadratic-sc", "logreg-breast-cancer", "mlp-digits")
    cases = tuple(
        Case(make.__name__, make, (name, 4)) for make in (_catalyst, _layered) for name in names
    )
    wrong = [v for v in cross_validate(cases, 2) if v.outcome is Outcome.REFUTED]
    assert wrong == []


def test_a_larger_batch_takes_longer():
    built = problem("quadratic-sc", 2)
    timing = Timing(Constant(1.0), AlphaBeta(0.0, 0.0))
    step = BSP(ConstantStep(0.1))
    seconds = [
        run(Batched(step, FixedBatch(k)), built, steps=5, timing=timing).seconds[0, -1]
        for k in (1, 3)
    ]
    assert seconds == [5.0, 15.0]


def test_training_and_test_digits_are_apart():
    train, test = digits_mlp(4, held_out=0.25), digits_test(0.25)
    rows = {tuple(row) for row in train.features.flatten(0, 1).tolist()}
    kept = {tuple(row) for row in test.features.flatten(0, 1).tolist()}
    assert not rows & kept
    assert train.features.shape[1] == (1797 - 449) // 4 and test.features.shape[1] == 449
