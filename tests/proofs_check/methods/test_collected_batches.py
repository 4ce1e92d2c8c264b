"""How long a server keeps a model, and how late gradients are, as theorems on both count them."""

from __future__ import annotations

import pytest
import torch

from algorithms.methods.parts.age_rules import DelayAdaptive, Younger
from algorithms.methods.parts.gradient_buffers import (
    BufferPerWorker,
    GradientBuffer,
    SharedBuffer,
)
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.instruments.paths import path
from theory.stepsizes import ConstantStep

N, TICKS, REPLICAS = 4, 160, 3
SLOW = Exponential((1.0, 1.0, 1.0, 20.0))
PROBLEM = Quadratic.strongly_convex(N, 2)


def server(times: ComputeTimes, buffer: GradientBuffer) -> BufferedServer:
    return BufferedServer(ConstantStep(0.1), TICKS, times, Younger(1), buffer, replicas=REPLICAS)


def holds(method: BufferedServer) -> list[int]:
    """Arrivals between two steps of the server, of all replicas."""
    moments = path(method, PROBLEM, TICKS, replicas=REPLICAS)
    steps = torch.stack([moment.state.steps.clone() for moment in moments])  # [TICKS + 1, R]
    found = []
    for k in range(REPLICAS):
        at = (steps[1:, k] > steps[:-1, k]).nonzero()[:, 0].tolist()
        found += [there - here for here, there in zip((-1, *at), at, strict=False)]
    return found


@pytest.mark.parametrize("times", [Constant(), Constant((1.0, 2.0, 1.0, 7.0)), SLOW])
@pytest.mark.parametrize("buffer", [SharedBuffer(3), SharedBuffer(8), BufferPerWorker(6)])
def test_a_model_is_kept_for_as_many_arrivals_as_stated(
    times: ComputeTimes, buffer: GradientBuffer
) -> None:
    method = server(times, buffer)
    c = method.constants(PROBLEM)
    found = holds(method)
    assert c.collected is not None and c.held is not None
    assert found and c.collected <= min(found) and max(found) <= c.held


def test_workers_of_one_speed_waste_a_gradient_each_but_one() -> None:
    """B = n in turn: n fresh gradients, then n - 1 older ones in every step but the first."""
    method = server(Constant(), SharedBuffer(N))
    found = holds(method)
    assert max(found) == 2 * N - 1 == method.constants(PROBLEM).held


def test_other_rules_state_no_batches() -> None:
    plain = server(Constant(), SharedBuffer(N))
    for other in (
        BufferedServer(plain.step_rule, TICKS, Constant(), Younger(2), SharedBuffer(N)),
        BufferedServer(plain.step_rule, TICKS, Constant(), Younger(1), local_steps=2),
        BufferedServer(plain.step_rule, TICKS, Constant(), Younger(1), server_rate=2.0),
    ):
        c = other.constants(PROBLEM)
        assert c.collected is None and c.held is None


def test_delays_add_up_to_what_is_under_way() -> None:
    """n - 1 gradients are under way at each step, so that delays of T steps are (n - 1) T at most,
    and fewer than half of any first steps are 2 n late or later, whoever is slow."""
    method = BufferedServer(ConstantStep(0.1), 2000, SLOW, DelayAdaptive(1.0), replicas=REPLICAS)
    late = method.schedule(N).staleness[..., 0]
    steps = torch.arange(1, len(late) + 1)[:, None]
    assert (late.cumsum(0) <= (N - 1) * steps).all()
    assert (2 * (late >= 2 * N).cumsum(0) < steps).all()
    assert int(late.max()) > 10 * N


def test_steps_of_small_delays_are_whole_and_others_short() -> None:
    L, gamma = 2.0, 1 / (8 * N * 2.0)
    age = torch.arange(500)
    taken = gamma * DelayAdaptive(L).factors(age, gamma, N)
    assert (taken[: 2 * N] == gamma).all() and taken[2 * N + 1] < gamma
    assert (taken * age <= (1 + 1e-12) / (4 * L)).all()
