"""Closed forms: coded regression, RI-SGD, effective neighbours; faults of shards and codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.mean import mean_rows
from algorithms.methods.base import Method, RunContext
from algorithms.methods.cooperative.coded_regression import (
    CodedRegression,
    CodedState,
    GradientCoding,
    normal_equations,
)
from algorithms.methods.cooperative.cooperative import Cooperative, Gossip
from algorithms.methods.cooperative.redundancy import OnMoreShards
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.cyclic_code import CyclicCode, solved
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.redundant import Redundant
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.evidence.asynchronous.closed_forms import SEED, uneven
from proofs_check.evidence.cooperative.closed_forms import unchanged
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import models
from proofs_check.instruments.whitened import models_at_end
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.effective_neighbours import diffusion_variance, effective_neighbours
from theory.networks.mixing import spectrum
from theory.networks.second_moments import linear_moments
from theory.stepsizes import ConstantStep

# Coded gradients and coded regression: exact whoever arrives.


Build = Callable[[Any], Method[Any]]
_CODED_REGRESSION_N = 5
_CODED_REGRESSION_STEP = ConstantStep(0.1)
_TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))
_DESCRIPTION = f"five workers, seed {SEED}"


coded_regression = ClosedForms("coded-regression")
"""Closed forms of coded-regression."""


@coded_regression.case("decoding", _DESCRIPTION, on="quadratic")
def decoded_gradient(build: Build = unchanged) -> Verdict:
    """Gradient coding takes BSP-SGD's steps, whoever arrives."""
    problem = uneven()
    method = build(GradientCoding(_CODED_REGRESSION_STEP, 30, _TIMES, 2))
    return same(
        "the decoded mean is that of all shards: BSP-SGD's iterates",
        models(method, problem, 30, seed=SEED),
        models(BSP(_CODED_REGRESSION_STEP), problem, 30, seed=SEED), tolerance=1e-9,
    )  # fmt: skip


def least_squares(n: int = _CODED_REGRESSION_N, d: int = 4) -> LeastSquares:
    """Random rows in shards of unequal size."""
    rng = np.random.default_rng(8)
    sizes = [6 + 2 * i for i in range(n)]
    rows = [torch.from_numpy(rng.normal(size=(size, d))) for size in sizes]
    return LeastSquares.from_data(rows, [torch.from_numpy(rng.normal(size=size)) for size in sizes])


@coded_regression.case("one round", _DESCRIPTION, on="least-squares")
def one_round(build: Build = unchanged) -> Verdict:
    """Coded regression solves least squares in one round (numpy's lstsq on all rows)."""
    problem = least_squares()
    rows, y = problem.features.flatten(0, 1).numpy(), problem.targets.flatten().numpy()
    solution = np.linalg.lstsq(rows, y, rcond=None)[0]
    got = models(build(CodedRegression(_TIMES, 2)), problem, 2, replicas=16)[1:]
    return same(
        "one round gives the least-squares solution", got, np.broadcast_to(solution, got.shape),
        tolerance=1e-9,
    )  # fmt: skip


# RI-SGD: gradients and heterogeneity of redundant shards, and where it stops.


_RI_SGD_N, _RI_SGD_D = 5, 6


def circulant(n: int, shards: int) -> Floats:
    """Row i is 1/q on columns i, ..., i + q - 1 mod n."""
    return sum((np.roll(np.eye(n), s, axis=1) for s in range(shards)), np.zeros((n, n))) / shards


ri_sgd = ClosedForms("ri-sgd")
"""Closed forms of ri-sgd."""


@ri_sgd.case("", _DESCRIPTION)
def shards_are_shared(wrap: Callable[[Quadratic, int], Problem] = Redundant) -> Iterator[Verdict]:
    """Gradients, and zeta2 by the discrete Fourier transform, for every q; one point."""
    problem = uneven()
    x = torch.linspace(-1, 2, _RI_SGD_D, dtype=torch.float64)
    rows = problem.all_gradients(x).numpy()
    waves = np.fft.fft(rows - rows.mean(0), axis=0)
    power = np.square(np.abs(waves)).sum(1) / _RI_SGD_N**2
    got, due, zeta, predicted = [], [], [], []
    for q in range(1, _RI_SGD_N + 1):
        wrapped = wrap(problem, q)
        got.append(wrapped.all_gradients(x).numpy())
        due.append(circulant(_RI_SGD_N, q) @ rows)
        zeta.append(float(wrapped.heterogeneity(x)))
        response = np.abs(np.fft.fft(circulant(_RI_SGD_N, q)[0])) ** 2
        predicted.append(float((response * power).sum()))
    check, place = "circulant of shards", "quadratic"
    yield same(
        "grad f~_i is the mean over the q shards held", np.stack(got), np.stack(due), check=check,
        on=place,
    )  # fmt: skip
    yield same(
        "zeta2 falls by the circulant's response at every frequency", zeta, predicted, check=check,
        on=place,
    )  # fmt: skip


