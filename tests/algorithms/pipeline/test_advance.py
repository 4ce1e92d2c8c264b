"""When a run's steps are taken in blocks, and how blocks end: errors, lost workers, threads."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest
import torch

from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.compressors.warm_up import WarmUp
from algorithms.core.faults import Faults
from algorithms.core.key import Key
from algorithms.engine import trace as trace_module
from algorithms.engine.run import Diverged, run
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.network.phases import PhaseClock
from algorithms.network.simulated import Simulated
from algorithms.optimizers.outer import BlockMomentum
from algorithms.pipeline import advance
from algorithms.pipeline.advance import Blocks
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.synchronisation.compute_times import Constant, Pareto
from algorithms.synchronisation.conditions import LostWorker
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.synchronisation.worker_states import WorkerLost
from tests.algorithms.pipeline.both_ways import assert_equal, assert_same, composed, noted, threads
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

METHODS = {
    "BSP": lambda step: BSP(step),
    "QSGD": lambda step: BSP(step, QSGD(2)),
    "feedback": lambda step: BSP(step, TopK(0.3), ErrorFeedback()),
    "both ways": lambda step: BSP(
        step, QSGD(2), ErrorFeedback(), TopK(0.5), server_memory=ErrorFeedback()
    ),
    "local": lambda step: LocalSGD(step, 3),
    "outer": lambda step: LocalSGD(step, 3, outer=BlockMomentum(0.5, 1.0)),
    "increments": lambda step: LocalSGD(step, 3, compressor=QSGD(2), memory=ErrorFeedback()),
}
every_method = pytest.mark.parametrize("made", METHODS.values(), ids=METHODS)


@every_method
@pytest.mark.parametrize("timing", [None, STANDARD])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("replicas", [1, 3])
def test_a_run_that_diverges_says_the_same(made, timing, count, replicas):
    problem = synthetic(3, 5, 4, L2(10.0), batch=2, dtype=torch.float32)
    with threads(count):
        with pytest.raises(Diverged):
            run(made(ConstantStep(1e6)), problem, steps=60, points=3, replicas=replicas)
        options = {"steps": 60, "points": 3, "replicas": replicas, "timing": timing}
        assert_same(made(ConstantStep(1e6)), problem, **options)


@every_method
def test_a_run_that_waits_for_ever_says_the_same(made):
    """The worker dies within a block."""
    problem = synthetic(3, 5, 4, L2(0.1), batch=2, dtype=torch.float32)
    options = {"steps": 60, "points": 3, "timing": Timing(LostWorker(Constant(1.0), 1, 23))}
    told = []
    for taken in (run, composed):
        with pytest.raises(WorkerLost) as raised:
            taken(made(ConstantStep(0.1)), problem, **options)
        told.append((str(raised.value), raised.value.trace))
    assert told[0][0] == told[1][0]
    assert_equal(told[0][1], told[1][1])


@every_method
def test_gradients_of_unlike_times_take_the_same_seconds(made):
    problem = synthetic(4, 5, 6, L2(0.1), batch=2)
    timing = Timing(Pareto(1e-3, 1.5), AlphaBeta(1e-4, 1e-8))
    taken = assert_same(
        made(ConstantStep(0.1)), problem, steps=40, points=5, replicas=2, timing=timing
    )
    assert taken == 40


def test_one_replica_that_diverges_alone_stops_all_at_its_step():
    """Replicas are shared out: the share that is finite goes back to the step of the other."""
    problem = synthetic(2, 3, 2, L2(2.3), batch=1, dtype=torch.float32)
    method = BSP(ConstantStep(1.0))  # x grows by a third in a step: replicas overflow steps apart
    with threads(2), pytest.raises(Diverged):
        run(method, problem, steps=900, points=3, replicas=8)
    with threads(2):
        assert assert_same(method, problem, steps=900, points=3, replicas=8) > 100


def test_an_operator_that_changes_ends_a_block():
    problem = synthetic(3, 9, 40, L2(0.1), batch=2)
    method = BSP(ConstantStep(0.1), WarmUp((TopK(0.5), TopK(0.2), TopK(0.05)), 4), ErrorFeedback())
    assert assert_same(method, problem, steps=30, points=2) == 30


def test_blocks_are_taken_where_nothing_else_takes_part():
    problem, method = synthetic(4, 5, 3, L2(0.1), batch=2), BSP(ConstantStep(0.1))
    key, one = Key.seed(0), torch.zeros(1, dtype=torch.int64)

    def possible(**changed):
        place = {"problem": problem, "network": Simulated(4), "key": key, "replicas": one}
        context = RunContext(**(place | changed))
        return Blocks(method, context).advance(method.init(problem.start(), context), 0, 5)[1]

    measured = Simulated(4)
    measured.phases = PhaseClock(torch.device("cpu"))
    assert possible() == 5
    assert possible(faults=Faults(1, 2)) == 0
    assert possible(network=measured) == 0


def test_a_subclass_takes_its_own_steps():
    """Somebody's method or operator that is made of ours may do something else."""
    step, problem = ConstantStep(0.1), synthetic(4, 5, 3, L2(0.1), batch=2)
    for made in METHODS.values():
        method = made(step)
        kind = type(method)
        fields = {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}
        mine = type(f"My{kind.__name__}", (kind,), {})(**fields)
        assert assert_same(mine, problem, steps=6) == 0
    mine = type("MyQSGD", (QSGD,), {})(2)
    assert assert_same(BSP(step, mine), problem, steps=6) == 0


