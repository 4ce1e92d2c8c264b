"""Studies: easgd stability, redundancy, rounds for speedup cocod."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.cooperative.easgd import EASGD, EASGDState
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant
from proofs_check.curves import PanelLine
from proofs_check.evidence.cooperative.closed_forms_redundancy import circulant
from proofs_check.evidence.local_updates import studies_speedup as speedup_by_moments
from proofs_check.evidence.local_updates.studies_speedup import GRID
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.speedup_verdicts import SpeedupGrid
from proofs_check.instruments.study import Study, StudyResult, study
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.rules.stability import Elastic
from theory.stepsizes import ConstantStep, Stepsize

# Where EASGD on a quadratic loses stability: its 2x2 matrix against simulation.
#
# h = eta a, alpha and beta as in :class:`theory.rules.stability.Elastic`. For each beta/alpha and
# alpha the largest stable h is found on runs of the method (16 curvatures at once, a grid that is
# refined), and compared with Jury's criterion, bisected on its own.


EasgdStabilityBuild = Callable[[EASGD], Method[Any]]

_EASGD_STABILITY_N, _GRID, _STEPS, _BLOCKS, _ZOOMS = 4, 16, 50, 16, 2
_TOLERANCE = 0.01
_ALPHAS = np.linspace(0.05, 0.8, 6)
_RATIOS = (1.0, 4.0)  # beta / alpha: 4 is the paper's n alpha


def _same(method: EASGD) -> Method[Any]:
    return method


def threshold(alpha: float, beta: float) -> float:
    """The largest stable h by Jury's criterion; 0 where none is."""
    low, high = 0.0, 4.0
    if not Elastic(1e-6, alpha, beta).stable:
        return 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if Elastic(middle, alpha, beta).stable else (low, middle)
    return low


def simulated(build: EasgdStabilityBuild, alpha: float, beta: float) -> float:
    """The largest h at which models and centre shrink, to 4/16^3; curvatures are coordinates."""
    low, high = 0.0, 4.0
    for _ in range(_ZOOMS + 1):
        h = np.linspace(low, high, _GRID + 1)[1:]
        grows = _grows(build, alpha, beta, h)
        first = int(grows.argmax()) if grows.any() else _GRID
        low, high = (h[first - 1] if first else low), h[min(first, _GRID - 1)]
    return float((low + high) / 2)


