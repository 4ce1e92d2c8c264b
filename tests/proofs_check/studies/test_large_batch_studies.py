"""What the large-batch studies rest on: counts, fits, curvatures, and CR-PSGD's verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.func import grad, jvp, vmap

from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.mlp import digits_mlp
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.large_batch import studies as batch_noise_scale
from proofs_check.evidence.large_batch import studies_catalyst as cr_psgd_rounds
from proofs_check.evidence.large_batch.closed_forms import stationary
from proofs_check.evidence.large_batch.studies import slope_of
from proofs_check.evidence.large_batch.studies_generalisation import ARMS, sharpness
from proofs_check.instruments.batch_search import (
    BatchScan,
    Hyperbola,
    StepsToTarget,
    best_stepsize,
    hyperbola,
    steps_to_target,
)
from proofs_check.verdict import Outcome
from theory.rules.batch_rules import FixedBatch
from theory.stepsizes import ConstantStep


def _race(sigma2=0.0, target=1e-3):
    problem = Quadratic.strongly_convex(1, 4, L=1.0, mu=1.0, sigma2=sigma2, R2=1.0)
    return StepsToTarget(problem, problem.value, target, 500, 4, 3, 5, 1.9)


@pytest.mark.parametrize("gamma", (0.01, 0.1, 0.5))
def test_counts_without_noise_are_exact(gamma):
    found = steps_to_target(_race(), 1, gamma, 0, 500)
    exact = math.log(1e-3 / 0.5) / (2 * math.log(1 - gamma))  # f = (1 - gamma)^(2t) / 2
    assert np.allclose(found, exact, rtol=1e-9)


def test_what_is_not_reached_counts_as_infinite():
    assert np.isinf(steps_to_target(_race(), 1, 0.001, 0, 20)).all()
    assert np.isinf(steps_to_target(_race(sigma2=100.0), 1, 0.5, 0, 200)).all()
    assert (steps_to_target(_race(target=2.0), 1, 0.1, 0, 5) == 0).all()


def test_the_search_finds_the_best_stepsize():
    race = _race()
    assert abs(math.log2(best_stepsize(race, 1, 0.01))) <= 0.26  # gamma = 1/L, a grid of sqrt(2)


def test_a_hyperbola_is_recovered():
    batches = 2.0 ** np.arange(12)
    steps = Hyperbola(20.0, 100.0).steps(batches)
    found = hyperbola(BatchScan(batches, batches, np.stack([steps, steps])))
    assert found.fewest == pytest.approx(20.0) and found.critical == pytest.approx(100.0)


def test_slopes_are_those_of_a_power_law():
    batches = 2.0 ** np.arange(6)
    noise = np.exp(0.01 * np.random.default_rng(0).standard_normal((32, 6)))
    found = slope_of(BatchScan(batches, batches, 5 / batches * noise), batches >= 2)
    assert abs(found.value + 1) <= found.half < 0.05
    spacing = math.log(2) * (np.arange(5) - 2)
    worst = math.log(2**0.25) / 2 * np.sign(spacing)  # points half a grid step off either way
    assert found.grid == pytest.approx(float(spacing @ worst / np.square(spacing).sum()))


def test_sharpness_is_what_power_iteration_finds():
    problem = digits_mlp(1, held_out=0.5)
    generator = torch.Generator().manual_seed(0)
    apart = torch.randn(2, problem.d, generator=generator, dtype=torch.float64)
    points = problem.start() + 0.1 * apart
    times = vmap(lambda x, v: jvp(grad(problem.value), (x,), (v,))[1])
    v = apart
    for _ in range(300):
        v = times(points, v / v.norm(dim=-1, keepdim=True))
    assert np.allclose(v.norm(dim=-1).numpy(), sharpness(problem, points), rtol=1e-4)


def test_every_arm_takes_the_batch_it_is_given():
    problem = digits_mlp(1, batch=8, held_out=0.5)
    for _, make in ARMS.values():
        method = make(16, problem)
        assert isinstance(method, Batched) and method.batch(10**4) == 16


def test_stationary_variances_are_the_limits_of_the_recursion():
    gamma, batch = 0.2, 4
    limit = batch_noise_scale.variance(gamma, batch)
    assert stationary(gamma, batch, 10**4) == pytest.approx(limit, rel=1e-12)


def test_cr_psgd_keeps_its_rate_in_rounds():
    verdicts = cr_psgd_rounds.cr_psgd_rounds_measure().verdicts
    assert all(v.outcome.holds for v in verdicts)


def test_a_batch_that_does_not_grow_is_seen():
    def still(_batch):
        return Batched(BSP(ConstantStep(1.0)), FixedBatch(4))

    assert Outcome.REFUTED in {
        v.outcome for v in cr_psgd_rounds.cr_psgd_rounds_measure(still).verdicts
    }
