"""Every plain numpy loop does what its row does.

Where a worker has one sample its gradient is not random, and the loop's model must be the run's to
rounding; operators that draw are compared by the law of the model that many runs end with.
"""

from collections import defaultdict

import numpy as np
import pytest
import torch

from algorithms.catalogue import problem, row
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2, BoundedNonconvex
from benchmarks.jobs import GAMMA
from benchmarks.programs.loops import events, gossip, reading, server
from benchmarks.programs.loops.table import LOOPS
from theory.stepsizes import ConstantStep

STEPS, DRAWS = 37, 4000
RANDOM = ("qsgd", "diana")
FED = ("asp", "ad-psgd", "powersgd", "choco-sgd")  # by hand below, with what they draw or are told
READ = ("quadratic-sc", "quadratic-unequal", "nonconvex-digits-dirichlet", "logreg-breast-cancer",
        "least-squares-rising", "mlp-digits")  # fmt: skip


def certain(n=4, d=12):
    """One sample a worker: whatever is drawn, the minibatch is that sample."""
    return synthetic(n, 1, d, L2(1e-2), batch=3)


def objective(problem):
    return reading.objective(problem, GAMMA)


def method_of(key, problem, steps=STEPS):
    return row(key).ready().build(ConstantStep(GAMMA), problem, steps)


def ended(key, problem, replicas=1):
    return run(method_of(key, problem), problem, steps=STEPS, points=2, replicas=replicas).model


