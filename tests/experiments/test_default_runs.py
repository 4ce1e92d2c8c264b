"""What a row does when nothing is set: each the method that its paper is about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from algorithms.catalogue import Tuned, problem, row
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.lazy.cmfl import CMFL
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.asylpg import AsyLPG
from algorithms.problems.base import Problem
from algorithms.run import run
from algorithms.trace import Trace
from experiments.tuned_rows import Tuning, chosen
from theory.stepsizes import ConstantStep

_N, _STEPS = 16, 2000


def default(key: str) -> tuple[Tuned, Problem]:
    """The method and problem of ``rateproof run KEY``."""
    built = problem(row(key).problems[0], _N)
    made = chosen(row(key), built, Tuning.THEOREM, seed=0, steps=_STEPS)
    return made.tuned(built, _STEPS), built


def played(key: str, *, points: int = 50) -> Trace:
    tuned, built = default(key)
    return run(tuned.method, built, steps=_STEPS, points=points)


def share_of_dense(trace: Trace, built: Problem) -> float:
    """Bits of a message over those of d numbers."""
    width = built.d * torch.finfo(built.dtype).bits
    return float(trace.sent_bits[0, -1] / trace.messages[0, -1] / width)


def test_coded_regression_is_exact_after_a_round():
    assert played("coded-regression").suboptimality[0, 1] < 1e-20


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
    steps = np.nonzero(np.diff(played("adacomm", points=_STEPS + 1).messages[0]))[0]
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
    run(tuned.method, built, steps=_STEPS, points=3)
    assert 0.01 < float(np.mean(shares)) < 0.5