@ri_sgd.case("fixed point", _DESCRIPTION, on="quadratic")
def redundant_bias(build: Callable[[Any, int], Method[Any]] = OnMoreShards) -> Verdict:
    """Limit of RI-SGD without noise, by local GD's formula on f~_i; q = n stops at x*."""
    period, gamma = 8, 0.05
    base = uneven()
    problem = Quadratic("quadratic", base.a, base.c, base.x_star, base.x0, f_star=base.f_star)
    got, due = [], []
    for q in range(1, _RI_SGD_N + 1):
        method = build(LocalSGD(ConstantStep(gamma), period), q)
        got.append(models(method, problem, 200 * period)[-1, 0].numpy())
        a, c = (circulant(_RI_SGD_N, q) @ v.numpy() for v in (base.a, base.c))
        w = 1 - (1 - gamma * a) ** period
        due.append((w * (c / a)).sum(0) / w.sum(0))
    return same(
        "fixed points sum w_i b~_i / sum w_i with the Hessians and minimisers of f~_i",
        np.stack(got), np.stack(due), tolerance=1e-9,
    )  # fmt: skip


# Steady variance of gossip is that of one worker over n_W, whatever the spectral gap says.


_EFFECTIVE_NEIGHBOURS_N, _EFFECTIVE_NEIGHBOURS_D, _STEPS, _EFFECTIVE_NEIGHBOURS_STEP, _SEED = (
    12,
    16,
    60,
    0.3,
    9,
)
_LEFT = (1 - _EFFECTIVE_NEIGHBOURS_STEP) ** 2
_SOURCE = "Vogels, Hendrikx, Jaggi 2022, arXiv:2206.03093, Definition A"

Neighbours = Callable[[Floats, float], float]


def by_the_gap(w: Floats, _decay: float) -> float:
    """A wrong count: as if the spectral gap told it, 1 + (n - 1) gap."""
    return 1 + (len(w) - 1) * spectrum(w).gap


_COOPERATIVE_SGD_FORMS = ClosedForms("cooperative-sgd")


@_COOPERATIVE_SGD_FORMS.case(
    "effective neighbours", f"{_SOURCE}; {_STEPS} steps, seed {_SEED}", on="quadratic"
)
def steady_variance(topology: Topology, count: Neighbours = effective_neighbours) -> Verdict:
    """Mean square of workers' models around x* over that of one worker alone, by n_W."""
    one = torch.ones(_EFFECTIVE_NEIGHBOURS_N, _EFFECTIVE_NEIGHBOURS_D, dtype=torch.float64)
    problem = Quadratic.from_arrays(
        one, torch.zeros_like(one), sigma2=float(_EFFECTIVE_NEIGHBOURS_D)
    )
    method = Cooperative(ConstantStep(_EFFECTIVE_NEIGHBOURS_STEP), Gossip(topology))
    got = models_at_end(method, problem, _STEPS, _SEED)
    w = topology.matrix(0)
    expected = _EFFECTIVE_NEIGHBOURS_STEP**2 / (1 - _LEFT) / count(w, _LEFT)
    gap = spectrum(w).gap
    return mean_is(
        f"on a {topology.name} the steady variance is that of one worker over n_W",
        np.square(got).mean(axis=1), expected,
        note=f"n_W({_LEFT:.2g}) = {effective_neighbours(w, _LEFT):.4g} of "
        f"{_EFFECTIVE_NEIGHBOURS_N}, gap {gap:.3g}",
    )  # fmt: skip


@_COOPERATIVE_SGD_FORMS.case("effective neighbours", _SOURCE)
def closed_form_is_the_limit(topology: Topology) -> Verdict:
    """Eigenvalues against the covariance recursion, run until nothing changes."""
    w, ones = topology.matrix(0), np.ones((_EFFECTIVE_NEIGHBOURS_N, 1))
    law = linear_moments(
        [w] * 400, ones, 0 * ones, np.zeros(1), step=_EFFECTIVE_NEIGHBOURS_STEP, variance=1.0
    )  # fmt: skip
    return same(
        f"on a {topology.name} n_W is the limit of the covariance recursion",
        np.trace(law.covariance[0]) / _EFFECTIVE_NEIGHBOURS_N,
        diffusion_variance(w, _EFFECTIVE_NEIGHBOURS_STEP, 1.0, 1.0),
    )


