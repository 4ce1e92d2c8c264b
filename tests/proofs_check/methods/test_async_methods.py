"""Asynchronous methods: replays, limits in which they are another method, solvers, messages."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from algorithms.compressors.blocks import BlockSampling
from algorithms.compressors.identity import Identity
from algorithms.compressors.nonzero import NonZero
from algorithms.core.key import Key
from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.asynchronous.hogwild import Hogwild
from algorithms.methods.base import Method
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.delay_compensation import DiagonalCompensation
from algorithms.methods.parts.gradient_filter import KKTFilter, NoFilter
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.problems.sparse_linear import SparseLinear
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.conditions import LostWorker
from proofs_check.compressors.check import check_compressor
from proofs_check.evidence.asynchronous.closed_forms import WEIGHT, uneven
from proofs_check.evidence.asynchronous.faults import lasso
from proofs_check.instruments.paths import Snapshot, models, path
from proofs_check.problems.check import check_problem
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

TICKS, L1 = 80, 0.02
STEP, TIMES = ConstantStep(0.1), Exponential()


def server() -> ParameterServer:
    """The asynchronous parameter server that others are compared with."""
    return ParameterServer(STEP, TICKS, TIMES)


def _sent(moment: Snapshot, replicas: int = 1) -> int:
    """Bits that all workers of all replicas have sent."""
    return int(moment.context.network.ledger.account((replicas,)).sent_bits.sum())


@pytest.mark.parametrize(
    "method",
    [Downpour(STEP, TICKS, TIMES), Hogwild(STEP, TICKS, TIMES, spread=0.0)],
    ids=["Downpour 1, 1", "Hogwild, consistent"],
)
def test_limits_are_the_parameter_server_bitwise(method: Method[Any]) -> None:
    problem = uneven()
    expected = models(server(), problem, TICKS, replicas=3)
    assert torch.equal(models(method, problem, TICKS, replicas=3), expected)


def test_hogwild_reads_every_coordinate_between_begin_and_end() -> None:
    problem, method = uneven(), Hogwild(STEP, TICKS, TIMES)
    versions: list[Tensor] = []
    mixed = 0
    for moment in path(method, problem, TICKS):
        versions.append(method.models(moment.state)[0, 0])
        if moment.t == TICKS:
            break
        tick = moment.state.schedule.tick(moment.t)
        read = method.read(moment.state, tick.versions, tick.arrivals, moment.t, moment.context)
        allowed = torch.stack(versions[int(tick.versions) :])
        hit = read[0, 0] == allowed
        assert bool(hit.any(0).all())
        mixed += not bool(hit.all(-1).any())
    assert mixed > TICKS // 2  # most reads are of no one version


def test_hogwild_sends_the_support_alone() -> None:
    problem = SparseLinear.overlapping(4, 64, 32, 5)
    *_, last = path(Hogwild(STEP, TICKS, TIMES), problem, TICKS)
    sent = _sent(last)
    assert sent == TICKS * 5 * (64 + 5)  # 5 entries of a float64 and an index of 5 bits


def test_downpour_charges_pushes_and_fetches_alone() -> None:
    problem = uneven()
    *_, last = path(Downpour(STEP, TICKS, TIMES, n_push=4, n_fetch=3), problem, TICKS)
    made, row = last.state.made[0, :5], 64 * problem.d
    ledger = last.context.network.ledger.account((1,))
    assert ledger.sent_bits[0].tolist() == [row * (int(k) // 4) for k in made]
    assert ledger.received_bits[0].tolist() == [row * (int(k) // 3) for k in made]


@pytest.mark.parametrize("selection", [Selection(0.4), Selection(0.4, support=True)])
def test_support_is_identified_in_finite_time(
    selection: Selection,
) -> None:
    problem, x_star = lasso()
    ticks = 1500
    method = CoordinateProx(
        ConstantStep(1 / max(problem.smoothness)), ticks, TIMES, selection, SoftThreshold(WEIGHT)
    )
    x = models(method, problem, ticks)[:, 0]
    same = ((x != 0) == (x_star != 0)).all(-1)
    first = int((~same).nonzero().max()) + 1  # from here on the support never changes
    assert first < ticks // 2
    assert (x[first] - x_star).abs().max() > 1e-6  # long before it has converged
    torch.testing.assert_close(x[-1], x_star, rtol=0, atol=1e-8)


def test_support_selection_sends_the_support_and_a_share_of_the_rest() -> None:
    problem, x_star = lasso()
    ticks, q, support, d = 1500, 0.1, int((x_star != 0).sum()), 12
    method = CoordinateProx(
        ConstantStep(1 / max(problem.smoothness)), ticks, TIMES, Selection(q, support=True),
        SoftThreshold(WEIGHT), replicas=64,
    )  # fmt: skip
    sent = []
    for moment in path(method, problem, ticks, replicas=64):
        if moment.t in (400, 800):  # identified, and not yet so close that changes vanish
            sent.append(_sent(moment, 64))
    entries = (sent[1] - sent[0]) / (400 * 64 * (64 + 4))
    mean, draws = support + q * (d - support), 400 * 64 * (d - support)
    half = 6.2 * math.sqrt(q * (1 - q) / draws) * (d - support)  # error 1e-9
    assert abs(entries - mean) < half


def test_kkt_filter_saves_and_keeps_the_solution() -> None:
    problem, x_star = lasso()
    step = ConstantStep(1 / (3 * problem.curvatures[-1].item()))
    bits = []
    for rule in (NoFilter(), KKTFilter(WEIGHT, rho=0.999)):
        *_, last = path(DelayedProximal(step, 4, 2, SoftThreshold(WEIGHT), rule), problem, 800)
        torch.testing.assert_close(last.state.versions[0, last.state.newest], x_star, rtol=0,
                                   atol=1e-8)  # fmt: skip
        bits.append(_sent(last))
    assert bits[1] < 0.8 * bits[0]


def logistic_l1() -> tuple[Logistic, Tensor]:
    """A sparse logistic regression on four workers, and scikit-learn's minimiser."""
    problem = synthetic(4, 100, 10, L2(0.0), seed=3)
    rows = problem.rows.flatten(0, 1).numpy()
    labels = np.resize([1.0, -1.0], len(rows))  # p = y a holds for any choice of the signs y
    model = LogisticRegression(
        l1_ratio=1.0, C=1 / (len(rows) * L1), fit_intercept=False, tol=1e-12, solver="saga",
        max_iter=100_000, random_state=0,
    )  # fmt: skip
    model.fit(rows * labels[:, None], labels)
    return problem, torch.from_numpy(model.coef_[0])


