"""FedAdam, FedYogi, FedAdagrad, streaming DiLoCo: closed forms, faults; servers under a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from algorithms.compressors.max_levels import MaxLevels
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.outer_optimizers.streaming_diloco import StreamingDiLoCo, StreamingState
from algorithms.optimizers.adaptive_server import AdaptiveServer, SecondMoment
from algorithms.optimizers.lamb import adam
from algorithms.optimizers.outer import BlockMomentum, Outer, server_momentum
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import near, of_row
from proofs_check.evidence.drift import two_workers
from proofs_check.evidence.outer_optimizers.closed_forms import anchors_of
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.rules.virtual_iterate_deviation import block_momentum
from theory.stepsizes import ConstantStep

# FedAdam, FedYogi and FedAdagrad by hand, and where tau hides their squares.

Make = Callable[..., Outer[Any]]

_STEP = ConstantStep(0.1)
_B1, _B2 = 0.9, 0.99


def _square_rule(kind: SecondMoment, v: Floats, square: Floats) -> Floats:
    if kind is SecondMoment.ADAGRAD:
        return v + square
    if kind is SecondMoment.ADAM:
        return _B2 * v + (1 - _B2) * square
    return v - (1 - _B2) * square * np.sign(v - square)


def by_hand(kind: SecondMoment, problem: Quadratic, rate: float, tau: float, rounds: int) -> Floats:
    """The server's models ``[rounds + 1, d]`` in numpy, four local steps of 0.1 a round."""
    a, c, x = problem.a.numpy(), problem.c.numpy(), problem.x0.numpy().copy()
    m, v, told = np.zeros_like(x), np.full_like(x, tau**2), [x.copy()]
    for _ in range(rounds):
        y = np.repeat(x[None], len(c), axis=0)
        for _ in range(4):
            y = y - 0.1 * (a * y - c)
        change = y.mean(0) - x
        m = _B1 * m + (1 - _B1) * change
        v = _square_rule(kind, v, change**2)
        x = x + rate * m / (np.sqrt(v) + tau)
        told.append(x)
    return np.stack(told)


def _served(outer: Outer[Any]) -> LocalSGD:
    return LocalSGD(_STEP, 4, outer=outer)


