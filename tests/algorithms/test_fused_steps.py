"""Blocks of steps in one call are the composed path: models, series and ledger, bit for bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import run as run_module
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.faults import Faults
from algorithms.fused_steps import fused_steps
from algorithms.key import Key
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import World
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.network.simulated import Simulated
from algorithms.optimizers.outer import BlockMomentum
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2, BoundedNonconvex
from algorithms.run import Diverged, run
from algorithms.synchronisation.compute_times import Constant, Pareto
from algorithms.synchronisation.conditions import LostWorker
from algorithms.synchronisation.stopwatch import STANDARD, Timing
from algorithms.synchronisation.worker_states import WorkerLost
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep, InverseTimeStep

TRACED = (
    "suboptimality", "squared_gradient", "average_squared_gradient", "consensus",
    "weighted_suboptimality", "sent_bits", "received_bits", "messages", "seconds", "gradients",
)  # fmt: skip


def composed(monkeypatch, method, problem, **options):
    """The run through the method's own steps alone."""
    with monkeypatch.context() as patch:
        patch.setattr(run_module, "fused_steps", lambda *_: None)
        return run(method, problem, **options)


def assert_equal(one, other):
    np.testing.assert_array_equal(one.rows.numpy(), other.rows.numpy())
    assert all(torch.equal(a, b) for a, b in zip(one.account, other.account, strict=True))
    for name in TRACED:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


METHODS = (
    lambda n, step, period: BSP(step),
    lambda n, step, period: LocalSGD(step, period),
    lambda n, step, period: LocalSGD(step, period, outer=BlockMomentum(0.5, 1.0)),
    lambda n, step, period: DPSGD(step, Ring(n)),
    lambda n, step, period: DPSGD(step, Star(n)),
    lambda n, step, period: BSP(step, QSGD(period)),
    lambda n, step, period: BSP(step, TopK(0.3), ErrorFeedback()),
    lambda n, step, period: ChocoSGD(step, Ring(n), TopK(0.3), 0.5),
)


UNLIKE = Timing(Pareto(1e-3, 1.5), AlphaBeta(1e-4, 1e-8))
"""Gradients of very unlike times, and messages whose length counts."""

JOBS = {
    "n": st.integers(1, 6), "samples": st.integers(1, 9), "d": st.integers(1, 70),
    "batch": st.integers(1, 19), "replicas": st.integers(1, 3), "seed": st.integers(0, 9),
    "period": st.integers(1, 4), "dtype": st.sampled_from([torch.float32, torch.float64]),
}  # fmt: skip
"""Small jobs, of which some have one worker, one sample or one coordinate."""


@pytest.mark.parametrize("made", METHODS)
@settings(max_examples=12, deadline=None)
@given(
    **JOBS,
    watch=st.sampled_from(
        [{}, {"every": 3}, {"weight": lambda t: 1.0 + t}, {"timing": STANDARD}, {"timing": UNLIKE}]
    ),
)  # fmt: skip
def test_the_same_bits_and_bills(made, n, samples, d, batch, replicas, seed, period, dtype, watch):
    problem = synthetic(n, samples, d, L2(0.01), batch=batch, dtype=dtype)
    method = made(n, InverseTimeStep(2.0, 3.0), period)
    options = {"steps": 11, "points": 4, "replicas": replicas, "seed": seed, **watch}
    with pytest.MonkeyPatch.context() as patch:
        assert_equal(run(method, problem, **options), composed(patch, method, problem, **options))


@pytest.mark.parametrize("made", METHODS)
@pytest.mark.parametrize("timing", [None, STANDARD])
def test_a_run_that_diverges_says_the_same(made, timing, monkeypatch):
    problem = synthetic(3, 5, 4, L2(10.0), batch=2, dtype=torch.float32)
    method = made(3, ConstantStep(1e6), 3)
    ends_alike(monkeypatch, Diverged, method, problem, steps=60, points=3, timing=timing)


@pytest.mark.parametrize("made", METHODS)
def test_a_run_that_waits_for_ever_says_the_same(made, monkeypatch):
    """The worker dies within a block."""
    problem = synthetic(3, 5, 4, L2(0.1), batch=2, dtype=torch.float32)
    method = made(3, ConstantStep(0.1), 3)
    dies = Timing(LostWorker(Constant(1.0), 1, 23))
    ends_alike(monkeypatch, WorkerLost, method, problem, steps=60, points=3, timing=dies)


def ends_alike(monkeypatch, error, method, problem, **options):
    """Both ways raise ``error``, in the same words and with the same trace."""
    told = []
    for taken in (run, lambda *a, **o: composed(monkeypatch, *a, **o)):
        with pytest.raises(error) as raised:
            taken(method, problem, **options)
        told.append((str(raised.value), raised.value.trace))
    assert told[0][0] == told[1][0]
    assert_equal(told[0][1], told[1][1])


def test_it_is_chosen_where_all_is_plain_and_nowhere_else():
    step, key, one = ConstantStep(0.1), Key.seed(0), torch.zeros(1, dtype=torch.int64)
    plain = synthetic(4, 5, 3, L2(0.1), batch=2)
    other = synthetic(4, 5, 3, BoundedNonconvex(0.1), batch=2)
    for method in (made(4, step, 2) for made in METHODS):
        assert fused_steps(method, World(plain, Simulated(4), key, one))
        assert not fused_steps(method, World(other, Simulated(4), key, one))
        faulty = World(plain, Simulated(4), key, one, Faults(1, 2))
        assert not fused_steps(method, faulty)


def test_a_subclass_takes_its_own_steps():
    """Somebody's method or problem that is made of ours may do something else."""
    step, key, one = ConstantStep(0.1), Key.seed(0), torch.zeros(1, dtype=torch.int64)
    plain = synthetic(4, 5, 3, L2(0.1), batch=2)
    for method in (made(4, step, 2) for made in METHODS):
        kind = type(method)
        fields = {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}
        mine = type(f"My{kind.__name__}", (kind,), {})(**fields)
        assert not fused_steps(mine, World(plain, Simulated(4), key, one))
