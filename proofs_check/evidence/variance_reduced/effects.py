"""Effects of methods that shift, skip or refine what they send: what each row is for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor

from algorithms.catalogue import problem
from algorithms.compressors.blocks import BlockInTurn
from algorithms.compressors.max_levels import MaxLevels
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import RunContext
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.variance_reduced.rand_diana import RandDiana, RandDianaState
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.quadratic_data import unequal
from proofs_check.instruments.bits_setting import EQUAL_CURVATURES, REPLICAS, UNEQUAL, bits_until
from proofs_check.instruments.contrast import ArmContext, arm, contrast
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting, around
from proofs_check.instruments.tuned_arm import MEASURED_ANEW
from proofs_check.methods.faulty.faulty_method import OneWrongStep
from theory.stepsizes import ConstantStep

ADAPTIVE_QUANTISATION = contrast(
    "adaptive-quantisation",
    "four bits a coordinate on a range that shrinks converge to the minimum, where the same bits "
    "on a scale of their own stall",
    replace(UNEQUAL, steps=800), Reading(last=10),
    method="4 bits on a range shrinking by 0.99 a step",
    baseline=arm(
        "QSGD with 4 levels, 4 bits a coordinate and a norm", lambda it: it.method_of("qsgd"),
        replicas=REPLICAS,
    ),
    without=arm("the range stays", lambda it: replace(it.own, shrink=1.0)),
    at_most=0.01,
    source="Pu, Zeilinger, Jones 2017, arXiv:1504.02317, Theorem 3: linear convergence at a "
    "constant number of bits",
    scales=("linear", "log"),
)  # fmt: skip

ASYLPG = contrast(
    "asylpg",
    "low precision both ways leaves no floor, as only differences to an anchor that moves along "
    "are quantised",
    Setting(
        "quadratic-unequal with d = 20 and condition number 10 at most, no noise",
        partial(unequal, sigma2=0.0, ratio=10.0), 4, 600, around(0.1), 32, points=200, d=20,
        note="a step is a gradient that arrives, anchor every 100",
    ),
    Reading(last=30),
    method="AsyLPG, 7 levels up and 127 down",
    baseline=arm(
        "asynchronous SGD on gradients of 7 levels",
        lambda it: replace(it.method_of("asp"), compressor=MaxLevels(7)),
    ),
    without=arm(
        "the first anchor is kept to the end", lambda it: replace(it.own, epoch=it.setting.length)
    ),
    at_most=0.01, source="Yu, Wu, Huang 2019, arXiv:1805.10111, Theorem 1",
    scales=("linear", "log"),
)  # fmt: skip

_BLOCKS = 4


@cache
def _common_part(n: int, d: int) -> LeastSquares:
    """Samples whose features share a common part, targets without error."""
    samples = 16
    shared = normal_rows(n * samples, 1, "common")
    features = (shared + normal_rows(n * samples, d, "own")) / samples**0.5
    dealt = features.reshape(n, samples, d)
    truth = torch.ones(d, dtype=torch.float64)
    return LeastSquares.from_data(list(dealt), [part @ truth for part in dealt])


def _over_curvature(it: ArmContext, blocks: int) -> ArmContext:
    """Stepsizes in units of 1/L, where L is the largest curvature of f within one of the blocks."""
    features = it.problem.features  # type: ignore[attr-defined]
    hessian = (features.transpose(-1, -2) @ features).mean(0)
    size = len(hessian) // blocks
    within = (hessian[b : b + size, b : b + size] for b in range(0, len(hessian), size))
    return replace(it, step=ConstantStep(it.step.gamma / max(_top(one) for one in within)))


def _top(matrix: Tensor) -> float:
    return float(torch.linalg.eigvalsh(matrix)[-1])


def _in_turn(it: ArmContext) -> Any:
    return _over_curvature(it, _BLOCKS).own


BCD = contrast(
    "bcd",
    "blocks in turn, each by a step of its own curvature, take about half the bits of full "
    "gradients, whose step all blocks together bound",
    Setting(
        "least squares, d = 16, features that share a common part, without noise", _common_part, 4,
        100, (1.0, 1.5), d=16, note="gamma over the curvature of a block (of f: full gradients)",
    ),
    Reading("sent_bits", target=1e-7, share=True),
    method=arm(f"{_BLOCKS} blocks in turn", _in_turn, steps=_BLOCKS * 100),
    baseline=arm("BSP with full gradients", lambda it: BSP(_over_curvature(it, 1).step)),
    without=arm(
        "all blocks at once, by a block's step",
        lambda it: BSP(_over_curvature(it, _BLOCKS).step),
    ),
    at_most=0.6,
    source="Beck, Tetruashvili 2013 (SIAM J. Optim. 23), Section 3: steps 1/L_i of the blocks; "
    "Mahajan, Keerthi, Sundararajan 2014, arXiv:1405.4544",
)  # fmt: skip

DIANA = contrast(
    "diana",
    "workers that differ leave no error floor though their gradients are quantised",
    replace(UNEQUAL, steps=120, replicas=128, seed=MEASURED_ANEW), Reading(),
    method="DIANA",
    baseline=arm("QSGD, 4 levels", lambda it: it.method_of("qsgd")),
    without=arm("shifts stay at zero (alpha = 0)", lambda it: replace(it.own, alpha=0.0)),
    at_most=1e-3,
    source="Mishchenko, Gorbunov, Takac, Richtarik 2019, arXiv:1901.09269, Theorem 2",
    scales=("linear", "log"),
)  # fmt: skip

IBCD = contrast(
    "ibcd",
    "three quarters of what workers send is waste: one block of four each, drawn by every worker "
    "for itself, keeps the rate of full gradients",
    EQUAL_CURVATURES, bits_until(1e-4),
    method=arm("one of 4 blocks, each worker its own", lambda it: it.own, replicas=48),
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step)),
    without=arm(
        "the same block for all workers", lambda it: BSP(it.step, BlockInTurn(4, lot=0))
    ),
    at_most=0.4,
    source="Mishchenko, Hanzely, Richtarik 2019, arXiv:1901.09437, Theorem 1 (IBCD): the rate of "
    "gradient descent with a share 1/n of the blocks",
)  # fmt: skip

LAQ = contrast(
    "laq",
    "innovations of few bits, sent only where they are large, reach the accuracy for a small part "
    "of the bits of lazy full gradients",
    Setting(
        "least-squares-rising", lambda n: problem("least-squares-rising", n), 9, 300,
        FromProblem("gamma = 1/L", lambda of: ConstantStep(1 / of.constants().need("L"))),
    ),
    bits_until(1e-6),
    method="LAQ, 4 bits",
    baseline=arm("LAG, lazy but not quantised", lambda it: it.method_of("lag")),
    without=arm(
        "quantised but not lazy: all send in every step", lambda it: replace(it.own, patience=1)
    ),
    at_most=0.15, float_bits=64,
    source="Sun, Chen, Giannakis, Yang 2019, arXiv:1909.07588, Theorem 1 and Table 2",
)  # fmt: skip


def _untold(own: RandDiana, state: RandDianaState, t: int, context: RunContext) -> RandDianaState:
    """Workers renew their shifts, the server keeps the old mean."""
    return own.step(state, t, context)._replace(shift=state.shift)


_LOT = RandK(0.125)
_LONG = replace(
    UNEQUAL, steps=500, replicas=48, step=(0.12, 0.25, 0.5), points=50, seed=MEASURED_ANEW
)

MARINA = contrast(
    "marina",
    "an eighth of the coordinates by lot leaves no floor where workers differ: differences of "
    "gradients are compressed, and one round in eight is a full one",
    _LONG, Reading(),
    method=arm("MARINA, k = d/8, p = 1/8", lambda it: replace(it.own, compressor=_LOT)),
    baseline=arm("the same coordinates of gradients", lambda it: BSP(it.step, _LOT)),
    without=arm(
        "full gradients in the first round only",
        lambda it: replace(it.own, compressor=_LOT, refresh=1e-12),
    ),
    at_most=1e-6,
    source="Gorbunov, Burlachenko, Li, Richtarik 2021, arXiv:2102.07845, Theorem 2.2",
    scales=("linear", "log"),
)  # fmt: skip

DASHA = contrast(
    "dasha",
    "an eighth of the coordinates by lot leaves no floor where workers differ, though no round but "
    "the first sends gradients in full: each message takes a part of the error back",
    _LONG, Reading(),
    method=arm("DASHA, k = d/8", lambda it: replace(it.own, compressor=_LOT)),
    baseline=arm("the same coordinates of gradients", lambda it: BSP(it.step, _LOT)),
    without=arm(
        "differences alone: nothing is taken back (a = 0)",
        lambda it: replace(it.own, compressor=_LOT, pull=0.0),
    ),
    at_most=1e-4,
    source="Tyurin, Richtarik 2022, arXiv:2202.01268, Algorithm 1",
    scales=("linear", "log"),
)  # fmt: skip

RAND_DIANA = contrast(
    "rand-diana",
    "shifts that are renewed by lot leave no floor where workers differ though their gradients are "
    "compressed",
    _LONG, Reading(),
    method=arm("Rand-DIANA, k = d/8", lambda it: replace(it.own, compressor=_LOT)),
    baseline=arm("the same coordinates of gradients", lambda it: BSP(it.step, _LOT)),
    without=arm(
        "the server is not told of renewed shifts",
        lambda it: OneWrongStep(replace(it.own, compressor=_LOT), _untold),
    ),
    at_most=1e-3,
    source="Shulgin, Richtarik 2022, arXiv:2206.10452, Rand-DIANA",
    scales=("linear", "log"),
)  # fmt: skip
