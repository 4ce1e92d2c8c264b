r"""The generalisation gap and sharp minima against the batch, and what each remedy does to them.

An MLP on half of the digits is trained to the same training loss with every batch (Keskar et al.
2017, arXiv:1609.04836; Hoffer, Hubara, Soudry 2017, arXiv:1705.08741). At the point where a run
first gets there: the error on the other half, and the largest eigenvalue of the training loss's
Hessian by Lanczos iterations on Hessian-vector products. Remedies: stepsizes scaled linearly or by
the square root, warm-ups, LARS, LAMB, a batch that grows. Theory has no constants here: compared.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.methods.large_batch.batched import Batched
from algorithms.methods.synchronous.bsp import BSP
from algorithms.optimizers.lamb import LAMB
from algorithms.optimizers.lars import LARS
from algorithms.optimizers.layers import NormRatio
from algorithms.problems.base import Problem
from algorithms.problems.mlp import MLP, digits_mlp, digits_test
from proofs_check.curves import PanelLine, band
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult, study
from proofs_check.problems.curvature import largest_curvature
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.rules.batch_rules import FixedBatch, StagedBatch
from theory.stepsizes import ConstantStep, GradualWarmUpStep, ScaledStep, Stepsize, legw

_HELD_OUT, _BATCH, _TARGET, _MOST, _REPLICAS, _SEED = 0.5, 8, 0.05, 1500, 8, 97
_FACTORS = (1, 8, 64)
_GAMMA, _EPOCH = 0.3, 112  # steps of the base batch for an epoch of 899 digits
_LARS, _LAMB = 0.003, 0.004  # as it were at the base batch

Make = Callable[[int, Problem], Method[Any]]


def _fixed(step: Stepsize, factor: int) -> Method[Any]:
    return Batched(BSP(step), FixedBatch(factor))


def _growing(factor: int, _problem: Problem) -> Method[Any]:
    """Doubled every epoch of the base batch, from there to the large batch."""
    return Batched(BSP(ConstantStep(_GAMMA)), StagedBatch(_EPOCH // 2, 2, most=factor))


def _lars(factor: int, problem: Problem) -> Method[Any]:
    optimizer = LARS(problem.shapes, 0.9, trust=NormRatio(_LARS))
    step = ScaledStep(ConstantStep(1.0), factor, 0.5)
    return Batched(BSP(step, optimizer=optimizer), FixedBatch(factor))


def _lamb(factor: int, problem: Problem) -> Method[Any]:
    step = ScaledStep(ConstantStep(_LAMB), factor, 0.5)
    return Batched(BSP(step, optimizer=LAMB(problem.shapes)), FixedBatch(factor))


_BASE = ConstantStep(_GAMMA)
ARMS: dict[str, tuple[str, Make]] = {
    "same stepsize": ("linear-scaling", lambda k, _p: _fixed(_BASE, k)),
    "linear": ("linear-scaling", lambda k, _p: _fixed(ScaledStep(_BASE, k), k)),
    "linear, warmed up": (
        "linear-scaling", lambda k, _p: _fixed(GradualWarmUpStep(_BASE, k, 5 * _EPOCH // k), k),
    ),
    "square root": ("sqrt-scaling", lambda k, _p: _fixed(ScaledStep(_BASE, k, 0.5), k)),
    "LEGW": ("legw", lambda k, _p: _fixed(legw(_BASE, k, 0.2, _EPOCH), k)),
    "LARS": ("lars", _lars),
    "LAMB": ("lamb", _lamb),
    "batch grows": ("batch-growth", _growing),
}  # fmt: skip


@final
class Found(NamedTuple):
    """At the training loss: test errors ``[R]``, sharpness ``[R]`` [f / x^2], steps ``[R]``.

    ``reached`` ``[R]`` says where it was reached; the rest is taken at the last step.

    Attributes:
        error: test errors ``[R]``.
    """

    error: Floats
    sharpness: Floats
    steps: Floats
    reached: Floats


def sharpness(problem: Problem, points: Tensor) -> Floats:
    """Largest modulus of the Hessian's eigenvalues at each of ``points`` ``[P, d]``."""
    return np.array([largest_curvature(problem, x[None]) for x in points])


