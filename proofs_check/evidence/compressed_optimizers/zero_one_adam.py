"""0/1 Adam (Lu et al. 2022, arXiv:2202.06009): closed forms, and the faults they refute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.compressed_optimizers.one_bit_adam import OneBitAdam
from algorithms.methods.compressed_optimizers.zero_one_adam import ZeroOneAdam, ZeroOneAdamState
from algorithms.methods.parts.adam_moments import AdamMoments
from proofs_check.evidence.compressed_optimizers import (
    CENTRES,
    CURVATURES,
    UNEQUAL_PAIR,
    in_single,
)
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep

_ZERO_ONE = ClosedForms("zero-one-adam", UNEQUAL_PAIR)
_BETAS = AdamMoments(0.9, 0.99, 1e-3)
_WARM, _PERIOD, _STEPS, _CHUNK = 3, 4, 31, 2
_RATES = InverseTimeStep(0.05, 20.0)
_REFRESHED = (0, 1, 2, 3, 7, 11, 19)
"""Steps of T_v: the first three, then the starts of rounds 0, 1, 2 and 4."""


def zero_one(compressor: Compressor | None = None, warm: int = _WARM) -> ZeroOneAdam:
    """0/1 Adam on two chunks of two coordinates, rounds of four steps after three."""
    chunks = Buckets(ScaledSign(), _CHUNK)
    return ZeroOneAdam(_RATES, warm, _PERIOD, compressor or chunks, _BETAS)


def _signs(x: Floats) -> Floats:
    parts = [x[:, at : at + _CHUNK] for at in range(0, x.shape[1], _CHUNK)]
    signed = [np.abs(p).mean(1, keepdims=True) * np.where(p < 0, -1.0, 1.0) for p in parts]
    return np.concatenate(signed, 1)


def _zero_one_by_hand() -> Floats:
    """The workers' models ``[steps + 1, 2, d]`` by the rule as it stands, in numpy."""
    a, b = CURVATURES.numpy(), CENTRES.numpy()
    x, m, u, e = (np.zeros_like(a) for _ in range(4))
    anchor, v, server, rates = np.zeros((1, 4)), np.zeros((1, 4)), np.zeros((1, 4)), 0.0
    seen = [x]
    for t in range(_STEPS):
        g, rate = a * (x - b), _RATES(t)
        if t in _REFRESHED:
            v = 0.99 * v + 0.01 * g.mean(0, keepdims=True) ** 2
        m = 0.9 * m + 0.1 * g
        u, rates = u + rate * m, rates + rate
        if t < _WARM or t % _PERIOD == 2:  # the last step of a round: 6, 10, 14, ...
            up = u + e
            e = up - _signs(up)
            down = _signs(up).mean(0, keepdims=True) + server
            incoming = _signs(down)
            server = down - incoming
            anchor = anchor - incoming / (np.sqrt(v) + 1e-3)
            x, m = np.repeat(anchor, 2, 0), np.repeat(incoming / rates, 2, 0)
            u, rates = np.zeros_like(a), 0.0
        else:
            x = x - rate * m / (np.sqrt(v) + 1e-3)
        seen.append(x)
    return np.array(seen)


@_ZERO_ONE.case("closed form", f"{_STEPS} steps of falling stepsizes")
def zero_one_path(method: Method[Any] | None = None) -> Verdict:
    """The rule by hand, every worker's model."""
    own = method or zero_one()
    found = torch.stack([own.models(s.state)[0] for s in path(own, UNEQUAL_PAIR, _STEPS)])
    want = _zero_one_by_hand()
    return same("models are those of the rule by hand", found, want, tolerance=1e-10)


@_ZERO_ONE.case("equivalence", f"all steps in both sets, C = I, {_STEPS} steps")
def zero_one_is_adam(method: Method[Any] | None = None) -> Verdict:
    """With all steps in both sets and nothing compressed it is Adam."""
    own = method or zero_one(Identity(), _STEPS)
    adam = OneBitAdam(_RATES, _STEPS, Identity(), _BETAS)
    found, want = (models(one, UNEQUAL_PAIR, _STEPS) for one in (own, adam))
    return same("it is Adam", found, want, tolerance=1e-10)


