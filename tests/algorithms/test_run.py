"""run: records, replicas, errors that keep what is finished."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from algorithms.catalogue import PROBLEMS, row
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.warm_up import WarmUp
from algorithms.engine import run as run_module
from algorithms.engine.run import Diverged, run
from algorithms.engine.trace import Trace, record_steps
from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.base import NonFiniteGradient
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.stopwatch import STANDARD
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.ring import Ring
from tests.algorithms.pipeline.both_ways import OneByOne
from theory.stepsizes import ConstantStep, InverseTimeStep

STEP = ConstantStep(0.1)
PROBLEM = Quadratic.strongly_convex(4, 6, zeta2=1.0)


def test_a_replica_does_not_depend_on_how_many_run_beside_it():
    many = run(BSP(STEP, QSGD(2)), PROBLEM, steps=30, replicas=8, seed=5)
    one = run(BSP(STEP, QSGD(2)), PROBLEM, steps=30, replicas=1, seed=5)
    assert torch.equal(many.model[:1], one.model)
    assert not torch.equal(many.model[0], many.model[1])


def test_seeds_repeat_and_differ():
    one, again, other = (run(BSP(STEP), PROBLEM, steps=9, seed=s).model for s in (1, 1, 2))
    assert torch.equal(one, again) and not torch.equal(one, other)


def test_average_squared_gradient_is_over_the_steps_before():
    trace = run(BSP(STEP), PROBLEM, steps=20, replicas=3, every=1, points=21)
    expected = np.stack([trace.squared_gradient[:, :t].mean(1) for t in range(1, 21)], axis=1)
    np.testing.assert_allclose(trace.average_squared_gradient[:, 1:], expected, rtol=1e-12)


def test_weighted_average_is_over_the_models_before():
    """With a decreasing weight on noiseless gradient descent, against a plain loop."""
    problem = Quadratic.strongly_convex(2, 4, sigma2=0.0)
    trace = run(BSP(STEP), problem, steps=5, weight=lambda t: (t + 3.0) ** 2, points=6)
    x, total, mass = problem.start(), torch.zeros(4, dtype=torch.float64), 0.0
    for t in range(5):
        total, mass = total + (t + 3) ** 2 * x, mass + (t + 3) ** 2
        x = x - 0.1 * problem.mean_gradient(x)
    expected = float(problem.value(total / mass)) - problem.f_star
    assert trace.weighted_suboptimality[0, -1] == pytest.approx(expected, rel=1e-12)


def test_record_steps_start_and_end():
    grid = record_steps(10_000, 50)
    assert grid[0] == 0 and grid[-1] == 10_000 and len(grid) <= 50 and (np.diff(grid) > 0).all()
    assert record_steps(5, 200).tolist() == [0, 1, 2, 3, 4, 5]
    assert record_steps(900, 2).tolist() == [0, 900]


def test_divergence_keeps_what_was_finished():
    with pytest.raises(Diverged, match="a smaller stepsize would do") as caught:
        run(BSP(ConstantStep(1e30)), PROBLEM, steps=200)
    trace = caught.value.trace
    assert trace.steps[0] == 0 and len(trace.steps) > 2
    assert np.isfinite(trace.suboptimality[:, 0]).all()


def test_nan_gradient_names_step_replica_and_row():
    bad = replace(PROBLEM, sigma2=1.0)
    broken = bad.c.clone()
    object.__setattr__(bad, "c", broken)
    broken[2, 0] = float("nan")
    with pytest.raises(Diverged) as caught:
        run(BSP(STEP), bad, steps=3, replicas=2)
    assert isinstance(caught.value.__cause__, NonFiniteGradient)
    assert "gradient of worker 2 at step 0" in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 0}, r"steps must be at least 1, got steps=0"),
        ({"steps": 1, "replicas": 0}, r"replicas must be at least 1, got replicas=0"),
        ({"steps": 1, "points": 1}, r"points must be at least 2, got points=1"),
        ({"steps": 1, "every": -1}, r"every must be at least 0, got every=-1"),
        ({"steps": 1, "network": Simulated(3)}, r"network has n=3 workers, problem .* has n=4"),
        ({"steps": 1, "x0": torch.zeros(2)}, r"x0 must have shape \[6\], got \[2\]"),
        ({"steps": 1, "x0": torch.full((6,), torch.nan)}, r"x0 must be finite, got x0\[0\] = nan"),
    ],
)
def test_arguments_out_of_range_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        run(BSP(STEP), PROBLEM, **arguments)


def test_methods_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="period must be at least 1 local step, got period=0"):
        LocalSGD(STEP, 0)
    with pytest.raises(ValueError, match=r"consensus_step must lie in \(0, 1\]"):
        ChocoSGD(STEP, Ring(4), QSGD(1), 1.5)
    with pytest.raises(ValueError, match="CHOCO needs a static topology"):
        ChocoSGD(STEP, OnePeerExponential(4), QSGD(1), 0.5)
    with pytest.raises(ValueError, match="has n=8 nodes, the network n=4 workers"):
        run(DPSGD(STEP, Ring(8)), PROBLEM, steps=1)
    with pytest.raises(ValueError, match="ticks must be at least 1, got ticks=0"):
        ParameterServer(STEP, 0, Constant())
    with pytest.raises(ValueError, match="beyond the schedule of ticks=2 updates"):
        run(ParameterServer(STEP, 2, Constant()), PROBLEM, steps=3)
    with pytest.raises(ValueError, match="drawn for replicas=2 replicas, got replica ids up to 3"):
        run(ParameterServer(STEP, 5, Exponential(), replicas=2), PROBLEM, steps=3, replicas=4)


def test_one_worker_runs_everywhere():
    alone = Quadratic.strongly_convex(1, 3)
    asp = ParameterServer(STEP, 9, Constant())
    for method in (BSP(STEP), LocalSGD(STEP, 2), DPSGD(STEP, Ring(1)), asp):
        assert np.isfinite(run(method, alone, steps=9).suboptimality).all()


def test_asp_with_one_worker_is_sgd():
    """No delay, the same draws: bit for bit the BSP run of one worker."""
    alone = Quadratic.strongly_convex(1, 3)
    assert torch.equal(
        run(ParameterServer(STEP, 20, Constant()), alone, steps=20).model,
        run(BSP(STEP), alone, steps=20).model,
    )


def test_local_sgd_of_period_one_is_bsp():
    rule = InverseTimeStep(1.0, 10.0)
    one = run(LocalSGD(rule, 1), PROBLEM, steps=20).model
    assert torch.allclose(one, run(BSP(rule), PROBLEM, steps=20).model, rtol=1e-12, atol=1e-14)


def test_mean_model_of_d_psgd_is_that_of_bsp_on_one_hessian():
    """W doubly stochastic and one Hessian: the mean model of D-PSGD is BSP's."""
    mean = run(DPSGD(STEP, Ring(4)), PROBLEM, steps=50, replicas=2).model
    bsp = run(BSP(STEP), PROBLEM, steps=50, replicas=2).model
    assert torch.allclose(mean, bsp, rtol=1e-11, atol=1e-12)


