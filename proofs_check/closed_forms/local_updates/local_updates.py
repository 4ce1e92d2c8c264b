r"""Local updates: lists of meetings, local momentum, filtered blocks, compressed increments.

On quadratics with one Hessian everything but the operator is linear and alike on all workers:

- the mean model is BSP's, path by path, for every list of meetings (once, growing, post-local), and
  with local momentum that is averaged it is that of BSP with momentum;
- without noise, j steps after a meeting x_i - \bar x = s_j (b_i - \bar b), where
  v_{j+1} = m v_j + \gamma a (s_j - 1), s_{j+1} = s_j - v_{j+1}, s_0 = v_0 = 0: nothing is left of
  the last block, unless velocities differ at its start;
- a block multiplies the distance to the minimiser by q = (1 - \gamma a)^H, so BMUF's (W, \Delta)
  go on by a 2 x 2 matrix: \Delta^+ = \eta \Delta + \zeta (q - 1) W_g, W^+ = W + \Delta^+.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.top_k import TopK
from algorithms.memories.base import Memory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.momentum import Momentum
from algorithms.optimizers.outer import BlockMomentum, Outer
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.periods import Every, Growing, Listed, Once, Periods, PostLocal
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

Build = Callable[[Stepsize, Periods], Method[Any]]

_STEPS, _SEED, _REPLICAS, _M, _A, _GAMMA = 40, 181, 4, 0.8, 0.5, 0.2
_FALLING = InverseTimeStep(6.0, 12.0)
_TOLD = f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps, equal draws"
LISTS: tuple[tuple[str, Periods, tuple[int, ...]], ...] = (
    ("one-shot-averaging", Once(_STEPS), (40,)),
    ("lupa-sgd", Growing(1, 0.7), (1, 2, 4, 7, 10, 14, 19, 24, 30, 37)),
    ("lupa-sgd", Growing(2, 0.5, most=7), (2, 5, 9, 14, 20, 27, 34)),
    ("post-local-sgd", PostLocal(13, 6), (*range(1, 14), 19, 25, 31, 37)),
    ("k-avg", Listed((5, 1, 9)), (5, 6, 15, 24, 33)),
    ("pr-sgd", Every(7), (7, 14, 21, 28, 35)),
)
"""Rows, lists of meetings, and after how many of 40 steps these are: told by hand."""


def noisy() -> Quadratic:
    """One Hessian, different minimisers, noise; n = 5."""
    return Quadratic.strongly_convex(5, 12, L=2.0, mu=0.1, sigma2=3.0, zeta2=9.0, R2=4.0)


def quiet(n: int = 3) -> Quadratic:
    """f_i(x) = a (x - b_i)^2 / 2 in two coordinates, no noise; x_0 = (1, -2)."""
    generator = torch.Generator().manual_seed(_SEED)
    b = torch.randn((n, 2), generator=generator, dtype=torch.float64)
    x0 = torch.tensor([1.0, -2.0], dtype=torch.float64)
    return Quadratic.from_arrays(torch.full_like(b, _A), b, x0=x0)


def lists_keep_the_mean(build: Build = LocalSGD) -> tuple[Verdict, ...]:
    """The mean model is BSP's at every step, whatever the list of meetings."""
    problem = noisy()
    right = models(BSP(_FALLING), problem, _STEPS, seed=_SEED, replicas=_REPLICAS)
    return tuple(
        identity(
            row, f"mean of local models = BSP's model, path by path, {periods.name}",
            models(build(_FALLING, periods), problem, _STEPS, seed=_SEED, replicas=_REPLICAS),
            right, check="closed form C2, lists", problem=problem.name, provenance=_TOLD,
        )
        for row, periods, _ in LISTS
    )  # fmt: skip


def _spreads(ends: tuple[int, ...], m: float) -> NDArray[np.float64]:
    """s_j at every step t = 0, ..., T: j steps after the last meeting."""
    s = v = 0.0
    told = [0.0]
    for t in range(1, _STEPS + 1):
        v = m * v + _GAMMA * _A * (s - 1)
        s -= v
        if t in ends:
            s = v = 0.0
        told.append(s)
    return np.array(told)