def _grows(build: EasgdStabilityBuild, alpha: float, beta: float, h: Floats) -> NDArray[np.bool_]:
    """Whether coordinate j of models or centre grew over the second half, ``[len(h)]``.

    Without noise and offsets coordinates do not speak to each other: each is a run of its own, and
    the method is linear, so that a state may be scaled down between blocks of steps.
    """
    a = torch.from_numpy(h).expand(_EASGD_STABILITY_N, -1)
    problem = Quadratic.from_arrays(a.contiguous(), torch.zeros_like(a))
    x = torch.linspace(-1, 2, _EASGD_STABILITY_N, dtype=torch.float64)[None, :, None].expand(
        1, _EASGD_STABILITY_N, len(h)
    )
    state = EASGDState(0.3 * torch.ones_like(x[:, :1]), x.contiguous(), torch.zeros_like(x))
    method, grown = build(EASGD(ConstantStep(1.0), alpha, beta)), np.zeros(len(h))
    for block in range(_BLOCKS):
        for moment in path(method, problem, _STEPS, state=state):
            state = moment.state
        size = torch.cat((state.x, state.centre), 1).square().sum(1, keepdim=True).sqrt()
        state = EASGDState(*(v / size for v in state))
        grown += np.log(size[0, 0].numpy()) * (block >= _BLOCKS // 2)
    return grown >= 0


def easgd_stability_measure(build: EasgdStabilityBuild = _same) -> StudyResult:
    """Thresholds over alpha for every ratio, within 1%."""
    verdicts: list[Verdict] = []
    curves: list[PanelLine] = []
    for ratio in _RATIOS:
        betas = ratio * _ALPHAS
        stable = betas < 1.8  # beta = 2 alone leaves no stable h
        alphas = _ALPHAS[stable]
        due = np.array([threshold(a, ratio * a) for a in alphas])
        got = np.array([simulated(build, a, ratio * a) for a in alphas])
        verdicts.append(
            identity(
                "easgd",
                f"largest stable eta a with beta = {ratio:g} alpha, relative to Jury's",
                got / due,
                np.ones_like(due),
                check="stability region",
                problem="quadratic",
                tolerance=_TOLERANCE,
                provenance=f"{_GRID} curvatures a pass, {_STEPS * _BLOCKS} steps, "
                f"n={_EASGD_STABILITY_N}, no seed",
            )
        )
        label = f"beta = {ratio:g} alpha"
        fine = np.linspace(0.02, float(alphas.max()), 60)
        law = np.array([threshold(a, ratio * a) for a in fine])
        curves.append(PanelLine(f"{label}, 2x2 matrix", fine, law, theory=True))
        curves.append(PanelLine(f"{label}, simulated", alphas, got))
    return StudyResult(tuple(verdicts), curves)


EASGD_STABILITY_STUDY = Study(
    "easgd_stability",
    "easgd",
    "quadratic",
    "largest stable eta a of the 2x2 matrix, within 1%",
    "elastic pull alpha",
    "largest stable eta a",
    easgd_stability_measure,
    ("linear", "linear"),
)


# Redundant shards: heterogeneity and the bias of local SGD against shards held per worker.
#
# f_i(x) = a_i (x - b_i)^2 / 2 with random a_i and b_i over 12 workers and 64 coordinates. Holding q
# of n shards leaves of zeta^2 what the circulant mean leaves of its Fourier components,
# :math:`\frac1{n^2}\sum_k |D_k|^2 \|\hat\delta_k\|^2`; shards placed at random leave
# (n - q)/(q (n - 1)) of it in the mean. Local GD's fixed point moves to the minimiser accordingly:
# :math:`\sum_i w_i \tilde b_i / \sum_i w_i`, :math:`w_i = 1 - (1 - \gamma\tilde a_i)^H`.


RedundancyBuild = Callable[[LocalSGD, int], Method[Any]]

_REDUNDANCY_N, _D, _H, _GAMMA, _SEED, _ROUNDS = 12, 64, 10, 0.05, 31, 120
_SHARDS = (1, 2, 3, 4, 6, 8, 12)


def _problem() -> Quadratic:
    """The instance of the study."""
    rng = np.random.default_rng(_SEED)
    a = torch.from_numpy(0.5 + rng.random((_REDUNDANCY_N, _D)))
    return Quadratic.from_arrays(a, torch.from_numpy(rng.normal(size=(_REDUNDANCY_N, _D))))


def _zeta2(problem: Quadratic) -> tuple[Floats, Floats]:
    """zeta2 at the minimiser measured for every q, and predicted by the Fourier transform."""
    x = problem.x_star
    rows = problem.all_gradients(x).numpy()
    power = np.square(np.abs(np.fft.fft(rows - rows.mean(0), axis=0))).sum(1) / _REDUNDANCY_N**2
    responses = [np.abs(np.fft.fft(circulant(_REDUNDANCY_N, q)[0])) ** 2 for q in _SHARDS]
    measured = [float(Redundant(problem, q).heterogeneity(x)) for q in _SHARDS]
    return np.array(measured), np.array([float(r[1:] @ power[1:]) for r in responses])


def _stops(problem: Quadratic, build: RedundancyBuild) -> tuple[Floats, Floats]:
    """Squared bias of where local GD stops for every q, and that of the formula."""
    got, due = [], []
    for q in _SHARDS:
        method = build(LocalSGD(ConstantStep(_GAMMA), _H), q)
        trace = run(method, problem, steps=_ROUNDS * _H, points=2)
        got.append(float((trace.model[0] - problem.x_star).square().sum()))
        a, c = (circulant(_REDUNDANCY_N, q) @ v.numpy() for v in (problem.a, problem.c))
        w = 1 - (1 - _GAMMA * a) ** _H
        stop = (w * (c / a)).sum(0) / w.sum(0)
        due.append(float(np.square(stop - problem.x_star.numpy()).sum()))
    return np.array(got), np.array(due)


@study(
    "ri-sgd",
    "quadratic",
    "zeta2 and squared bias fall by their formulas",
    "shards held by a worker, of 12",
    "share of what one shard leaves",
    scales=("linear", "linear"),
)
def redundancy_measure(build: RedundancyBuild = OnMoreShards) -> StudyResult:
    """zeta2 and squared bias for every number of shards, each against its formula."""
    problem = _problem()
    (zeta, zeta_due), (bias, bias_due) = _zeta2(problem), _stops(problem, build)
    description = (
        f"seed {_SEED}, n={_REDUNDANCY_N}, d={_D}, H={_H}, gamma {_GAMMA:g}, {_ROUNDS} rounds"
    )
    verdicts = (
        identity(
            "ri-sgd", "zeta2 falls as the circulant mean of shards says, for every q",
            zeta / zeta[0], zeta_due / zeta[0], check="heterogeneity", problem="quadratic",
            provenance=description,
        ),
        identity(
            "ri-sgd", "the squared bias of local GD's fixed point falls by its formula, to 0 at n",
            bias / bias_due[0], bias_due / bias_due[0], check="fixed point", problem="quadratic",
            tolerance=1e-9, provenance=description,
        ),
    )  # fmt: skip
    q = np.array(_SHARDS, dtype=np.float64)
    curves = [
        PanelLine("heterogeneity", q, zeta / zeta[0]),
        PanelLine("squared bias", q, bias / bias[0]),
        PanelLine(
            "shards placed at random",
            q,
            (_REDUNDANCY_N - q) / (q * (_REDUNDANCY_N - 1)),
            theory=True,
        ),
    ]
    return StudyResult(verdicts, curves)


# Rounds that CoCoD-SGD needs for linear speedup: Table 2 of survey 000, n^{3/4} T^{3/4}.
#
# As :mod:`proofs_check.evidence.local_updates.studies_rounds`, with averages that are one
# period old (Shen et al. 2019, arXiv:1906.12043): the same stepsize, metric and unequal workers,
# held against its own exact law. Overlap costs a constant in the period, none in the exponents.


@study(
    "cocod-sgd",
    "quadratic",
    "n^(3/4) T^(3/4) rounds for linear speedup",
    "steps T",
    "rounds T/H* with error at most 2 e(1)",
)
def rounds_for_speedup_cocod_measure(
    build: Callable[[Stepsize, int], Method[Any]] = CoCoD, grid: SpeedupGrid = GRID
) -> StudyResult:
    """Exponents of T and n in T / H*: measured, exact on the same range, and exact far out."""
    return speedup_by_moments.speedup_by_moments_measure(
        build,
        grid,
        overlapped=True,
        subject="cocod-sgd",
        source="Shen et al. 2019: H <= T^(1/4) / n^(3/4)",
    )