def test_a_message_out_of_range_ends_a_run_as_divergence_with_its_trace():
    problem = Quadratic.strongly_convex(6, 20)
    method = DCDPSGD(ConstantStep(0.05), Ring(6), RandK(1))
    with pytest.raises(Diverged, match=r"needs finite x|beyond the range|not finite") as told:
        run(method, problem, steps=4000, points=50)
    trace = told.value.trace
    assert len(trace.steps) > 2 and np.isfinite(trace.suboptimality[:, 0]).all()


def test_the_workers_mean_value_is_that_of_their_models() -> None:
    """(1/n) sum f(x_i) - f* is f of the mean model plus what the workers' spread costs, exactly
    a spread/2 for f = a ||x||^2 / 2; it is recorded when it is asked for."""
    a = torch.full((4, 3), 0.5, dtype=torch.float64)
    b = torch.arange(12, dtype=torch.float64).reshape(4, 3)
    objective = Quadratic.from_arrays(a, b)
    method = row("local-sgd").tune(objective, 7, ConstantStep(0.3)).method
    trace = run(method, objective, steps=7, of_workers=True)
    expected = trace.suboptimality + 0.25 * trace.consensus
    assert trace.consensus[0, -1] > 0.1
    assert np.allclose(trace.workers_suboptimality, expected, rtol=1e-12)
    assert np.isnan(run(method, objective, steps=7).workers_suboptimality).all()


NOISELESS = next(entry for entry in PROBLEMS if entry.name == "least-squares-rising").build(4)


@pytest.mark.parametrize(
    "method, alike",
    [
        (BSP(STEP), True),
        (GraphADMM(ConstantStep(0.5), Ring(4)), True),
        (GraphADMM(ConstantStep(0.5), Ring(4), coloured=False), True),
        (BSP(STEP, RandK(2)), False),
        (BSP(STEP, WarmUp((Identity(), RandK(2)), 6)), False),
        (ParameterServer(STEP, 12, Exponential(1.0)), False),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_one_replica_is_computed_for_all_where_they_are_alike(monkeypatch, method, alike):
    """Else the run has all of them, whoever drew, and whenever; a network that is given is played
    on with all replicas."""
    seen: list[int] = []
    step = type(method).step

    def watched(self, state, t, context):
        seen.append(context.replicas.numel())
        return step(self, state, t, context)

    monkeypatch.setattr(type(method), "step", watched)
    monkeypatch.setattr(run_module, "Blocks", OneByOne)
    told = {"steps": 12, "seed": 3, "replicas": 5, "timing": STANDARD, "every": 1}
    one = run(method, NOISELESS, **told)
    assert seen[-1] == (1 if alike else 5)
    every = run(method, NOISELESS, **told, network=Simulated(4))
    assert seen[-1] == 5
    monkeypatch.undo()
    in_blocks = run(method, NOISELESS, **told)
    assert torch.equal(in_blocks.rows, one.rows)
    for field in fields(Trace):
        left, right = getattr(one, field.name), getattr(every, field.name)
        if field.name == "account":
            assert all(map(torch.equal, left, right))
        elif isinstance(left, np.ndarray | torch.Tensor) and field.name != "wall_seconds":
            assert left.shape == right.shape
            np.testing.assert_allclose(np.asarray(left), np.asarray(right), rtol=1e-12, atol=1e-15)
    spread = every.model.std(0).max() > 0
    assert bool(spread) != alike