def _apart(method: Method[Any]) -> NDArray[np.float64]:
    """(x_1 - xbar) / (b_1 - bbar) ``[T + 1, d]`` along the path without noise."""
    problem = quiet()
    b = problem.c / problem.a
    rows = [method.models(moment.state)[0] for moment in path(method, problem, _STEPS)]
    away = torch.stack([x[0] - x.mean(0) for x in rows])
    return (away / (b[0] - b.mean(0))).numpy()


def spread_between_meetings(build: Build = LocalSGD) -> tuple[Verdict, ...]:
    """x_i - xbar = (1 - (1 - gamma a)^j)(b_i - bbar), j steps after a meeting."""
    return tuple(
        identity(
            row, f"x_i - xbar = (1 - (1 - gamma a)^j)(b_i - bbar), {periods.name}",
            _apart(build(ConstantStep(_GAMMA), periods)), _spreads(ends, 0.0)[:, None],
            check="closed form, spread between meetings", problem="quadratic",
            provenance=f"{_STEPS} steps, gamma {_GAMMA:g}, a {_A:g}, no noise",
        )
        for row, periods, ends in LISTS
    )  # fmt: skip


def with_momentum(step: Stepsize, periods: Periods) -> LocalSGD:
    """PR-SGD with momentum."""
    return LocalSGD(step, periods, Momentum(_M), AtMeetings.AVERAGED)


def averaged_momentum(build: Build = with_momentum) -> tuple[Verdict, ...]:
    """The mean model is that of BSP with momentum; the spread forgets the last block."""
    problem, periods, ends = noisy(), Every(6), tuple(range(6, _STEPS, 6))
    step = ConstantStep(0.1)
    right = BSP(step, optimizer=Momentum(_M))
    wrong = build(step, periods)
    return (
        identity(
            "pr-sgd-momentum", "mean of local models = model of BSP with momentum, path by path",
            models(wrong, problem, _STEPS, seed=_SEED, replicas=_REPLICAS),
            models(right, problem, _STEPS, seed=_SEED, replicas=_REPLICAS),
            check="closed form C2, momentum", problem=problem.name, provenance=_TOLD,
        ),
        identity(
            "pr-sgd-momentum", "x_i - xbar = s_j (b_i - bbar) j steps after a meeting, by the "
            "recursion of momentum from s_0 = v_0 = 0",
            _apart(build(ConstantStep(_GAMMA), periods)), _spreads(ends, _M)[:, None],
            check="closed form, spread between meetings", problem="quadratic",
            provenance=f"{_STEPS} steps, gamma {_GAMMA:g}, m {_M:g}, no noise",
        ),
    )  # fmt: skip


Filter = Callable[[float, float, bool], Outer[Any]]


