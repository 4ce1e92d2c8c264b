"""1-bit Adam (Tang et al. 2021, arXiv:2102.02888): closed forms, and the faults they refute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import Buckets
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.compressed_optimizers.one_bit_adam import OneBitAdam, OneBitAdamState
from algorithms.methods.parts.adam_moments import AdamMoments
from algorithms.methods.synchronous.bsp import BSP, BSPState
from algorithms.optimizers.momentum import Momentum
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.compressed_optimizers import (
    CENTRES,
    CURVATURES,
    UNEQUAL_PAIR,
    in_single,
    linear,
)
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_ONE_BIT = ClosedForms("one-bit-adam", UNEQUAL_PAIR)
_BETAS = AdamMoments(0.9, 0.99, 1e-3)
_GAMMA, _WARM, _STEPS, _CHUNK = 0.05, 4, 24, 2


def one_bit(compressor: Compressor | None = None) -> OneBitAdam:
    """1-bit Adam on two chunks of two coordinates, four steps of warm-up."""
    chunks = Buckets(ScaledSign(), _CHUNK)
    return OneBitAdam(ConstantStep(_GAMMA), _WARM, compressor or chunks, _BETAS)


def _signs(x: Floats) -> Floats:
    """Every chunk's mean magnitude with its signs, rows ``[m, d]``."""
    parts = [x[:, at : at + _CHUNK] for at in range(0, x.shape[1], _CHUNK)]
    signed = [np.abs(p).mean(1, keepdims=True) * np.where(p < 0, -1.0, 1.0) for p in parts]
    return np.concatenate(signed, 1)


def _one_bit_by_hand() -> Floats:
    """The models ``[steps + 1, d]`` by the rule as it stands, in numpy."""
    a, b = CURVATURES.numpy(), CENTRES.numpy()
    x, m, v, server = (np.zeros((1, a.shape[1])) for _ in range(4))
    residual, seen = np.zeros_like(a), [np.zeros(a.shape[1])]
    for t in range(_STEPS):
        g = a * (x - b)
        if t < _WARM:
            m = 0.9 * m + 0.1 * g.mean(0, keepdims=True)
            v = 0.99 * v + 0.01 * g.mean(0, keepdims=True) ** 2
        else:
            up = 0.9 * m + 0.1 * g + residual
            residual = up - _signs(up)
            down = _signs(up).mean(0, keepdims=True) + server
            m = _signs(down)
            server = down - m
        x = x - _GAMMA * m / (np.sqrt(v) + 1e-3)
        seen.append(x[0])
    return np.array(seen)


@_ONE_BIT.case("closed form", f"{_STEPS} steps, gamma {_GAMMA}, {_WARM} of warm-up")
def one_bit_path(method: Method[Any] | None = None) -> Verdict:
    """The rule by hand, chunk by chunk."""
    found = models(method or one_bit(), UNEQUAL_PAIR, _STEPS)[:, 0]
    return same("models are those of the rule by hand", found, _one_bit_by_hand(), tolerance=1e-10)


@_ONE_BIT.case("equivalence", f"{_STEPS} steps, C = I")
def one_bit_uncompressed(method: Method[Any] | None = None) -> Verdict:
    """C = I: SGD with momentum, preconditioned by the frozen v.

    In coordinates y = sqrt(s) x, s = sqrt(v) + eps, curvatures are a/s and heavy-ball steps are
    gamma (1 - beta1), from the velocity gamma m / sqrt(s) that the warm-up left.
    """
    own = method or one_bit(Identity())
    moments = [snapshot.state for snapshot in path(own, UNEQUAL_PAIR, _STEPS)]
    there = moments[_WARM]
    root = _BETAS.scale(there.second)[0].sqrt()
    scaled = Quadratic.from_arrays(CURVATURES / root**2, CENTRES * root)
    step = _GAMMA * (1 - _BETAS.beta1)
    ball = BSP(ConstantStep(step), optimizer=Momentum(_BETAS.beta1))
    none = torch.zeros(0, dtype=torch.float64)
    start = BSPState(there.x * root, none, none, _GAMMA * there.first / root)
    rest = models(ball, scaled, _STEPS - _WARM, state=start)
    found = torch.stack([one.x[0, 0] for one in moments[_WARM:]])
    return same(
        "without compression it is momentum SGD, preconditioned by the frozen v",
        found * root, rest[:, 0], tolerance=1e-10,
    )  # fmt: skip


