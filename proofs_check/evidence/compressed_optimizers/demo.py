"""DeMo (Peng, Quesnelle, Kingma 2024, arXiv:2411.19870): closed forms and faults."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol, final

import numpy as np
import torch
from scipy.fft import dct
from torch import Tensor

from algorithms.compressors.sign import Sign
from algorithms.engine.run import run
from algorithms.methods.base import Method, RunContext
from algorithms.methods.compressed_optimizers.demo import DeMo, DeMoState
from algorithms.methods.parts.all_gather import gathered_sum
from algorithms.methods.parts.cosine_transform import CosineTransform
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.compressed_optimizers import (
    CENTRES,
    CURVATURES,
    UNEQUAL_PAIR,
    in_single,
)
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_DEMO = ClosedForms("demo", UNEQUAL_PAIR)
_STEPS, _GAMMA, _BETA = 30, 0.07, 0.9


class ChunkTransform(Protocol):
    """Chunk-wise transform of rows, and its inverse."""

    def forward(self, x: Tensor) -> Tensor:
        """Coefficients of rows ``[..., m, d]``."""
        ...

    def inverse(self, coefficients: Tensor) -> Tensor:
        """Rows ``[..., m, d]`` of these coefficients."""
        ...


def demo(k: int = 1, beta: float = _BETA) -> DeMo:
    """DeMo with chunks of two coordinates."""
    return DeMo(ConstantStep(_GAMMA), 2, k, beta)


def _demo_by_hand() -> Floats:
    """The models ``[steps + 1, d]`` of 1 of 2 by the rule as it stands, with scipy's transform; the
    momenta are kept as they are, not as coefficients."""
    a, b = CURVATURES.numpy(), CENTRES.numpy()
    x, momentum, seen = np.zeros(4), np.zeros_like(a), [np.zeros(4)]
    for _ in range(_STEPS):
        momentum = _BETA * momentum + a * (x - b)
        total = np.zeros(4)
        for i in range(2):
            for at in (0, 2):
                c = dct(momentum[i, at : at + 2], norm="ortho")
                c[np.abs(c).argmin()] = 0.0
                q = dct(c, type=3, norm="ortho")
                momentum[i, at : at + 2] -= q
                total[at : at + 2] += q
        x = x - _GAMMA * np.sign(total)
        seen.append(x)
    return np.array(seen)


@_DEMO.case("closed form", f"{_STEPS} steps, gamma {_GAMMA}, beta {_BETA}")
def demo_path(method: Method[Any] | None = None) -> Verdict:
    """The rule by hand, on momenta as they are."""
    found = models(method or demo(), UNEQUAL_PAIR, _STEPS)[:, 0]
    return same("models are those of the rule by hand", found, _demo_by_hand(), tolerance=1e-10)


@_DEMO.case("transform", "sizes 1 to 12, 16, 30, 64", on="rows of normal numbers")
def orthonormal(transform: ChunkTransform | None = None) -> Iterator[Verdict]:
    """The transform is scipy's orthonormal DCT-II, chunk by chunk; it keeps lengths, and back is
    its transposed."""
    x = normal_rows(3, 64, "cosine")
    chunked = transform or CosineTransform(12)
    whole = dct(x[:, :60].reshape(3, 5, 12).numpy(), norm="ortho").reshape(3, 60)
    want = np.concatenate([whole, dct(x[:, 60:].numpy(), norm="ortho")], 1)
    found = chunked.forward(x)
    yield same("coefficients are scipy's, the last chunk shorter", found, want)
    yield same("lengths stay", found.norm(dim=-1), x.norm(dim=-1))
    yield same("back is the inverse", chunked.inverse(found), x)
    gaps = []
    for size in (*range(1, 13), 16, 30, 64):
        basis = CosineTransform(size).matrix(size)
        gaps.append(float((basis @ basis.T - torch.eye(size)).abs().max()))
    yield same("B B^T = I for every size", gaps, 0.0)


@_DEMO.case("transform", "sizes to 64", on="basis vectors")
def exact_zeros() -> Verdict:
    """Entry n of vector k is 0 where (2 n + 1) k is an odd multiple of the size: exactly 0 there,
    for odd factors alone; powers of 2 have none."""
    wrong = 0
    for size in range(1, 65):
        basis = CosineTransform(size).matrix(size)
        k, n = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
        turned = (2 * n + 1) * k
        due = (turned % size == 0) & (turned // size % 2 == 1)
        wrong += int(((basis == 0).numpy() != due).sum())
        wrong += int(bool(due.any()) != (size & (size - 1) != 0))
    return none_wrong("zeros are where they are due, and exact", wrong, "64 sizes")


@_DEMO.case("equivalence", f"k = chunk, beta 0.5 and 0.999, {_STEPS} steps")
def momentum_vanishes(transformed: Any = None) -> Iterator[Verdict]:
    """k = chunk: M = 0 after every step, whatever beta: sign descent on the mean gradient."""
    signs = models(BSP(ConstantStep(_GAMMA), downlink=Sign()), UNEQUAL_PAIR, _STEPS)
    for beta in (0.5, 0.999):
        own = demo(2, beta)
        own = own if transformed is None else transformed(own)
        seen = list(path(own, UNEQUAL_PAIR, _STEPS))
        kept = torch.stack([one.state.momentum for one in seen])
        yield same(f"M = 0 after every step, beta = {beta}", kept, 0.0, tolerance=0.0)
        found = torch.stack([own.models(one.state)[0] for one in seen])
        yield same(f"it is sign descent, beta = {beta}", found, signs, tolerance=0.0)


@_DEMO.case("closed form", "gamma 0.3", on="x^2/2")
def demo_cycle() -> Verdict:
    """Nothing makes good for the sign: from 1 by 0.3 to 0.1, then between -0.2 and 0.1 for ever."""
    one = torch.ones((1, 1), dtype=torch.float64)
    parabola = Quadratic(name="parabola", a=one, c=0 * one, x_star=0 * one[0], x0=one[0])
    walked = models(DeMo(ConstantStep(0.3), 1, 1), parabola, 8).reshape(-1)
    return same(
        "x_t = 1, .7, .4, .1, -.2, .1, -.2, ...: a cycle of length gamma", walked,
        [1.0, 0.7, 0.4, 0.1, -0.2, 0.1, -0.2, 0.1, -0.2],
    )  # fmt: skip


@_DEMO.case("invariant", f"{_STEPS} steps, 1 of 2")
def momentum_is_conserved(method: Method[Any] | None = None) -> Verdict:
    """beta M + g = M+ + q_i, so that what is sent is gone: M+ has a 0 where it was largest."""
    gaps = []
    for before, after in pairwise(path(method or demo(), UNEQUAL_PAIR, _STEPS)):
        g = CURVATURES * (before.state.x - CENTRES)
        c = dct(g.reshape(*g.shape[:-1], 2, 2).numpy(), norm="ortho").reshape(g.shape)
        whole = _BETA * before.state.momentum + torch.from_numpy(c)
        pairs, left = (v.reshape(2, 2, 2) for v in (whole, after.state.momentum))
        largest = pairs.abs() == pairs.abs().amax(-1, keepdim=True)
        gaps.append(left - torch.where(largest, 0.0, pairs))
    return same("M+ is beta M + g without what was sent", torch.stack(gaps), 0.0)


@_DEMO.case("bits", "float32, 1 of 4, two workers")
def demo_bits() -> Verdict:
    """k (32 + log2 chunk) a chunk, to each of the n - 1 others."""
    own = DeMo(ConstantStep(_GAMMA), 4, 1)
    trace = run(own, in_single(), steps=10, points=11)
    return same(
        "bits of a worker, sent and heard", np.stack([trace.sent_bits[0], trace.received_bits[0]]),
        (32.0 + 2) * np.arange(11),
    )  # fmt: skip


CLOSED_FORMS = (_DEMO,)


# Faults planted in DeMo, each refuted by a closed form of its row.


@final
@dataclass(frozen=True)
class UnscaledCosines:
    """The transform without its scales, taken back by its transposed.

    Attributes:
        right: the orthonormal transform.
    """

    right: CosineTransform

    def forward(self, x: Tensor) -> Tensor:
        """Sums of cosines, longer than the rows."""
        return self.right.forward(x) * math.sqrt(self.right.chunk / 2)

    def inverse(self, coefficients: Tensor) -> Tensor:
        """Sums of cosines again."""
        return self.right.inverse(coefficients) * math.sqrt(self.right.chunk / 2)


@wrong_step("DeMo on one transform", judge=demo_path, on=demo())
def untransformed_step(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """coefficients are taken for coordinates: no way back from the transform"""
    g = own.transform.forward(context.gradient(state.x, t))
    momentum = own.beta * state.momentum + g
    packet = context.pack(own.operator, momentum, t)
    step = gathered_sum(packet, context).sign()
    sent = packet.own(context.network.workers)
    return DeMoState(state.x - own.step_rule(t) * step, momentum - sent)


@wrong_step("DeMo of own signs", judge=demo_path, on=demo())
def signs_of_each(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """the sum of the workers' signs in the place of the sign of their sum"""
    new = own.step(state, t, context)
    momentum = own.beta * state.momentum + own.transform.forward(context.gradient(state.x, t))
    sent = context.pack(own.operator, momentum, t).own(context.network.workers)
    step = own.transform.inverse(sent).sign().sum(-2, keepdim=True)
    return new._replace(x=state.x - own.step_rule(t) * step)


@wrong_step("DeMo that remembers all", judge=momentum_vanishes)
def kept_momentum(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """the momentum is not decremented by what was sent, where all is sent"""
    momentum = own.beta * state.momentum + own.transform.forward(context.gradient(state.x, t))
    return own.step(state, t, context)._replace(momentum=momentum)


@wrong_step("DeMo that forgets all", judge=momentum_is_conserved, on=demo())
def cleared_momentum(own: DeMo, state: DeMoState, t: int, context: RunContext) -> DeMoState:
    """the momentum is cleared, not decremented"""
    new = own.step(state, t, context)
    return new._replace(momentum=torch.zeros_like(new.momentum))


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "DeMo not decoupled", "the momentum is not decremented", momentum_is_conserved,
        replace(demo(), decoupled=False),
    ),
    fault(
        "cosines without scales", "a transform that is not orthonormal", orthonormal,
        UnscaledCosines(CosineTransform(12)),
    ),
)  # fmt: skip