@every_method
@pytest.mark.parametrize("observed", [{"every": 1}, {"every": 3}, {"weight": lambda t: t + 1.5}])
@pytest.mark.parametrize("timing", [None, STANDARD])
def test_an_observer_of_every_step_ends_no_block(made, observed, timing, monkeypatch):
    problem, calls = synthetic(3, 5, 4, L2(0.1), batch=2), []
    advanced = Blocks.advance

    def counted(blocks, state, t, *given):
        calls.append(t)
        return advanced(blocks, state, t, *given)

    monkeypatch.setattr(Blocks, "advance", counted)
    options = {"steps": 60, "points": 3, "replicas": 2, "timing": timing, **observed}
    assert assert_same(made(ConstantStep(0.1)), problem, **options) == 60
    assert set(calls) == {0, 1}  # from one record to the next


def test_a_model_of_many_numbers_is_looked_at_once_a_block(monkeypatch):
    """No more than one mean model may be kept: blocks reach to the look after the next."""
    problem, calls = synthetic(3, 5, 4, L2(0.1), batch=2), []
    advanced = Blocks.advance

    def counted(blocks, state, t, *given):
        calls.append(t)
        return advanced(blocks, state, t, *given)

    monkeypatch.setattr(Blocks, "advance", counted)
    monkeypatch.setattr(advance, "_MOST_NUMBERS", 1)
    options = {"steps": 61, "points": 3, "replicas": 2, "every": 10}
    assert assert_same(BSP(ConstantStep(0.1)), problem, **options) == 61
    assert set(calls) == {0, 1, 20, 40, 60}


@every_method
def test_an_observer_sees_a_run_that_diverges_up_to_its_last_step(made):
    problem = synthetic(3, 5, 4, L2(10.0), batch=2, dtype=torch.float32)
    options = {"steps": 60, "points": 3, "replicas": 2, "every": 1, "weight": lambda t: t + 1.5}
    assert_same(made(ConstantStep(1e6)), problem, **options)


@every_method
def test_an_observer_sees_a_run_that_waits_for_ever_up_to_its_last_step(made):
    problem = synthetic(3, 5, 4, L2(0.1), batch=2, dtype=torch.float32)
    timing = Timing(LostWorker(Constant(1.0), 1, 23))
    traces = []
    for taken in (run, composed):
        with pytest.raises(WorkerLost) as raised:
            taken(made(ConstantStep(0.1)), problem, steps=60, points=30, every=1, timing=timing)
        traces.append(raised.value.trace)
    assert_equal(*traces)


EVERY = 61
"""Points of a run of 60 steps that is recorded at each."""


@every_method
@pytest.mark.parametrize("timing", [None, STANDARD])
@pytest.mark.parametrize("replicas", [1, 3])
def test_records_end_no_block(made, timing, replicas, monkeypatch):
    problem, calls = synthetic(3, 5, 4, L2(0.1), batch=2), []
    advanced = Blocks.advance

    def counted(blocks, state, t, *given):
        calls.append(t)
        return advanced(blocks, state, t, *given)

    monkeypatch.setattr(Blocks, "advance", counted)
    options = {"points": EVERY, "replicas": replicas, "timing": timing}
    assert assert_same(made(ConstantStep(0.1)), problem, steps=60, **options) == 60
    assert set(calls) == {0}


