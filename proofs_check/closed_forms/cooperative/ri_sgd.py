"""RI-SGD: gradients and heterogeneity of redundant shards, and where it stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant
from proofs_check.closed_forms.asynchronous.replays import SEED, uneven
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_N, _D = 5, 6
_TOLD = f"five workers, seed {SEED}"


def circulant(n: int, shards: int) -> Floats:
    """Row i is 1/q on columns i, ..., i + q - 1 mod n."""
    return sum((np.roll(np.eye(n), s, axis=1) for s in range(shards)), np.zeros((n, n))) / shards


def shards_are_shared(wrap: Callable[[Quadratic, int], Problem] = Redundant) -> tuple[Verdict, ...]:
    """Gradients, and zeta2 by the discrete Fourier transform, for every q; one point."""
    problem = uneven()
    x = torch.linspace(-1, 2, _D, dtype=torch.float64)
    rows = problem.all_gradients(x).numpy()
    waves = np.fft.fft(rows - rows.mean(0), axis=0)
    power = np.square(np.abs(waves)).sum(1) / _N**2
    got, due, zeta, predicted = [], [], [], []
    for q in range(1, _N + 1):
        wrapped = wrap(problem, q)
        got.append(wrapped.all_gradients(x).numpy())
        due.append(circulant(_N, q) @ rows)
        zeta.append(float(wrapped.heterogeneity(x)))
        response = np.abs(np.fft.fft(circulant(_N, q)[0])) ** 2
        predicted.append(float((response * power).sum()))
    check, place = "circulant of shards", "quadratic"
    return (
        identity("ri-sgd", "grad f~_i is the mean over the q shards held", np.stack(got),
                 np.stack(due), check=check, problem=place,
        provenance=_TOLD,
    ),
        identity("ri-sgd", "zeta2 falls by the circulant's response at every frequency",
                 zeta, predicted, check=check, problem=place,
        provenance=_TOLD,
    ),
    )  # fmt: skip


def redundant_bias(build: Callable[[Any, int], Method[Any]] = OnMoreShards) -> Verdict:
    """Where RI-SGD stops without noise, by local GD's formula on f~_i; q = n stops at x*."""
    period, gamma = 8, 0.05
    base = uneven()
    problem = Quadratic("quadratic", base.a, base.c, base.x_star, base.x0, f_star=base.f_star)
    got, due = [], []
    for q in range(1, _N + 1):
        method = build(LocalSGD(ConstantStep(gamma), period), q)
        got.append(models(method, problem, 200 * period)[-1, 0].numpy())
        a, c = (circulant(_N, q) @ v.numpy() for v in (base.a, base.c))
        w = 1 - (1 - gamma * a) ** period
        due.append((w * (c / a)).sum(0) / w.sum(0))
    return identity(
        "ri-sgd", "fixed points sum w_i b~_i / sum w_i with the Hessians and minimisers of f~_i",
        np.stack(got), np.stack(due), check="fixed point", problem="quadratic", tolerance=1e-9,
        provenance=_TOLD,
    )  # fmt: skip


def ri_sgd() -> tuple[Verdict, ...]:
    """Shards on a circulant, and the bias that redundancy leaves."""
    return (*shards_are_shared(), redundant_bias())


CLOSED_FORMS = (ri_sgd,)
