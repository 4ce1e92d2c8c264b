"""Responses of methods' own code against closed forms, recursions in numpy and other reaches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import row
from algorithms.catalogue.gossip_tracking import uneven_ring
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.gossip_tracking.quasi_global import QuasiGlobalMomentum
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.age_rules import Polynomial
from algorithms.methods.stragglers.buffered_server import BufferedServer
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.optimizers.outer import BlockMomentum, SlowMomentum
from algorithms.synchronisation.compute_times import Constant
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.ring import Ring
from proofs_check.bounds.settings import of_row, residual_mixing_sum
from proofs_check.instruments.gradient_responses import LinearMethod, Make
from theory.rules.virtual_iterate_deviation import Reach, block_momentum, late

N = 4
ROOM = 1 + 1.1e-5
"""What is added for later steps."""

LAMBDA = (1 / 3, 1 / 3, -1 / 3)
"""Eigenvalues of the ring of four beside 1."""


def reach(make: Make, steps: int = 160, **kind: Any) -> Reach:
    return LinearMethod(make, N, steps, **kind).reach()


def summed(mode: Callable[[float], list[float]]) -> float:
    """Sum over ages of the largest response of a mode, all modes being orthogonal."""
    return float(np.abs([mode(value) for value in LAMBDA]).max(axis=0).sum())


def tracked(adapt_first: bool) -> Callable[[float], list[float]]:
    """Responses of x to one gradient along an eigenvector: x <- w x - y, y <- w y + change of g."""

    def mode(w: float) -> list[float]:
        x, y, held, seen = 0.0, 0.0, 0.0, []
        for t in range(200):
            g = float(t == 0)
            y = g if t == 0 else (w * (y + g - held) if adapt_first else w * y + g - held)
            x, held = (w * (x - y) if adapt_first else w * x - y), g
            seen.append(x)
        return seen

    return mode


def corrected(mixes: bool, first: bool) -> Callable[[float], list[float]]:
    """x_{t+1} = v (2 x_t - x_{t-1}) - m (g_t - g_{t-1}), v = (1 + w)/2; a gradient that is not the
    first: at rest before."""

    def mode(w: float) -> list[float]:
        v = (1 + w) / 2
        m = v if mixes else 1.0
        old, x, seen = 0.0, -(m if first else 1.0), []
        for t in range(400):
            seen.append(x)
            old, x = x, v * (2 * x - old) + (m if t == 0 else 0.0)
        return seen

    return mode


@pytest.mark.parametrize(
    ("key", "mode"),
    [
        ("gradient-tracking", tracked(adapt_first=False)),
        ("atc-tracking", tracked(adapt_first=True)),
        ("extra", corrected(mixes=False, first=False)),
        ("nids", corrected(mixes=True, first=True)),
        ("exact-diffusion", corrected(mixes=True, first=True)),
        ("d2", corrected(mixes=True, first=True)),
    ],
)
def test_gossip_is_as_far_apart_as_the_recursion_of_its_modes(
    key: str, mode: Callable[[float], list[float]]
) -> None:
    found = reach(of_row(key), 240)
    assert found.gain == pytest.approx(1.0, abs=1e-9) and found.behind == 0.0
    assert summed(mode) * (1 - 1e-6) <= found.reach <= summed(mode) * ROOM


def test_plain_gossip_has_the_reach_of_its_mixing() -> None:
    found = reach(of_row("d-psgd"))
    known = residual_mixing_sum(Ring(N))
    assert found.reach == pytest.approx(known, rel=2e-5) and found.behind == 0.0


def test_relayed_models_count_less_by_their_mean_delay() -> None:
    """On a path of four 4 ordered pairs are one relay late and 2 are two: 1/(1 + 8/16)."""
    assert reach(of_row("relay-sgd")).gain == pytest.approx(2 / 3, rel=1e-9)


def test_pushed_and_pulled_gradients_count_by_both_stationary_weights() -> None:
    def weights(matrix: np.ndarray, *, left: bool) -> np.ndarray:
        values, vectors = np.linalg.eig(matrix.T if left else matrix)
        one = np.real(vectors[:, np.argmax(np.real(values))])
        return np.asarray(one / one.sum())

    pull = np.asarray(Averaging(uneven_ring(N)).matrix(0))
    push = np.asarray(uneven_ring(N).matrix(0))
    gain = N * float(weights(pull, left=True) @ weights(push, left=False))
    assert reach(of_row("push-pull")).gain == pytest.approx(gain, rel=1e-9)


@pytest.mark.parametrize("eta", [0.0, 0.25])
def test_blocks_stay_within_their_closed_form(eta: float) -> None:
    def made(step: Any, _p: Any, _t: int) -> LocalSGD:
        return LocalSGD(step, 4, outer=BlockMomentum(eta, 1.5))

    found, known = reach(made), block_momentum(4, eta, 1.5)
    assert found.gain == pytest.approx(known.gain, rel=1e-9)
    assert found.reach == pytest.approx(known.reach, rel=2e-5)
    assert 0.74 * known.behind < found.behind <= known.behind  # H - 1 of H steps are looked at


def test_slow_momentum_is_block_momentum() -> None:
    slow = reach(lambda step, _p, _t: LocalSGD(step, 4, outer=SlowMomentum(0.25, 1.5)))
    block = reach(lambda step, _p, _t: LocalSGD(step, 4, outer=BlockMomentum(0.25, 1.5)))
    assert slow.behind == pytest.approx(block.behind, rel=1e-9)
    assert replace(slow, behind=0.0) == replace(block, behind=0.0)


def test_quasi_global_momentum_is_behind_by_its_mean_velocity() -> None:
    """z = xbar - gamma beta/(1 - beta)^2 m, and m is at most 1/(1 - beta) long."""
    beta = 0.5
    found = reach(lambda step, p, _t: QuasiGlobalMomentum(step, Ring(p.n), beta))
    assert found.gain == pytest.approx(1 / (1 - beta), rel=1e-6)
    assert found.behind == pytest.approx(beta / (1 - beta) ** 3, rel=2e-5)


def test_controls_double_the_way_of_local_steps() -> None:
    """SCAFFOLD of all workers: K - 1 gradients and as many corrections, each of mean length one."""
    assert reach(of_row("scaffold")).reach == pytest.approx(2 * 7.0, rel=2e-5)


def test_workers_in_turn_are_as_late_as_they_are_many() -> None:
    found = reach(lambda s, _p, T: ParameterServer(s, T, Constant()), in_turn=True)
    assert found.reach == pytest.approx(late(N - 1, 0.0).reach, rel=2e-5) and found.behind == 0.0


def test_what_is_not_pushed_yet_is_what_the_server_is_behind() -> None:
    """n workers hold back at most push - 1 gradients each."""
    found = reach(lambda s, _p, T: Downpour(s, T, Constant(), 3, 2), in_turn=True)
    assert found.behind == pytest.approx(N * 2, rel=2e-5) and found.gain == pytest.approx(1.0)


def test_ages_weigh_gradients_of_a_buffer_and_first_ones_more() -> None:
    """Workers in turn: ages 0, 1, 2, then 3, of weight (1 + age)^-1/2."""
    found = reach(lambda s, _p, T: BufferedServer(s, T, Constant(), Polynomial()), in_turn=True)
    assert found.gain == pytest.approx(0.5)
    early = sum((1 + age) ** -0.5 - 0.5 for age in range(3))
    assert found.behind == pytest.approx(early, rel=2e-5)


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("fedprox", "linear in its gradients"),
        ("choco-sgd", "linear in its gradients"),
        ("mime", "of no objective"),
        ("fednova", "move the mean model alike"),
    ],
)
def test_methods_without_such_responses_are_refused(key: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        reach(row(key).ready().build, 48)


def test_calls_of_a_step_are_counted() -> None:
    with pytest.raises(ValueError, match="ask for gradients 1 times"):
        reach(
            lambda s, _p, T: BufferedServer(s, T, Constant(), Polynomial(), local_steps=2),
            in_turn=True,
        )


def test_responses_that_last_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must have settled|alike in the end"):
        reach(of_row("led"), 48)