def effective_neighbours_law() -> tuple[Verdict, ...]:
    """A ring and a barbell: the barbell has the smaller gap and the more effective neighbours."""
    pair = (Ring(_EFFECTIVE_NEIGHBOURS_N), Barbell(_EFFECTIVE_NEIGHBOURS_N // 2))
    return (
        *(closed_form_is_the_limit(one) for one in pair),
        *(steady_variance(one) for one in pair),
    )


CLOSED_FORMS = (effective_neighbours_law,)

COVERS = {"effective_neighbours_law": ("cooperative-sgd",)}


def own_shard_twice(base: Quadratic, shards: int) -> Quadratic:
    """Its own shard counts twice where a worker holds others: (2 f_i + f_{i+1} + ...)/(q+1)."""
    if shards == 1:
        return base
    weights = (circulant(base.n, shards) * shards + np.eye(base.n)) / (shards + 1)
    w = torch.from_numpy(weights)
    return replace(base, a=w @ base.a, c=w @ base.c)


def undivided(right: LocalSGD, shards: int) -> Method[Any]:
    """RI-SGD on the sum over the shards held instead of their mean: a stepsize q times."""
    longer = ConstantStep(shards * right.step_rule(0))
    return OnMoreShards(replace(right, step_rule=longer), shards)


@final
@dataclass(frozen=True)
class Misdecoded(FaultyMethod):
    """Gradient coding whose server adds what arrived with coefficients of its own."""

    right: GradientCoding
    coefficients: Callable[[CyclicCode, Tensor, Tensor], Tensor]

    def step(self, state: CodedState, t: int, context: RunContext) -> CodedState:
        subset, key = state.schedule.tick(t).arrivals, context.key.fold("gradient", t)
        code = CyclicCode(context.network.n, self.right.spare)
        coded = torch.zeros(())
        for s in range(code.spare + 1):
            draws = key.draws(context.replicas, (subset + s) % code.n)
            coded = coded + code.shares(subset, s, state.x) * context.problem.gradient(
                state.x, draws
            )
        total = (self.coefficients(code, subset, coded) * coded).sum(-2, keepdim=True)
        return state._replace(x=state.x - self.right.step_rule(t) / code.n * total)


@final
@dataclass(frozen=True)
class Uncoded(FaultyMethod):
    """One round of normal equations without a code: those of the workers that came in time."""

    right: CodedRegression

    def step(self, state: CodedState, t: int, context: RunContext) -> CodedState:
        if t:
            return state
        d, subset = context.problem.d, state.schedule.tick(0).arrivals
        mean = mean_rows(normal_equations(context.problem, subset))
        hessian = mean[..., : d * d].reshape(*mean.shape[:-1], d, d)
        x = solved(hessian, mean[..., d * d :, None]).transpose(-1, -2)
        return state._replace(x=context.published(x, t))

    def seconds(self, state: CodedState, t: int) -> Tensor | None:
        return self.right.seconds(state, t)


def of_whom_it_should(code: CyclicCode, subset: Tensor, like: Tensor) -> Tensor:
    """The right coefficients."""
    return code.decoding(subset, like)


def of_the_first(code: CyclicCode, subset: Tensor, like: Tensor) -> Tensor:
    """Coefficients for workers 0, 1, ..., whoever arrived."""
    return code.decoding(torch.arange(subset.shape[-1]).expand(subset.shape), like)


def of_a_mean(code: CyclicCode, subset: Tensor, like: Tensor) -> Tensor:
    """n / (n - s), as if what arrived were plain gradients."""
    return torch.full((*subset.shape, 1), code.n / subset.shape[-1], dtype=like.dtype)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "effective neighbours by the gap", "1 + (n - 1) gap in the place of n_W",
        lambda: steady_variance(Barbell(6), by_the_gap), lambda: steady_variance(Barbell(6)),
    ),
    fault(
        "redundancy counting its own shard twice", "(2 f_i + f_{i+1} + ...)/(q + 1)",
        shards_are_shared, own_shard_twice,
    ),
    fault(
        "redundancy without division", "the sum over the shards held in the place of their mean",
        redundant_bias, undivided,
    ),
    MethodMutant(
        "decoding for other workers", "coefficients of workers 0, 1, ... whoever arrived",
        lambda: decoded_gradient(lambda right: Misdecoded(right, of_the_first)),
        lambda: decoded_gradient(lambda right: Misdecoded(right, of_whom_it_should)),
    ),
    fault(
        "one round without a code", "normal equations of those who came in time",
        one_round, Uncoded,
    ),
    fault(
        "coded gradients averaged", "messages are averaged as if they were plain gradients",
        decoded_gradient, lambda right: Misdecoded(right, of_a_mean),
    ),
)  # fmt: skip