@pytest.mark.parametrize("delayed", [True, False], ids=["delayed-proximal", "coordinate-prox"])
def test_logistic_l1_against_scikit_learn(delayed: bool) -> None:
    problem, expected = logistic_l1()
    c, shrink, steps = problem.constants(), SoftThreshold(L1), 1000
    assert c.L is not None and c.L_max is not None
    blockwise = DelayedProximal(ConstantStep(0.5 / c.L), 3, 1, shrink, KKTFilter(L1, rho=0.95))
    masked = CoordinateProx(
        ConstantStep(1 / c.L_max), steps, TIMES, Selection(0.5, support=True), shrink, replicas=1
    )
    x = models(blockwise if delayed else masked, problem, steps)[-1, 0]
    assert 0 < int((expected != 0).sum()) < 10
    torch.testing.assert_close(x, expected, rtol=0, atol=1e-8)


def test_sparse_linear_constants_and_gradients() -> None:
    problem = SparseLinear.overlapping(3, 40, 10, 4)
    for verdict in check_problem(problem, seed=2):
        assert verdict.outcome is not Outcome.REFUTED, str(verdict)
    x = torch.linspace(-1, 1, 10, dtype=torch.float64)
    draws = Key.seed(0).draws(torch.zeros(1, dtype=torch.int64), torch.arange(3))
    g = problem.gradient(x.expand(1, 3, 10), draws)
    picked = draws.integers(40, 1)[0, :, 0]
    for i, s in enumerate(picked.tolist()):
        a = torch.zeros(10, dtype=torch.float64)
        a[problem.supports[s]] = problem.values[s]
        torch.testing.assert_close(g[0, i], (a @ x - problem.targets[s]) * a)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Downpour(STEP, TICKS, TIMES, n_push=0), "n_push must be at least 1"),
        (lambda: Hogwild(STEP, TICKS, TIMES, spread=1.5), "spread must lie in"),
        (lambda: Hogwild(STEP, 0, TIMES), "ticks must be at least 1"),
        (lambda: DelayedProximal(STEP, tau=-1), "tau must be at least 0"),
        (lambda: KKTFilter(0.1, rho=1.0), "rho must lie in"),
        (lambda: Selection(0.0), "q must lie in"),
        (lambda: DiagonalCompensation(-1.0), "lam must be at least 0"),
        (lambda: SparseLinear.overlapping(2, 8, 4, 5), "support must be in"),
        (lambda: models(DelayedProximal(STEP, 9), uneven(), 1), "blocks must be at most d"),
    ],
)
def test_bad_parameters_are_named(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


_LOST = LostWorker(TIMES, worker=2, after=3)


@pytest.mark.parametrize(
    "method",
    [
        Downpour(STEP, 400, _LOST, 2, 2),
        Hogwild(STEP, 400, _LOST),
        CoordinateProx(STEP, 400, _LOST, Selection(0.5)),
    ],
    ids=["Downpour", "Hogwild", "coordinate prox"],
)
def test_others_go_on_when_a_worker_dies(method: Method[Any]) -> None:
    x = models(method, uneven(), 400)[:, 0]
    assert bool(torch.isfinite(x).all())
    assert (x[-1] - x[-40]).abs().max() > 0


def test_aasgd_forgets_the_noise_and_asp_does_not() -> None:
    """Linear convergence with sampling noise, delays and blocks: variance reduction works."""
    problem = synthetic(4, 50, 8, L2(0.02), batch=1, seed=2)
    step, ticks = ConstantStep(1.0), 4000
    aasgd = AsyLPG(step, ticks, TIMES, 20, BlockSampling(4), Identity(), 0.2, replicas=4)
    plain = ParameterServer(step, ticks, TIMES, replicas=4)
    assert problem.f_star is not None
    gaps = [problem.value(models(m, problem, ticks, replicas=4)) - problem.f_star
            for m in (aasgd, plain)]  # fmt: skip
    assert gaps[0][-1].max() < 1e-9 < 1e-4 < gaps[1][-1].mean()


def test_three_gradients_an_update() -> None:
    partial = ParameterServer(STEP, 50, TIMES, PartialBarrier(3, 50))
    arrivals = partial.schedule(8).arrivals
    assert arrivals.shape[-1] == 3 and bool((arrivals < 8).all())


def test_claims_of_the_lossless_list() -> None:
    for verdict in check_compressor(NonZero(), d=64):
        assert verdict.outcome is not Outcome.REFUTED, str(verdict)
