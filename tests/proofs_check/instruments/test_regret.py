"""Regrets against loops written out, and values of workers against those of their means."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from algorithms.compressors.identity import Identity
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.absolute import Absolute
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.compute_times import Constant
from algorithms.synchronisation.stale import SSP
from proofs_check.instruments.paths import models
from proofs_check.instruments.regret import regrets
from proofs_check.refute.lines import LineInstance
from theory.stepsizes import ConstantStep, InverseRootStep, Stepsize


def two_lines() -> Absolute:
    """f_1 = |x - 3|, f_2 = 2 |x - 1|: the minimum of the mean is at 1."""
    features = torch.tensor([[[1.0]], [[2.0]]], dtype=torch.float64)
    targets = torch.tensor([[3.0], [2.0]], dtype=torch.float64)
    return Absolute("two lines", features, targets, 0.0, 0)


def loss(worker: int, x: float) -> float:
    return abs(x - 3) if worker == 0 else 2 * abs(x - 1)


def slope(worker: int, x: float) -> float:
    return float(np.sign(x - 3)) if worker == 0 else 2 * float(np.sign(x - 1))


@pytest.mark.parametrize("by_clock", [False, True])
def test_without_staleness_a_clock_is_a_tick(by_clock: bool) -> None:
    """With s = 0 both workers read x_k; by clock the gradients have gamma_2k and gamma_2k+1."""
    rule: Stepsize = InverseRootStep(0.3) if by_clock else ConstantStep(0.3)
    server = ParameterServer(rule, 18, Constant(), SSP(0), Weighting.SUM, by_clock=by_clock)
    found = regrets(server, two_lines(), torch.ones(1, dtype=torch.float64), 18, seed=0, replicas=2)
    x, total, places, expected = 0.0, 0.0, [0.0, 1.0], []
    for k in range(9):
        total += sum(loss(i, x) - loss(i, 1.0) for i in (0, 1))
        expected.append(total / (2 * k + 2))
        gamma = [0.3 / math.sqrt(2 * k + 1 + i) if by_clock else 0.3 for i in (0, 1)]
        x -= sum(gamma[i] * slope(i, x) for i in (0, 1))
        places.append(x)
    assert (found.gradients == 2 * np.arange(1, 10)).all()
    assert found.average[0] == pytest.approx(expected)
    assert (found.average[0] == found.average[1]).all()
    assert found.spread == pytest.approx(max(places) - min(places))


def test_a_worker_ahead_reads_its_own_updates_alone() -> None:
    """Worker 1 takes ten times as long: with s = 2 worker 0 takes three gradients of |x - 3| before
    it waits, each 0.1 further, and 1's first is taken at 0."""
    times = Constant((1.0, 10.0))
    server = ParameterServer(ConstantStep(0.1), 6, times, SSP(2), Weighting.SUM)
    problem = two_lines()
    found = regrets(server, problem, torch.ones(1, dtype=torch.float64), 6, seed=0, replicas=1)
    first = (loss(0, 0.0) - 2 + loss(1, 0.0)) / 2
    assert found.average[0, 0] == pytest.approx(first)


def test_by_clock_a_late_gradient_has_the_stepsize_of_its_clock() -> None:
    """1's first gradient, 2 sign(0 - 1) = -2, arrives last and has gamma_1 all the same."""
    times = Constant((1.0, 2.5))
    server = ParameterServer(
        InverseRootStep(0.1), 3, times, SSP(2), Weighting.SUM, by_clock=True
    )  # fmt: skip
    seen = models(server, two_lines(), 3)[:, 0, 0].tolist()
    one, two, last = (0.1 / math.sqrt(k) for k in (1, 3, 2))
    assert seen == pytest.approx([0, one, one + two, one + two + 2 * last])


def test_a_method_that_tells_no_reads_is_refused() -> None:
    plain = BSP(ConstantStep(0.1), Identity())
    with pytest.raises(ValueError, match="does not tell which gradients it takes"):
        regrets(plain, two_lines(), torch.ones(1, dtype=torch.float64), 2, seed=0, replicas=1)


LIPSCHITZ = LineInstance(3, (0.0, 2.0, 0.0), (-2.0, -1.0), 0.5, 0.25, 0.1, 0.5, None, 8).problem()


@pytest.mark.parametrize(
    "problem", [two_lines(), breast_cancer(4, L2(0.1)).double(), LIPSCHITZ], ids=lambda p: p.name
)
def test_workers_values_have_the_mean_and_the_gradients(problem: Problem) -> None:
    n, d = problem.n, problem.d
    x = torch.linspace(-1.9, 1.7, 3 * d, dtype=torch.float64).view(3, 1, d).expand(3, n, d)
    workers = torch.arange(n).expand(3, n)
    values = problem.worker_values(x, workers)
    assert values is not None
    assert torch.allclose(values.mean(-1), problem.value(x[:, 0]), rtol=1e-12)
    u = torch.ones(d, dtype=torch.float64) * 1e-6
    ahead, behind = (problem.worker_values(x + s * u, workers) for s in (1, -1))
    assert ahead is not None and behind is not None
    due = (problem.full_gradient(x, workers) * u).sum(-1) * 2
    assert torch.allclose(ahead - behind, due, atol=1e-12)


def test_lines_that_flatten_state_their_steepest_gradient() -> None:
    """F' is 1/2 above -1 and -3/2 below -2; workers add up to 1/4, noise 1/10."""
    c = LIPSCHITZ.constants()
    assert c.lipschitz == pytest.approx(1.5 + 0.25 + 0.1)
    assert (c.need("R2"), c.f_star) == pytest.approx((1.25**2, -0.5 - 0.5**2 / 4))
    bent = LineInstance(1, (1.0, 2.0, 1.0), (-2.0, -1.0), 0.5, 0.0, 0.0, 0.5, None, 8).problem()
    assert bent.constants().lipschitz is None
    with pytest.raises(ValueError, match="0 where f rises outwards"):
        LineInstance(1, (0.0, 2.0, 0.0), (-2.0, -1.0), 2.5, 0.0, 0.0, 0.5, None, 8).problem()