@every_method
def test_no_more_records_are_kept_than_there_is_room_for(made, monkeypatch):
    problem = synthetic(3, 5, 4, L2(0.1), batch=2)
    monkeypatch.setattr(advance, "_MOST_NUMBERS", 5 * 3 * 4 * 2)
    options = {"points": EVERY, "replicas": 2, "timing": STANDARD}
    assert assert_same(made(ConstantStep(0.1)), problem, steps=60, **options) == 60


@every_method
@pytest.mark.parametrize("timing", [None, STANDARD])
def test_a_recorded_run_that_diverges_says_the_same(made, timing):
    problem = synthetic(3, 5, 4, L2(10.0), batch=2, dtype=torch.float32)
    options = {"points": EVERY, "replicas": 2, "timing": timing}
    with pytest.raises(Diverged):
        run(made(ConstantStep(1e6)), problem, steps=60, **options)
    assert assert_same(made(ConstantStep(1e6)), problem, steps=60, **options) > 1


@every_method
def test_a_recorded_run_that_waits_for_ever_says_the_same(made):
    problem = synthetic(3, 5, 4, L2(0.1), batch=2, dtype=torch.float32)
    timing = Timing(LostWorker(Constant(1.0), 1, 23))
    traces = []
    for taken in (run, composed):
        with pytest.raises(WorkerLost) as raised:
            taken(made(ConstantStep(0.1)), problem, steps=60, points=EVERY, timing=timing)
        traces.append(raised.value.trace)
    assert_equal(*traces)


def test_a_mean_that_overflows_before_the_models_do_ends_the_run_there():
    """x doubles in every local step; the sum of four models leaves the range two steps before."""
    ones = torch.ones(4, 3, dtype=torch.float32)
    problem = Quadratic.from_arrays(ones, 0 * ones, x0=ones[0])
    method = LocalSGD(ConstantStep(3.0), 1000)  # x - 3 x = -2 x
    with pytest.raises(Diverged) as raised:
        run(method, problem, steps=200, points=201)
    assert raised.value.trace.steps[-1] == 126
    assert assert_same(method, problem, steps=200, points=201) == 126


@every_method
def test_measured_seconds_of_records_within_a_block_rise(made):
    problem = synthetic(3, 5, 4, L2(0.1), batch=2)
    begin = time.perf_counter()
    trace = run(made(ConstantStep(0.1)), problem, steps=60, points=EVERY)
    walls = [0.0, *trace.wall_seconds, time.perf_counter() - begin]
    assert walls == sorted(walls)


@every_method
@pytest.mark.parametrize("timing", [None, STANDARD])
@pytest.mark.parametrize("points", [7, EVERY])
@pytest.mark.parametrize("most", [1, 100, trace_module.MOST_NOTED])
def test_records_between_own_steps_are_made_together(made, timing, points, most, monkeypatch):
    monkeypatch.setattr(trace_module, "MOST_NOTED", most)
    problem = synthetic(3, 5, 4, L2(0.1), batch=2)
    options = {"steps": 60, "points": points, "replicas": 2, "timing": timing}
    method = made(ConstantStep(0.1))
    assert_equal(noted(method, problem, **options), composed(method, problem, **options))


def test_records_of_charges_to_chosen_workers_are_of_their_own_step():
    """An asynchronous server's ledger charges places."""
    problem = Quadratic.strongly_convex(4, 3)
    method = ParameterServer(ConstantStep(0.1), 60, STANDARD.round_trip(192, 192), replicas=2)
    options = {"steps": 60, "points": EVERY, "replicas": 2}
    one = composed(method, problem, **options)
    assert (np.diff(one.sent_bits) > 0).all()
    assert_equal(noted(method, problem, **options), one)
    assert_equal(run(method, problem, **options), one)


@every_method
def test_own_steps_that_diverge_say_the_same(made):
    problem = synthetic(3, 5, 4, L2(10.0), batch=2, dtype=torch.float32)
    options = {"steps": 60, "points": EVERY, "replicas": 2}
    ends = []
    for way in (noted, composed):
        with pytest.raises(Diverged) as raised:
            way(made(ConstantStep(1e6)), problem, **options)
        ends.append((str(raised.value), raised.value.trace))
    assert ends[0][0] == ends[1][0]
    assert_equal(ends[0][1], ends[1][1])