@_ZERO_ONE.case("equivalence", f"rounds of one step, {_STEPS} steps of one stepsize")
def zero_one_is_one_bit(method: Method[Any] | None = None) -> Verdict:
    """Rounds of one step and v never refreshed after the first: 1-bit Adam's steps, as messages of
    gamma m are gamma times those of m.

    1-bit Adam's warm-up of one step is not compressed, so that both start behind it.
    """
    gamma, chunks = ConstantStep(0.05), Buckets(ScaledSign(), _CHUNK)
    two = OneBitAdam(gamma, 1, chunks, _BETAS)
    own = method or ZeroOneAdam(gamma, 1, 1, chunks, _BETAS)
    first = list(path(two, UNEQUAL_PAIR, 1))[-1].state
    context = next(path(own, UNEQUAL_PAIR, 0)).context
    start = own.init(UNEQUAL_PAIR.start(), context)._replace(
        x=first.x.expand(1, 2, 4).clone(), anchor=first.x, second=first.second,
        first=first.first.expand(1, 2, 4).clone(),
    )  # fmt: skip
    # neither begins with a step in T_v: steps 4 to 8 are in rounds 3, 5, 6 and 7 alone
    state, other = start, first
    gaps = []
    for t in (4, 6, 7, 8):
        state, other = own.step(state, t, context), two.step(other, t, context)
        gaps.append(own.models(state) - other.x)
    return same("models are those of 1-bit Adam", torch.stack(gaps), 0.0, tolerance=1e-10)


@_ZERO_ONE.case("invariant", f"{_STEPS} steps")
def zero_one_conserves(method: Method[Any] | None = None) -> Iterator[Verdict]:
    """Meetings leave one model; what was heard and what is kept is the mean of all updates."""
    own, total, incoming = method or zero_one(), 0.0, 0.0
    states = [one.state for one in path(own, UNEQUAL_PAIR, _STEPS)]
    apart = []
    for t, (before, after) in enumerate(pairwise(states)):
        g = CURVATURES * (before.x - CENTRES)
        total = total + _RATES(t) * (0.9 * before.first + 0.1 * g).mean(-2, keepdim=True)
        if t < _WARM or t % _PERIOD == 2:
            incoming = incoming + (before.anchor - after.anchor) * _BETAS.scale(after.second)
            apart.append(after.x - after.anchor)
            kept = after.residual.mean(-2, keepdim=True) + after.server
            gap = incoming + kept - total
    yield same("all hold one model after a meeting", torch.stack(apart), 0.0)
    yield same("heard + kept = mean of all updates", gap, 0.0)


@_ZERO_ONE.case("bits", "float32, d = 4")
def zero_one_bits() -> Iterator[Verdict]:
    """32 d where v is refreshed, d + 32 a chunk where workers meet, up and down; else nothing."""
    own = zero_one()
    wrong = sum(own.refreshes(t) != (t in _REFRESHED) for t in range(_STEPS))
    yield none_wrong("v is refreshed at 0, 1, 2, 3, 7, 11, 19", wrong, f"{_STEPS} steps")
    trace = run(own, in_single(), steps=_STEPS, points=_STEPS + 1)
    each = [
        32 * 4 * (t in _REFRESHED) + (4 + 32 * 2) * (t < _WARM or t % _PERIOD == 2)
        for t in range(_STEPS)
    ]
    bits = np.array([0, *np.cumsum(each)], dtype=np.float64)
    found = np.stack([trace.sent_bits[0], trace.received_bits[0]])
    yield same("bits of a worker, up and down", found, np.stack([bits, bits]))


CLOSED_FORMS = (_ZERO_ONE,)


# Faults planted in 0/1 Adam, each refuted by a closed form of its row.


@wrong_step("0/1 Adam of the last rate", judge=zero_one_path, on=zero_one())
def by_last_rate(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """the update that was heard is divided by the last stepsize, not by the sum of the round's"""
    new = own.step(state, t, context)
    if not own.meets(t):
        return new
    rates = sum(own.step_rule(k) for k in range(own.began(t), t + 1))
    return new._replace(first=new.first * (rates / own.step_rule(t)))


@wrong_step("0/1 Adam from the last local model", judge=zero_one_conserves, on=zero_one())
def from_local_model(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """what was heard is walked from the worker's own model, not from the last meeting's"""
    new = own.step(state, t, context)
    return new._replace(x=state.x + (new.x - state.anchor)) if own.meets(t) else new


@wrong_step("0/1 Adam of forgetful workers", judge=zero_one_conserves, on=zero_one())
def cleared_residual(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """memories of the workers cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(residual=torch.zeros_like(new.residual))


@wrong_step("0/1 Adam whose v moves", judge=zero_one_path, on=zero_one())
def refreshed_always(
    own: ZeroOneAdam, state: ZeroOneAdamState, t: int, context: RunContext
) -> ZeroOneAdamState:
    """v is refreshed by squares of the momenta that were heard, at every meeting"""
    new = own.step(state, t, context)
    if not own.meets(t):
        return new
    return new._replace(second=own.moments.second(new.second, new.first[..., :1, :]))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "0/1 Adam of one scale", "one scale shared by all chunks", zero_one_path,
        replace(zero_one(), compressor=ScaledSign()),
    ),
    fault("compressed 0/1 Adam as Adam", "signs where C = I is said", zero_one_is_adam, zero_one()),
)  # fmt: skip