@_ONE_BIT.case("invariant", f"{_STEPS} steps")
def nothing_forgotten(method: Method[Any] | None = None) -> Iterator[Verdict]:
    """v stays after the warm-up; what was heard, and what is kept, is all that was to be sent."""
    states = [one.state for one in path(method or one_bit(), UNEQUAL_PAIR, _STEPS)][_WARM:]
    frozen = torch.stack([one.second - states[0].second for one in states])
    yield same("v is that of the warm-up's end for ever", frozen, 0.0)
    wanted = _wanted(states)
    incoming = torch.stack([one.first for one in states[1:]]).sum(0)
    kept = states[-1].residual.mean(-2, keepdim=True) + states[-1].server
    yield same("heard + kept = sum of the mean momenta", incoming + kept, wanted.sum(0))


def _wanted(states: list[OneBitAdamState]) -> Tensor:
    """Mean momenta ``[T, 1, 1, d]`` that each step was to send."""
    rows = []
    for one in states[:-1]:
        g = (CURVATURES * (one.x - CENTRES)).mean(-2, keepdim=True)
        rows.append(_BETAS.beta1 * one.first + (1 - _BETAS.beta1) * g)
    return torch.stack(rows)


@_ONE_BIT.case("bits", "float32, d = 4")
def one_bit_bits(method: Method[Any] | None = None) -> Verdict:
    """32 d a step in the warm-up, then d + 32 a chunk, up and down."""
    trace = run(method or one_bit(), in_single(), steps=_STEPS, points=_STEPS + 1)
    d, chunks = 4, 2
    each = [32 * d] * _WARM + [d + 32 * chunks] * (_STEPS - _WARM)
    bits = np.array([0, *np.cumsum(each)], dtype=np.float64)
    return same(
        "bits of a worker, up and down",
        np.stack([trace.sent_bits[0], trace.received_bits[0]]), np.stack([bits, bits]),
    )  # fmt: skip


@_ONE_BIT.case("closed form", "C = I, 400 steps", on="a linear function")
def short_warm_up() -> Verdict:
    """Frozen after W steps of one gradient, v is (1 - beta2^W) g^2: steps end longer than gamma by
    1/sqrt(1 - beta2^W), 31.6 for W = 1 and beta2 = 0.999; why a short warm-up fails."""
    longer = []
    for warm in (1, 10, 100):
        own = OneBitAdam(ConstantStep(1.0), warm, Identity(), AdamMoments(0.9, 0.999, 1e-12))
        walked = models(own, linear([2.0, -0.5]), 400)[:, 0]
        longer.append((walked[-2] - walked[-1]).tolist())
    want = [[s / np.sqrt(1 - 0.999**warm) for s in (1.0, -1.0)] for warm in (1, 10, 100)]
    return same("steps end at gamma sign(g) / sqrt(1 - beta2^W)", longer, want, tolerance=1e-8)


CLOSED_FORMS = (_ONE_BIT,)


# Faults planted in 1-bit Adam, each refuted by a closed form of its row.


def moving_second(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """v goes on with squares of the momenta that were heard, after the warm-up"""
    new = own.step(state, t, context)
    if t < own.warm:
        return new
    return new._replace(second=own.moments.second(state.second, new.first))


@wrong_step("1-bit Adam of forgetful workers", judge=nothing_forgotten, on=one_bit())
def cleared_workers(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """memories of the workers cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(residual=torch.zeros_like(new.residual))


@wrong_step("1-bit Adam of a forgetful server", judge=nothing_forgotten, on=one_bit())
def cleared_server(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """memory of the server cleared at every step"""
    new = own.step(state, t, context)
    return new._replace(server=torch.zeros_like(new.server))


@wrong_step("1-bit Adam with own momenta", judge=one_bit_path, on=one_bit())
def stale_momentum(
    own: OneBitAdam, state: OneBitAdamState, t: int, context: RunContext
) -> OneBitAdamState:
    """momenta go on from the one of the warm-up's end, not from the one that was heard"""
    new = own.step(state, t, context)
    return new if t < own.warm else new._replace(first=state.first)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step("1-bit Adam whose v moves", judge=nothing_forgotten, on=one_bit())(moving_second),
    wrong_step(
        "uncompressed 1-bit Adam whose v moves", judge=one_bit_uncompressed, on=one_bit(Identity())
    )(moving_second),
    fault(
        "1-bit Adam of one scale", "one scale shared by all chunks", one_bit_path,
        replace(one_bit(), compressor=ScaledSign()),
    ),
    fault(
        "1-bit Adam billed for one chunk", "one scale on the wire in the place of two",
        one_bit_bits, replace(one_bit(), compressor=ScaledSign()),
    ),
)  # fmt: skip
