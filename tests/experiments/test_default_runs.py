"""What a row does when nothing is set: each the method that its paper is about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import rateproof
from algorithms.catalogue import Tuned, problem, row
from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.methods.decomposition.gradiveq import GradiVeQ
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.parts.delay_compensation import (
    DiagonalCompensation,
    ExactHessian,
    NoCorrection,
)
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.base import Problem
from algorithms.sets.geometry import Euclidean
from algorithms.tuning.parameters import with_settings
from experiments.compare.inapplicable_theorems import uncovered
from experiments.compare.tuned_rows import Tuning, chosen
from tests.algorithms.pipeline.both_ways import composed
from theory.stepsizes import ConstantStep, PolynomialStep

_N, _STEPS = 16, 2000


def default(key: str, tuning: Tuning = Tuning.THEOREM) -> tuple[Tuned, Problem]:
    """The method and problem of ``rateproof run KEY``, or with another ``--tuning``."""
    built = problem(row(key).problems[0], _N)
    made = chosen(row(key), built, tuning, seed=0, steps=_STEPS)
    return made.tuned(built, _STEPS), built


def trace_of(key: str, *, points: int = 50) -> Trace:
    tuned, built = default(key)
    return run(tuned.method, built, steps=_STEPS, points=points)


def share_of_dense(trace: Trace, built: Problem) -> float:
    """Bits of a message over those of d numbers."""
    width = built.d * torch.finfo(built.dtype).bits
    return float(trace.sent_bits[0, -1] / trace.messages[0, -1] / width)


def test_coded_regression_is_exact_after_a_round():
    assert trace_of("coded-regression").suboptimality[0, 1] < 1e-20


def test_momentum_of_aasgd_shows():
    """Against no momentum at 1/16, its best power of two on this problem (1/8 diverges)."""
    tuned, built = default("aasgd")
    assert isinstance(tuned.method, AsyLPG)
    plain = replace(tuned.method, theta=1.0, step_rule=ConstantStep(1 / 16))
    ends = [
        float(run(one, built, steps=_STEPS, replicas=2, points=5).suboptimality[:, -1].mean())
        for one in (tuned.method, plain)
    ]
    assert ends[0] < 0.1 * ends[1]


def test_cmfl_skips_until_the_end():
    tuned, built = default("cmfl")
    assert isinstance(tuned.method, CMFL)
    trace = run(tuned.method, built, steps=_STEPS, points=_STEPS + 1)
    rounds = np.diff(trace.sent_bits[0, :: tuned.method.period])
    assert rounds[10:].max() < rounds[0]  # some worker stays silent in every round
    assert rounds[len(rounds) // 2 :].mean() < 0.75 * rounds[0]


def test_adacomms_period_decays_to_one():
    steps = np.nonzero(np.diff(trace_of("adacomm", points=_STEPS + 1).messages[0]))[0]
    assert steps[1] - steps[0] == 8
    assert set(np.diff(steps[len(steps) // 2 :])) == {1}


def test_cr_psgds_batch_grows_most_of_the_run():
    method = default("cr-psgd")[0].method
    assert isinstance(method, Batched)
    sizes = [method.batch(t) for t in range(_STEPS)]
    assert sizes == sorted(sizes) and sizes[0] == 1 and sizes[-1] == 64
    assert sizes.index(64) > 0.9 * _STEPS


@pytest.mark.parametrize(
    ("key", "most"),
    [("hogwild", 0.25), ("delayed-proximal", 0.25), ("async-coordinate-prox", 0.25)],
)
def test_messages_are_sparse(key, most):
    tuned, built = default(key)
    trace = run(tuned.method, built, steps=_STEPS, points=3)
    assert share_of_dense(trace, built) < most
    if key != "hogwild":
        assert (trace.model == 0).double().mean() > 0.8


def test_local_clipping_clips_some_gradients_only(monkeypatch):
    tuned, built = default("local-clipping")
    assert isinstance(tuned.method, BSP)
    shares, apply = [], type(tuned.method.transform).apply

    def noted(self, g, n):
        out = apply(self, g, n)
        shares.append((out != g).any(-1).double().mean().item())
        return out

    monkeypatch.setattr(type(tuned.method.transform), "apply", noted)
    composed(tuned.method, built, steps=_STEPS, points=3)  # blocks do not ask the transform
    assert 0.01 < float(np.mean(shares)) < 0.5


def test_dc_asgd_is_nearer_to_sequential_sgd_than_asp():
    """The paper's claim. On a quadratic the exact Hessian makes of ASP sequential SGD on the same
    draws; the compensation of 0.04 that the row had was as far from it as ASP."""
    tuned, built = default("dc-asgd")
    assert isinstance(tuned.method, ParameterServer)
    curves = [
        run(replace(tuned.method, correction=one), built, steps=_STEPS, replicas=4, points=50)
        for one in (
            ExactHessian(), NoCorrection(), tuned.method.correction, DiagonalCompensation(0.04)
        )
    ]  # fmt: skip
    sequential, asp, own, weak = (one.suboptimality for one in curves)
    far = np.abs(asp - sequential).mean()
    assert np.abs(own - sequential).mean() < 0.5 * far
    assert np.abs(weak - sequential).mean() > 0.9 * far


@pytest.mark.slow
def test_gradiveq_ends_where_full_gradients_do_for_two_fifths_of_the_bits():
    """On a network, as in the paper; about zero, as the row was, it ends at three times the loss,
    and with a tenth of the steps learnt from, twenty at a time, at more."""
    tuned, built = default("gradiveq")
    assert isinstance(tuned.method, GradiVeQ)
    full, own, *other = (
        run(one, built, steps=_STEPS, replicas=2, points=5)
        for one in (
            BSP(tuned.step), tuned.method, replace(tuned.method, centred=False),
            replace(tuned.method, learn=10, cycle=100),
        )
    )  # fmt: skip
    loss = float(full.suboptimality[:, -1].mean())
    assert float(own.suboptimality[:, -1].mean()) < 1.1 * loss < 0.01 * full.suboptimality[0, 0]
    assert own.sent_bits[0, -1] < 0.41 * full.sent_bits[0, -1]
    assert own.received_bits[0, -1] < 0.41 * full.received_bits[0, -1]
    assert all(float(one.suboptimality[:, -1].mean()) > 2 * loss for one in other)


def test_choco_gossip_agrees_and_its_theorems_run_is_beside():
    """A run without ``--tuning`` averages by the grid's consensus step, of which no bound speaks;
    the proven one hardly does, under its bound."""
    found = rateproof.run("choco-gossip", "consensus", replicas=1)
    assert found.proven is not None and found.theorem is None and found.bound is None
    ends = [
        float(one.trace.consensus[0, -1] / one.trace.consensus[0, 0])
        for one in (found.result, found.proven)
    ]
    assert ends[0] < 1e-20 < 1e-2 < ends[1]
    beside = found.curves().beside
    assert beside is not None and beside.bound is not None and (beside.bound[1:] > 0).all()
    assert (beside.mean[1:] <= beside.bound[1:]).all()
    drawn = {line.get_label() for line in found.figure().axes[0].get_lines()}
    assert {"mean, its theorem", beside.bound_label} <= drawn
    proven = rateproof.run("choco-gossip", "consensus", tuning="theorem", replicas=1)
    assert proven.proven is None and proven.bound is not None
    assert proven.last().mean == found.proven.trace.consensus[0, -1] * _N


def test_no_theorem_speaks_of_chocos_rounds_at_another_consensus_step():
    """Its bound was drawn for any: Theorem 2 states one, and SGD's theorems rest on it."""
    for key, name in (("choco-gossip", "consensus"), ("choco-sgd", "nonconvex-digits-dirichlet")):
        built = problem(name, _N)
        assert row(key).tune(built, _STEPS).theorem is not None
        other = with_settings(row(key), {"consensus_step": 0.0017})
        assert other.tune(built, _STEPS).theorem is None
        assert any("consensus_step must be" in why for why in uncovered(other, built, _STEPS))