def _blocks(eta: float, zeta: float, nesterov: bool, q: float) -> NDArray[np.float64]:
    """W_g after 0, 1, ... blocks from 1, in the paper's words."""
    w = start = 1.0
    delta, told = 0.0, [1.0]
    for _ in range(_STEPS // 5):
        mean = q * start
        delta = eta * delta + zeta * (mean - start)
        w += delta
        start = w + eta * delta if nesterov else w
        told.append(start)
    return np.array(told)


def filtered_blocks(build: Filter = BlockMomentum) -> tuple[Verdict, ...]:
    """BMUF, classic and Nesterov, block by block; with eta = 0, zeta = 1 it is local SGD."""
    problem, step = quiet(), ConstantStep(_GAMMA)
    centre, x0 = (problem.c / problem.a).mean(0), problem.x0
    verdicts = []
    for eta, zeta, nesterov in ((0.75, 1.0, False), (0.75, 1.0, True), (0.5, 1.4, True)):
        method = LocalSGD(step, 5, outer=build(eta, zeta, nesterov))
        measured = (models(method, problem, _STEPS)[::5, 0] - centre) / (x0 - centre)
        kind = "Nesterov" if nesterov else "classic"
        expected = _blocks(eta, zeta, nesterov, (1 - _GAMMA * _A) ** 5)
        verdicts.append(
            identity(
                "bmuf", f"W_g by the 2 x 2 recursion, {kind}, eta={eta:g}, zeta={zeta:g}",
                measured.numpy(), expected[:, None], check="closed form, blocks",
                problem="quadratic", provenance=f"{_STEPS // 5} blocks of 5 steps, no noise",
            )
        )  # fmt: skip
    return (*verdicts, *(_unfiltered(build, nesterov) for nesterov in (False, True)))


def _unfiltered(build: Filter, nesterov: bool) -> Verdict:
    filtered = LocalSGD(_FALLING, 6, outer=build(0.0, 1.0, nesterov))
    return _same(
        "bmuf", "eta = 0, zeta = 1: local SGD, bit for bit", filtered, LocalSGD(_FALLING, 6), 0.0
    )


def _same(
    row: str, claim: str, one: Method[Any], other: Method[Any], tolerance: float = 1e-12
) -> Verdict:
    """Equal draws, equal mean models all along."""
    problem = noisy()
    paths = (models(m, problem, _STEPS, seed=_SEED, replicas=_REPLICAS) for m in (one, other))
    return identity(
        row, claim, *(p.numpy() for p in paths), tolerance=tolerance,
        check="identity of two methods", problem=problem.name, provenance=_TOLD,
    )  # fmt: skip


Compress = Callable[[Stepsize, int, Any, Memory[Any]], Method[Any]]


def sending(step: Stepsize, period: int, operator: Any, memory: Memory[Any]) -> LocalSGD:
    """Local SGD that sends compressed increments."""
    return LocalSGD(step, period, compressor=operator, memory=memory)


def increments(build: Compress = sending) -> tuple[Verdict, ...]:
    """Increments by an operator that keeps all are models; with H = 1 they are BSP's steps."""
    verdicts = [
        _same(
            row, f"an operator that keeps all, H={period}: local SGD to rounding",
            build(_FALLING, period, TopK(1.0), ErrorFeedback()), LocalSGD(_FALLING, period),
        )
        for row, period in (("pqasgd", 1), ("pqasgd", 6), ("qsparse-local-sgd", 6))
    ]  # fmt: skip
    for operator in (TopK(2), QuantisedTopK(3, 2)):
        verdicts.append(
            _same(
                "qsparse-local-sgd", f"H = 1: BSP with error feedback, {operator.name}",
                build(_FALLING, 1, operator, ErrorFeedback()),
                BSP(_FALLING, operator, ErrorFeedback()),
            )
        )  # fmt: skip
    return (*verdicts, _virtual(build))


def _virtual(build: Compress) -> Verdict:
    """With H = 6, after a meeting: what all know less the mean of what is kept has lost nothing."""
    flat = torch.zeros((5, 12), dtype=torch.float64)
    problem = Quadratic.from_arrays(flat, flat, sigma2=2.0)
    method = build(_FALLING, 6, TopK(2), ErrorFeedback())
    *_, last = path(method, problem, 36, seed=_SEED, replicas=_REPLICAS)
    kept = last.state.memory.mean(-2)
    virtual = last.state.anchor[..., 0, :] - kept
    right = models(BSP(_FALLING), problem, 36, seed=_SEED, replicas=_REPLICAS)[-1]
    return identity(
        "qsparse-local-sgd", "anchor - mean residual = BSP's model where gradients are pure noise",
        virtual.numpy(), right.numpy(), check="nothing is lost", problem="pure noise",
        provenance=f"seed {_SEED}, {_REPLICAS} replicas, 36 steps, H = 6, top-2 of 12",
    )  # fmt: skip


def post_local() -> tuple[Verdict, ...]:
    """Switched at once it is local SGD, switched at the end it averages every step."""
    start, end = (LocalSGD(_FALLING, PostLocal(switch, 6)) for switch in (0, _STEPS))
    row = "post-local-sgd"
    return (
        _same(row, "switch 0: local SGD, bit for bit", start, LocalSGD(_FALLING, 6), 0.0),
        _same(row, "switch T: H = 1, bit for bit", end, LocalSGD(_FALLING, 1), 0.0),
        _same(row, "switch T: BSP-SGD, to rounding", end, BSP(_FALLING)),
    )


def local_lists() -> tuple[Verdict, ...]:
    """All of them."""
    return (
        *lists_keep_the_mean(), *spread_between_meetings(), *averaged_momentum(),
        *filtered_blocks(), *increments(), *post_local(),
    )  # fmt: skip


CLOSED_FORMS = (local_lists,)