def train(method: Method[Any], problem: MLP, test: MLP) -> Found:
    """Run until every replica has been at the training loss once."""
    best, at = None, np.full(_REPLICAS, np.inf)
    due = 0
    for moment in path(method, problem, _MOST, seed=_SEED, replicas=_REPLICAS):
        if moment.t < due:
            continue
        x = moment.state.x[:, 0]
        best = x.clone() if best is None else best
        new = (problem.value(x) <= _TARGET).numpy() & np.isinf(at)
        keep = torch.from_numpy(np.isinf(at))  # those not there yet go along
        best = torch.where(keep[:, None], x, best)
        at[new] = moment.t
        due = moment.t + max(1, moment.t // 15)
        if np.isfinite(at).all():
            break
    assert best is not None
    return Found(
        test.error(best).numpy(), sharpness(problem, best), at,
        np.isfinite(at).astype(np.float64),
    )  # fmt: skip


@lru_cache(maxsize=1)
def measured() -> dict[str, tuple[Found, ...]]:
    """Every arm at every batch; the base batch needs no remedy, so one run of it serves all."""
    problem, test = digits_mlp(1, batch=_BATCH, held_out=_HELD_OUT), digits_test(_HELD_OUT)
    base = train(_fixed(_BASE, 1), problem, test)
    return {
        label: (base, *(train(make(k, problem), problem, test) for k in _FACTORS[1:]))
        for label, (_, make) in ARMS.items()
    }


def _described(values: Floats) -> str:
    half = 2 * values.std(ddof=1) / len(values) ** 0.5
    return f"{values.mean():.4g} +- {half:.2g}"


def _verdicts(what: str, unit: str, pick: Callable[[Found], Floats]) -> tuple[Verdict, ...]:
    """One a remedy: the largest batch beside the smallest batch with the plain stepsize."""
    base = pick(measured()["same stepsize"][0])
    verdicts = []
    for label, found in measured().items():
        end = found[-1]
        every = "; ".join(
            f"B={_BATCH * k}: {_described(pick(f))} after {np.median(f.steps):g} steps"
            + ("" if f.reached.all() else f" ({f.reached.mean():.0%} got there)")
            for k, f in zip(_FACTORS, found, strict=True)
        )
        verdicts.append(
            Verdict(
                subject=ARMS[label][0], problem="mlp-digits", check=what,
                claim=f"{label}: {what} at training loss {_TARGET:g} with batch "
                f"{_BATCH * _FACTORS[-1]} beside that of batch {_BATCH}",
                outcome=Outcome.COMPARED, statistic=float(pick(end).mean()),
                bound=float(base.mean()), evidence=f"{every}{unit}",
                provenance=f"seed {_SEED}, {_REPLICAS} replicas, half of the digits held out, "
                "intervals of two standard errors",
            )
        )  # fmt: skip
    return tuple(verdicts)


def _lines(pick: Callable[[Found], Floats]) -> list[PanelLine]:
    out: list[PanelLine] = []
    for label, found in measured().items():
        rows = np.stack([pick(f) for f in found], axis=1)
        out.append(PanelLine(label, np.array([float(_BATCH * k) for k in _FACTORS]), *band(rows)))
    return out


@study(
    "linear-scaling",
    "mlp-digits",
    "test error at equal training loss against the batch, and each remedy",
    "batch B [samples]",
    "test error [share]",
    name="generalisation_gap",
    scales=("log", "linear"),
)
def gap() -> StudyResult:
    """Test errors at equal training loss, by batch."""
    return StudyResult(_verdicts("test error", "", lambda f: f.error), _lines(lambda f: f.error))


@study(
    "linear-scaling",
    "mlp-digits",
    "largest Hessian eigenvalue at equal training loss against the batch, and each remedy",
    "batch B [samples]",
    "largest eigenvalue [f/x^2]",
    name="sharp_minima",
)
def minima() -> StudyResult:
    """Largest curvatures at equal training loss, by batch."""
    return StudyResult(
        _verdicts("largest Hessian eigenvalue", " [f/x^2]", lambda f: f.sharpness),
        _lines(lambda f: f.sharpness),
    )
