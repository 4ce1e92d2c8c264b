"""Closed forms: bmuf, compressed increments, meetings, pr sgd momentum, qsparse local sgd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.top_k import TopK
from algorithms.memories.base import Memory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.methods.local_updates.qsparse_async import AsyncQsparse
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.outer import BlockMomentum, Outer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.periods import (
    FixedPeriod,
    GrowingPeriod,
    ListedPeriods,
    OneShot,
    Periods,
    PostLocal,
)
from proofs_check.evidence.local_updates.closed_forms_common import (
    COMMON_HESSIAN_REPLICAS as REPLICAS,
)
from proofs_check.evidence.local_updates.closed_forms_common import (
    FALLING,
    GAMMA,
    SEED,
    STEPS,
    TOLD,
    A,
    noisy,
    quiet,
    same_means,
    spread_of_run,
    spreads,
)
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

# BMUF, block by block.
#
# A block multiplies the distance to the minimiser by q = (1 - \gamma a)^H, so (W, \Delta) go on by
# a 2 x 2 matrix: \Delta^+ = \eta \Delta + \zeta (q - 1) W_g, W^+ = W + \Delta^+.


Filter = Callable[[float, float, bool], Outer[Any]]


def _blocks(eta: float, zeta: float, nesterov: bool, q: float) -> Floats:
    """W_g after 0, 1, ... blocks from 1, in the paper's words."""
    w = start = 1.0
    delta, told = 0.0, [1.0]
    for _ in range(STEPS // 5):
        mean = q * start
        delta = eta * delta + zeta * (mean - start)
        w += delta
        start = w + eta * delta if nesterov else w
        told.append(start)
    return np.array(told)


def filtered_blocks(build: Filter = BlockMomentum) -> tuple[Verdict, ...]:
    """BMUF, classic and Nesterov, block by block; with eta = 0, zeta = 1 it is local SGD."""
    problem, step = quiet(), ConstantStep(GAMMA)
    centre, x0 = (problem.c / problem.a).mean(0), problem.x0
    verdicts = []
    for eta, zeta, nesterov in ((0.75, 1.0, False), (0.75, 1.0, True), (0.5, 1.4, True)):
        method = LocalSGD(step, 5, outer=build(eta, zeta, nesterov))
        measured = (models(method, problem, STEPS)[::5, 0] - centre) / (x0 - centre)
        kind = "Nesterov" if nesterov else "classic"
        expected = _blocks(eta, zeta, nesterov, (1 - GAMMA * A) ** 5)
        verdicts.append(
            identity(
                "bmuf", f"W_g by the 2 x 2 recursion, {kind}, eta={eta:g}, zeta={zeta:g}",
                measured.numpy(), expected[:, None], check="closed form, blocks",
                problem="quadratic", provenance=f"{STEPS // 5} blocks of 5 steps, no noise",
            )
        )  # fmt: skip
    return (*verdicts, *(_unfiltered(build, nesterov) for nesterov in (False, True)))


def _unfiltered(build: Filter, nesterov: bool) -> Verdict:
    filtered = LocalSGD(FALLING, 6, outer=build(0.0, 1.0, nesterov))
    return same_means(
        "bmuf", "eta = 0, zeta = 1: local SGD, bit for bit", filtered, LocalSGD(FALLING, 6), 0.0
    )


# Compressed increments of local SGD: PQASGD and Qsparse-local-SGD.


Compress = Callable[[Stepsize, int, Any, Memory[Any]], Method[Any]]


def sending(step: Stepsize, period: int, operator: Any, memory: Memory[Any]) -> LocalSGD:
    """Local SGD that sends compressed increments."""
    return LocalSGD(step, period, compressor=operator, memory=memory)


def increments(build: Compress = sending) -> tuple[Verdict, ...]:
    """Increments by an operator that keeps all are models; with H = 1 they are BSP's steps."""
    verdicts = [
        same_means(
            row, f"an operator that keeps all, H={period}: local SGD to rounding",
            build(FALLING, period, TopK(1.0), ErrorFeedback()), LocalSGD(FALLING, period),
        )
        for row, period in (("pqasgd", 1), ("pqasgd", 6), ("qsparse-local-sgd", 6))
    ]  # fmt: skip
    for operator in (TopK(2), QuantisedTopK(3, 2)):
        verdicts.append(
            same_means(
                "qsparse-local-sgd", f"H = 1: BSP with error feedback, {operator.name}",
                build(FALLING, 1, operator, ErrorFeedback()),
                BSP(FALLING, operator, ErrorFeedback()),
            )
        )  # fmt: skip
    return (*verdicts, _virtual(build))


_QSPARSE_LOCAL_SGD_FORMS = ClosedForms("qsparse-local-sgd")


@_QSPARSE_LOCAL_SGD_FORMS.case(
    "nothing is lost",
    f"seed {SEED}, {REPLICAS} replicas, 36 steps, H = 6, top-2 of 12",
    on="pure noise",
)
def _virtual(build: Compress) -> Verdict:
    """With H = 6, after a meeting: what all know less the mean of what is kept has lost nothing."""
    flat = torch.zeros((5, 12), dtype=torch.float64)
    problem = Quadratic.from_arrays(flat, flat, sigma2=2.0)
    method = build(FALLING, 6, TopK(2), ErrorFeedback())
    *_, last = path(method, problem, 36, seed=SEED, replicas=REPLICAS)
    kept = last.state.memory.mean(-2)
    virtual = last.state.anchor[..., 0, :] - kept
    right = models(BSP(FALLING), problem, 36, seed=SEED, replicas=REPLICAS)[-1]
    return same(
        "anchor - mean residual = BSP's model where gradients are pure noise", virtual.numpy(),
        right.numpy(),
    )  # fmt: skip


# Lists of meetings: once, growing, post-local, listed, periodic.
#
# On quadratics with one Hessian the mean model is BSP's, path by path, for every list of meetings,
# and nothing of the last block is left in the spread.


MeetingsBuild = Callable[[Stepsize, Periods], Method[Any]]
LISTS: tuple[tuple[str, Periods, tuple[int, ...]], ...] = (
    ("one-shot-averaging", OneShot(STEPS), (40,)),
    ("lupa-sgd", GrowingPeriod(1, 0.7), (1, 2, 4, 7, 10, 14, 19, 24, 30, 37)),
    ("lupa-sgd", GrowingPeriod(2, 0.5, most=7), (2, 5, 9, 14, 20, 27, 34)),
    ("post-local-sgd", PostLocal(13, 6), (*range(1, 14), 19, 25, 31, 37)),
    ("k-avg", ListedPeriods((5, 1, 9)), (5, 6, 15, 24, 33)),
    ("pr-sgd", FixedPeriod(7), (7, 14, 21, 28, 35)),
)
"""Rows, lists of meetings, and after how many of 40 steps these are: told by hand."""


def lists_keep_the_mean(build: MeetingsBuild = LocalSGD) -> tuple[Verdict, ...]:
    """The mean model is BSP's at every step, whatever the list of meetings."""
    problem = noisy()
    right = models(BSP(FALLING), problem, STEPS, seed=SEED, replicas=REPLICAS)
    return tuple(
        identity(
            row, f"mean of local models = BSP's model, path by path, {periods.name}",
            models(build(FALLING, periods), problem, STEPS, seed=SEED, replicas=REPLICAS),
            right, check="closed form, lists", problem=problem.name, provenance=TOLD,
        )
        for row, periods, _ in LISTS
    )  # fmt: skip


def spread_between_meetings(build: MeetingsBuild = LocalSGD) -> tuple[Verdict, ...]:
    """x_i - xbar = (1 - (1 - gamma a)^j)(b_i - bbar), j steps after a meeting."""
    return tuple(
        identity(
            row, f"x_i - xbar = (1 - (1 - gamma a)^j)(b_i - bbar), {periods.name}",
            spread_of_run(build(ConstantStep(GAMMA), periods)), spreads(ends, 0.0)[:, None],
            check="closed form, spread between meetings", problem="quadratic",
            provenance=f"{STEPS} steps, gamma {GAMMA:g}, a {A:g}, no noise",
        )
        for row, periods, ends in LISTS
    )  # fmt: skip


def meetings() -> tuple[Verdict, ...]:
    """The mean, and the spread between meetings."""
    return (*lists_keep_the_mean(), *spread_between_meetings())


# PR-SGD with momentum that is averaged.
#
# On quadratics with one Hessian its mean is that of BSP with momentum; the spread forgets the last
# block, unless velocities differ at its start.


PrSgdMomentumBuild = Callable[[Stepsize, Periods], Method[Any]]
_M = 0.8


def with_momentum(step: Stepsize, periods: Periods) -> LocalSGD:
    """PR-SGD with momentum, its velocities averaged at meetings."""
    return LocalSGD(step, periods, Momentum(_M), AtMeetings.AVERAGED)


_PR_SGD_MOMENTUM_FORMS = ClosedForms("pr-sgd-momentum")


@_PR_SGD_MOMENTUM_FORMS.case()
def averaged_momentum(build: PrSgdMomentumBuild = with_momentum) -> Iterator[Verdict]:
    """The mean model is that of BSP with momentum; the spread forgets the last block."""
    problem, periods, ends = noisy(), FixedPeriod(6), tuple(range(6, STEPS, 6))
    step = ConstantStep(0.1)
    right = BSP(step, optimizer=Momentum(_M))
    wrong = build(step, periods)
    yield same(
        "mean of local models = model of BSP with momentum, path by path",
        models(wrong, problem, STEPS, seed=SEED, replicas=REPLICAS),
        models(right, problem, STEPS, seed=SEED, replicas=REPLICAS), check="closed form, momentum",
        on=problem, words=TOLD,
    )  # fmt: skip
    yield same(
        "x_i - xbar = s_j (b_i - bbar) j steps after a meeting, by the "
        "recursion of momentum from s_0 = v_0 = 0",
        spread_of_run(build(ConstantStep(GAMMA), periods)), spreads(ends, _M)[:, None],
        check="closed form, spread between meetings", on="quadratic",
        words=f"{STEPS} steps, gamma {GAMMA:g}, m {_M:g}, no noise",
    )  # fmt: skip


# Asynchronous Qsparse-local-SGD: nothing is lost, and meeting at once it is the synchronous form.
#
# \tilde x_t = \bar{\bar x} - \frac1n \sum_i (e_i + a_i - x_i) moves by the mean of the steps alone:
# where gradients are pure noise it is BSP's model at every step, whoever meets when.


QsparseLocalSgdBuild = Callable[[Stepsize, int, float], Any]

_STEP, _SEED, _REPLICAS, _STEPS = InverseTimeStep(6.0, 12.0), 201, 3, 36
_OPERATOR = QuantisedTopK(3, 2)
_DESCRIPTION = (
    f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps, n=5, {_OPERATOR.name}, equal draws"
)


def staggered(step: Stepsize, period: int, stagger: float) -> AsyncQsparse:
    """The method on the operator of this file."""
    return AsyncQsparse(step, period, _OPERATOR, ErrorFeedback(), stagger)


@_QSPARSE_LOCAL_SGD_FORMS.case("", _DESCRIPTION)
def async_qsparse(build: QsparseLocalSgdBuild = staggered) -> Iterator[Verdict]:
    """Nothing is lost under pure noise; with all workers meeting at once it is the synchronous
    form."""
    flat = torch.zeros((5, 12), dtype=torch.float64)
    noise = Quadratic.from_arrays(flat, flat, sigma2=2.0, name="pure noise")
    virtual = []
    for _, s, _ in path(build(_STEP, 6, 1.0), noise, _STEPS, seed=_SEED, replicas=_REPLICAS):
        virtual.append((s.server - s.memory - s.anchor + s.x).mean(-2))
    uneven = Quadratic.strongly_convex(5, 12, L=2.0, mu=0.1, sigma2=3.0, zeta2=9.0, R2=4.0)
    sync = LocalSGD(_STEP, 6, compressor=_OPERATOR, memory=ErrorFeedback())
    at_once, together = (
        models(m, uneven, _STEPS, seed=_SEED, replicas=_REPLICAS)
        for m in (build(_STEP, 6, 0.0), sync)
    )
    right = models(BSP(_STEP), noise, _STEPS, seed=_SEED, replicas=_REPLICAS)
    yield same(
        "asynchronous: the virtual iterate is BSP's model at every step",
        torch.stack(virtual).numpy(), right.numpy(), check="nothing is lost", on=noise,
    )  # fmt: skip
    yield same(
        "asynchronous, all meeting at once: the synchronous form", at_once.numpy(),
        together.numpy(), check="identity of two methods", on=uneven,
    )  # fmt: skip


CLOSED_FORMS = (filtered_blocks, increments, meetings, averaged_momentum, async_qsparse)

COVERS = {
    "async_qsparse": ("qsparse-local-sgd",),
    "averaged_momentum": ("pr-sgd-momentum",),
    "filtered_blocks": ("bmuf",),
    "increments": ("pqasgd", "qsparse-local-sgd"),
    "meetings": ("k-avg", "lupa-sgd", "one-shot-averaging", "post-local-sgd", "pr-sgd"),
}