def rounds_by_hand(kind: SecondMoment, build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """Twelve rounds for tau of 0.001 and 0.1, and the first one on two workers."""
    problem = unequal(5, 4, sigma2=0.0)
    for tau in (1e-3, 0.1):
        yield same(
            f"the server's model of every round, tau = {tau:g}",
            anchors_of(_served(build(kind, 0.05, tau)), problem, 12),
            by_hand(kind, problem, 0.05, tau, 12), on=problem,
        )  # fmt: skip
    line = two_workers()
    w = 1 - (1 - 0.1 * np.array([1.0, 4.0])) ** 4
    change = float((w * np.array([0.0, 1.0])).mean())
    v = float(_square_rule(kind, np.array(0.01), np.array(change**2)))
    first = 0.05 * (1 - _B1) * change / (v**0.5 + 0.1)  # no bias correction: (1 - beta1) D
    got = anchors_of(_served(build(kind, 0.05, 0.1)), line, 1)[1, 0]
    yield same("the first round: (1 - beta_1) D, uncorrected, v from tau^2", got, first, on=line)


def squares_hidden(kind: SecondMoment, build: Make = AdaptiveServer) -> Verdict:
    """tau = 1e7: FedAvgM of rate eta_g/(2 tau), under Adam eta_g/(tau (1 + beta_2^{k/2}))."""
    problem, tau = unequal(5, 4, sigma2=0.0), 1e7
    got = anchors_of(_served(build(kind, tau, tau)), problem, 12)
    if kind is not SecondMoment.ADAM:
        due = anchors_of(_served(server_momentum(0.5, _B1)), problem, 12)
        return same("FedAvgM of rate 1/2", got, due, on=problem, tolerance=1e-7)
    a, c, x, m, told = problem.a.numpy(), problem.c.numpy(), np.zeros(4), np.zeros(4), [np.zeros(4)]
    for k in range(1, 13):
        y = np.repeat(x[None], 5, axis=0)
        for _ in range(4):
            y = y - 0.1 * (a * y - c)
        m = _B1 * m + (1 - _B1) * (y.mean(0) - x)
        x = x + m / (1 + _B2 ** (k / 2))
        told.append(x)
    return same(
        "momentum of rate 1/(1 + beta_2^{k/2})", got, np.stack(told), on=problem, tolerance=1e-7
    )


fedadam_forms = ClosedForms("fedadam", name="fedadam_forms")
"""Closed forms of FedAdam."""

fedyogi_forms = ClosedForms("fedyogi", name="fedyogi_forms")
"""Closed forms of FedYogi."""

fedadagrad_forms = ClosedForms("fedadagrad", name="fedadagrad_forms")
"""Closed forms of FedAdagrad."""


@fedadam_forms.case("closed form", "no noise, four local steps of 0.1, eta_g = 0.05")
def fedadam_by_hand(build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """FedAdam's recursion by hand."""
    yield from rounds_by_hand(SecondMoment.ADAM, build)


@fedadam_forms.case("limit of large tau", "12 rounds, tau = 1e7")
def fedadam_hidden(build: Make = AdaptiveServer) -> Verdict:
    """FedAdam where tau hides the squares."""
    return squares_hidden(SecondMoment.ADAM, build)


@fedyogi_forms.case("closed form", "no noise, four local steps of 0.1, eta_g = 0.05")
def fedyogi_by_hand(build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """FedYogi's recursion by hand."""
    yield from rounds_by_hand(SecondMoment.YOGI, build)


@fedyogi_forms.case("limit of large tau", "12 rounds, tau = 1e7")
def fedyogi_hidden(build: Make = AdaptiveServer) -> Verdict:
    """FedYogi where tau hides the squares."""
    return squares_hidden(SecondMoment.YOGI, build)


@fedadagrad_forms.case("closed form", "no noise, four local steps of 0.1, eta_g = 0.05")
def fedadagrad_by_hand(build: Make = AdaptiveServer) -> Iterator[Verdict]:
    """FedAdagrad's recursion by hand."""
    yield from rounds_by_hand(SecondMoment.ADAGRAD, build)


@fedadagrad_forms.case("limit of large tau", "12 rounds, tau = 1e7")
def fedadagrad_hidden(build: Make = AdaptiveServer) -> Verdict:
    """FedAdagrad where tau hides the squares."""
    return squares_hidden(SecondMoment.ADAGRAD, build)


# Streaming DiLoCo as DiLoCo, by hand with its delay and mix, and its messages.

Build = Callable[..., Method[Any]]

_SEED = 349
_OUTER = BlockMomentum(0.9, 0.7, nesterov=True)

streaming_forms = ClosedForms("streaming-diloco", name="streaming_forms")
"""Closed forms of streaming DiLoCo."""


@streaming_forms.case("identity of two methods", f"noise, 5 workers, H = 4, AdamW, seed {_SEED}")
def one_fragment(build: Build = StreamingDiLoCo) -> Verdict:
    """One fragment, without delay and mix: DiLoCo, bit for bit."""
    problem, step = unequal(5, 6), ConstantStep(0.02)
    inner = adam(problem.shapes, decay=0.1)
    ours, theirs = (
        models(method, problem, 24, seed=_SEED, replicas=3)
        for method in (build(step, 4, 1, inner), LocalSGD(step, 4, inner, outer=_OUTER))
    )
    return same("DiLoCo at every step", ours, theirs, on=problem, tolerance=0.0)


@streaming_forms.case("identity of two methods", f"noise, 5 workers, H = 6, seed {_SEED}")
def fragments_in_turn(build: Build = StreamingDiLoCo) -> Verdict:
    """On diagonal Hessians every fragment is a DiLoCo of its own coordinates; that which meets when
    H | t+1 is DiLoCo's, with the outer velocity of its own meetings alone."""
    problem = unequal(5, 6)
    ours, theirs = (
        models(method, problem, 36, seed=_SEED, replicas=3)
        for method in (build(_STEP, 6, 3), LocalSGD(_STEP, 6, outer=_OUTER))
    )
    return same("the last two of six coordinates", ours[..., 4:], theirs[..., 4:], on=problem)


@streaming_forms.case("closed form", "no noise, H = 6, 2 fragments, 5 workers, 60 steps")
def streaming_by_hand(build: Build = StreamingDiLoCo) -> Iterator[Verdict]:
    """The recursion by hand in numpy: delays of 0, 1 and 4 steps, mixes of 0, 0.25, 0.5."""
    problem = unequal(5, 4, sigma2=0.0)
    a, c = problem.a.numpy(), problem.c.numpy()
    for delay, mix in ((0, 0.0), (1, 0.25), (4, 0.5)):
        x, anchor, u = np.zeros((5, 4)), np.zeros(4), np.zeros(4)
        pending: dict[int, tuple[slice, Any]] = {}
        told = [x]
        for t in range(60):
            x = x - 0.1 * (a * x - c)
            if (t + 1) % 3 == 0:
                number = ((t + 1) // 3 - 1) % 2
                here = slice(2 * number, 2 * number + 2)
                pending[t + delay] = (here, anchor[here] - x[:, here].mean(0))
            if t in pending:
                here, change = pending.pop(t)
                anchor, u, x = anchor.copy(), u.copy(), x.copy()
                u[here] = 0.9 * u[here] + change
                anchor[here] -= 0.7 * (change + 0.9 * u[here])
                x[:, here] = mix * x[:, here] + (1 - mix) * anchor[here]
            told.append(x)
        method = build(_STEP, 6, 2, delay=delay, mix=mix)
        got = torch.stack([one.state.x[0] for one in path(method, problem, 60)])
        yield same(f"delay {delay}, mix {mix:g}: all models", got, np.stack(told), on=problem)


@streaming_forms.case("messages", "H = 6, 3 fragments of 2 coordinates, four bits a number")
def fragment_bits(build: Build = StreamingDiLoCo) -> Iterator[Verdict]:
    """A worker sends a third of the coordinates every second step, in four bits each and a scale;
    fragments that do not divide H are refused."""
    problem = unequal(5, 6)
    method = build(_STEP, 6, 3, compressor=MaxLevels(7))
    trace = run(method, problem, steps=12, points=13, replicas=2)
    due = [MaxLevels(7).bits(2, torch.float64) * (t // 2) for t in range(13)]
    yield same("bits sent after every step", trace.sent_bits, due, on=problem, tolerance=0.0)
    yield same(
        "bits heard after every step", trace.received_bits, [128 * (t // 2) for t in range(13)],
        on=problem, tolerance=0.0,
    )  # fmt: skip
    refused = 0
    for wrong in (4, 5):
        try:
            build(_STEP, 6, wrong)
        except ValueError:
            refused += 1
    yield none_wrong("4 or 5 fragments of H = 6 are refused", 2 - refused, "both", on=problem)


# Faults planted in streaming DiLoCo: the mix, the delay, and whose velocity it is.


def _mixed_otherwise(*args: Any, mix: float, **named: Any) -> StreamingDiLoCo:
    return StreamingDiLoCo(*args, **named | {"mix": 1 - mix if mix else 0.0})


@wrong_step(
    "streaming DiLoCo with one velocity for all",
    judge=fragments_in_turn,
    of=StreamingDiLoCo,
)
def shared_velocity(
    own: StreamingDiLoCo, state: StreamingState, t: int, context: RunContext
) -> StreamingState:
    """every meeting of a fragment decays the velocity of all"""
    after = own.step(state, t, context)
    if own.sent_at(t - own.delay) is None:
        return after
    others = own.outer.eta * after.outer
    here = own.places(own.sent_at(t - own.delay) or 0, state.x.shape[-1])
    others[..., here] = after.outer[..., here]
    return after._replace(outer=others)


@wrong_step(
    "streaming DiLoCo with D of the wrong sign",
    judge=streaming_by_hand,
    of=StreamingDiLoCo,
)
def wrong_sign(
    own: StreamingDiLoCo, state: StreamingState, t: int, context: RunContext
) -> StreamingState:
    """the outer step goes away from the mean of the workers"""
    if own.delay:
        return own.step(state, t, context)
    sent = own.sent_at(t)
    if sent is None:
        return own.step(state, t, context)
    far = replace(own, delay=own.period - 1).step(state, t, context)  # sends, does not apply
    mirrored = far._replace(mean=2 * far.anchor - far.mean)
    return own.apply(mirrored, sent, t, context)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "streaming DiLoCo without its mix", "the local model is lost when a fragment is applied",
        streaming_by_hand,
        lambda *args, **named: StreamingDiLoCo(*args, **named | {"mix": 0.0}),
    ),
    fault(
        "streaming DiLoCo with the mix the other way round", "1 - alpha for alpha",
        streaming_by_hand,
        _mixed_otherwise,
    ),
    fault(
        "streaming DiLoCo that applies at once", "no step passes while a fragment is on its way",
        streaming_by_hand,
        lambda *args, **named: StreamingDiLoCo(*args, **named | {"delay": 0}),
    ),
)  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    near("fedavg", lambda: block_momentum(8, 0.0, 1.5), of_row("fedavg"), 600),
    near("fedavgm", lambda: block_momentum(8, 0.9, 0.5), of_row("fedavgm"), 2400, rated=False),
    near("slowmo", lambda: block_momentum(8, 0.8), of_row("slowmo"), 2400, rated=False),
)