def close(found, wanted):
    torch.testing.assert_close(torch.from_numpy(found), wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("key", [key for key in LOOPS if key not in (*RANDOM, *FED)])
def test_a_loop_follows_the_row_where_nothing_is_drawn(key):
    work = certain()
    found = LOOPS[key](objective(work), STEPS, np.random.default_rng(0))
    close(found, ended(key, work)[0])


def test_choco_with_the_rows_consensus_step():
    work = certain()
    step = method_of("choco-sgd", work).consensus_step
    found = gossip.choco(objective(work), STEPS, np.random.default_rng(0), step)
    close(found, ended("choco-sgd", work)[0])


@pytest.mark.parametrize("name", ["flat", "mlp-digits"])
def test_powersgd_from_the_rows_first_factors(name):
    work = certain() if name == "flat" else problem(name, 4)
    if name != "flat":
        one = {"features": work.features[:, :1], "labels": work.labels[:, :1]}
        work = type(work)("one sample", **one, batch=1)
    method = method_of("powersgd", work)
    context = RunContext(work, Simulated(4), Key.seed(0), torch.arange(1))
    first = [q[0, 0, :, 0].numpy() for q in method.start(method.blocks(work), context, 0)]
    found = server.powersgd(objective(work), STEPS, np.random.default_rng(0), first)
    torch.testing.assert_close(
        torch.from_numpy(found), ended("powersgd", work)[0], rtol=1e-6, atol=1e-8
    )


def waits_of(method, n):
    """Each worker's gradients as long as they take on the method's schedule."""
    plan = method.schedule(n).for_replicas(torch.arange(1))
    times = defaultdict(list)
    for i, at in zip(plan.arrivals[:, 0, 0].tolist(), plan.seconds[:, 0].tolist(), strict=True):
        times[i].append(at)
    each = {i: iter(np.diff(own, prepend=0.0)) for i, own in times.items()}
    return lambda i: next(each.get(i, iter(())), np.inf)


def test_asp_by_the_rows_schedule():
    work = certain()
    wait = waits_of(method_of("asp", work), 4)
    found = events.asp(objective(work), STEPS, np.random.default_rng(0), wait)
    close(found, ended("asp", work)[0])


def test_ad_psgd_by_the_rows_schedule_and_partners():
    work = certain()
    method = method_of("ad-psgd", work)
    context = RunContext(work, Simulated(4), Key.seed(0), torch.arange(1))
    ticks = iter(range(STEPS))

    def partner(i):
        return int(method.called(torch.tensor([[i]]), next(ticks), context))

    found = events.ad_psgd(
        objective(work), STEPS, np.random.default_rng(0), waits_of(method, 4), partner
    )
    close(found, ended("ad-psgd", work)[0])


def test_events_take_as_long_as_the_rows():
    """Waits have the law of the row's, by mean and least."""
    work = certain()
    method = method_of("asp", work)
    drawn = method.times.seconds(Key.seed(0).draws(torch.tensor(0), torch.arange(4)), DRAWS)
    mine = events._waits(objective(work), np.random.default_rng(0))
    waits = np.array([mine(0) for _ in range(4 * DRAWS)])
    error = 5 * events.REST * (2 / waits.size) ** 0.5
    assert abs(waits.mean() - float(drawn.mean())) < error
    assert waits.min() == pytest.approx(float(drawn.min()), abs=1e-6)


@pytest.mark.parametrize("key", RANDOM)
def test_a_loop_that_draws_ends_as_the_row_does(key):
    """Mean and mean square of every coordinate, within five standard errors of 800 runs."""
    work = certain(3, 12)
    rows = ended(key, work, replicas=400).numpy()
    data = objective(work)
    mine = np.array([LOOPS[key](data, STEPS, np.random.default_rng(s)) for s in range(400)])
    for power in (1, 2):
        a, b = (values - rows.mean(0) for values in (rows, mine))
        a, b = a**power, b**power
        error = np.sqrt((a.var(0) + b.var(0)) / 400)
        assert (np.abs(a.mean(0) - b.mean(0)) < 5 * error).all()


@pytest.mark.parametrize("name", READ)
def test_gradients_are_those_of_the_problem(name):
    """Exact ones to rounding; stochastic ones, of one batch or four, in the mean, and in their
    squared distance."""
    work = problem(name, 8)
    data, rng = objective(work), np.random.default_rng(0)
    x = work.start() + 0.1 * torch.from_numpy(rng.standard_normal(work.d)).to(work.dtype)
    wanted, noise = work.all_gradients(x).numpy(), work.noise(x).numpy()
    for i, times in ((0, 1), (5, 4)):
        full = data.full_gradient(i, x.numpy())
        np.testing.assert_allclose(full, wanted[i], rtol=1e-9, atol=1e-12)
        apart = np.array([data.gradient(i, x.numpy(), rng, times) - full for _ in range(DRAWS)])
        squares = (apart**2).sum(1)
        assert abs(squares.mean() - noise[i] / times) <= 6 * squares.std() / DRAWS**0.5 + 1e-12
        assert (np.abs(apart.mean(0)) <= 6 * apart.std(0) / DRAWS**0.5 + 1e-12).all()


@pytest.mark.parametrize("name", READ[:5])
@pytest.mark.parametrize("weight", [0.3, 20.0])
def test_local_solves_are_those_of_the_problem(name, weight):
    work = problem(name, 8)
    rng, who = np.random.default_rng(0), torch.tensor([3])
    v = work.start() + 0.1 * torch.from_numpy(rng.standard_normal(work.d))
    pull = torch.tensor([weight], dtype=work.dtype)
    wanted = work.proximal_point(v[None], pull, who, work.start()[None])
    found = objective(work).proximal(3, v.numpy(), weight, work.start().numpy())
    np.testing.assert_allclose(found, wanted[0].numpy(), rtol=1e-7, atol=1e-10)


def test_local_solves_with_fewer_samples_than_parameters():
    work = synthetic(2, 5, 12, L2(1e-2), batch=3)
    v = torch.linspace(-1, 1, 12, dtype=torch.float64)
    pull, who = torch.tensor([2.0], dtype=torch.float64), torch.tensor([1])
    wanted = work.proximal_point(v[None], pull, who, v[None])
    found = objective(work).proximal(1, v.numpy(), 2.0, v.numpy())
    np.testing.assert_allclose(found, wanted[0].numpy(), rtol=1e-9, atol=1e-11)


def test_a_bounded_penalty_is_read():
    rows = torch.ones((2, 3, 4), dtype=torch.float64)
    work = Logistic("bounded", rows, BoundedNonconvex(0.5), 2)
    x = torch.linspace(-2, 1, 4, dtype=torch.float64)
    found = objective(work).full_gradient(1, x.numpy())
    np.testing.assert_allclose(found, work.all_gradients(x)[1].numpy(), rtol=1e-12)


def test_kinds_that_no_loop_knows():
    assert objective(problem("sparse-linear", 4)) is None


def test_loops_are_of_every_family():
    families = {row(key).family for key in LOOPS}
    assert len(LOOPS) >= 12
    assert families == {"synchronisation", "local updates", "large batch", "gossip",
                        "quantisation", "sparsification", "decomposition", "auxiliary"}  # fmt: skip