def test_choco_sgd_keeps_workers_together():
    """At the proven consensus step, 0.0016, they were 28 times as far apart."""
    tuned, built = default("choco-sgd")
    assert isinstance(tuned.method, ChocoSGD)
    apart = [
        float(run(one, built, steps=_STEPS, points=50).consensus[0, -8:].mean())
        for one in (tuned.method, replace(tuned.method, consensus_step=0.00158494))
    ]
    assert apart[0] < 0.1 * apart[1]


def test_mirror_descent_stays_on_the_simplex_by_its_mirror():
    tuned, built = default("mirror-descent", Tuning.GRID)
    assert isinstance(tuned.method, MirrorDescent)
    plain = replace(tuned.method, geometry=Euclidean())
    own, other = (run(one, built, steps=_STEPS, points=3) for one in (tuned.method, plain))
    assert torch.allclose(own.model.sum(-1), torch.ones(1, dtype=own.model.dtype))
    assert own.model.min() >= 0 > other.model.min()
    assert own.suboptimality[0, -1] < 0.1 * other.suboptimality[0, -1]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["lars", "lamb"])
def test_networks_of_trust_ratios_come_to_rest(key):
    """Their stepsizes fall to zero, as in the papers. At constant ones LARS' weights are 4.1 times
    as long after 2,000 steps (6.2 after 4,000) and LAMB's 8.4 (11.9), with losses that rise again;
    now 2.5 (2.5) and 4.3. SGD at the best of four stepsizes: 1.7, at a loss of 0.12."""
    tuned, built = default(key)
    assert isinstance(tuned.method, Batched) and isinstance(tuned.method.method, BSP)
    bsp = tuned.method.method
    assert isinstance(bsp.step_rule, PolynomialStep)
    steady = replace(tuned.method, method=replace(bsp, step_rule=bsp.step_rule.rule))
    methods: tuple[Method[Any], ...] = (tuned.method, steady, BSP(ConstantStep(0.01)))
    own, constant, plain = (run(one, built, steps=_STEPS, points=2) for one in methods)
    grown = [float(one.model.norm() / built.start().norm()) for one in (own, constant)]
    assert grown[0] < 5 and grown[0] < 0.7 * grown[1]
    loss = own.suboptimality[0, -1]
    assert loss < 0.2 * constant.suboptimality[0, -1] and loss < 0.1 * plain.suboptimality[0, -1]
