"""Subgradient-push: optimal over directed links that change, where plain averaging is biased."""

from __future__ import annotations

from functools import partial
from typing import Any

from algorithms.catalogue import row
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from proofs_check.closed_forms.gossip_directed.push_sum import Averaging
from proofs_check.instruments.effect_check import Arm, EffectCheck, Measurement, at_end
from proofs_check.instruments.tuned_arm import at_best
from proofs_check.methods.faulty.push import PushAtSum
from theory.stepsizes import ConstantStep

_N, _STEPS = 10, 2500
_GRID = (0.005, 0.01, 0.02, 0.04, 0.08)


def measure(side: Arm) -> Measurement:
    """The mean model's error; workers differ, and so do their in-degrees."""
    return at_best(partial(_play, side), _GRID)


def _play(side: Arm, gamma: float, *, seed: int, replicas: int) -> Measurement:
    """One side at one stepsize."""
    step = ConstantStep(gamma)
    problem = unequal(_N, sigma2=0.0)
    right = row("subgradient-push").tune(problem, _STEPS, step).method
    assert isinstance(right, SubgradientPush)
    links = TimeVaryingDigraph.ring_by_parts(_N, 3)
    methods: dict[Arm, Method[Any]] = {
        Arm.METHOD: right,
        Arm.BASELINE: GossipGraD(step, FixedLinks(Averaging(links)), shuffle=False),
        Arm.FAULT: PushAtSum(right),
    }
    return at_end(run(methods[side], problem, steps=_STEPS, seed=seed, replicas=replicas))


SIGNATURE = EffectCheck(
    row="subgradient-push",
    problem="quadratic-unequal, no noise",
    effect="directed links that change bring no bias",
    quantity=f"f(z_T) - f* of the mean model after {_STEPS} steps [f]",
    method="subgradient-push",
    baseline="gradient steps and the mean of what one hears",
    fault="gradients at the sums, not at the ratios",
    at_most=0.2,
    measure=measure,
    x_label="steps",
    y_label="f(z_t) - f* of the mean model [f]",
    source="Nedic, Olshevsky 2016, arXiv:1406.2075, Theorem 1",
    told=f"n = {_N}, ring whose links are alive in turn, "
    f"each at the best of {_GRID} on seed 1; nothing is drawn",
)
