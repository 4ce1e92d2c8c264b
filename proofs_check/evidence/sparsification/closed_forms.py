"""Closed forms: drawn, aji heafield, gaussian k, meprop, random k, random mask, sbc, wangni."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.wangni import Wangni
from algorithms.core.key import Draws, Key
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems import meprop
from algorithms.problems.mlp import digits_mlp
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same, supported
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Outcome, Verdict
from theory import bits
from theory.stepsizes import ConstantStep, Stepsize

# Draws that the checks of sparsifiers share.


SEED = 61


def draws_of(replicas: int, word: str) -> Draws:
    """One worker's draws in ``replicas`` replicas, a stream for each ``word``."""
    key = Key.seed(SEED).fold(word)
    return key.draws(torch.arange(replicas), torch.zeros(1, dtype=torch.int64))


# The threshold of a sample of s keeps r (d + 1)/(s + 1) on average.


_AJI_HEAFIELD_REPLICAS = 4000


aji_heafield = ClosedForms("aji-heafield")
"""Closed forms of aji-heafield."""


@aji_heafield.case(
    "closed form", f"seed {SEED}, {_AJI_HEAFIELD_REPLICAS} draws, d = 200, s = 40, r = 4"
)
def sampled_threshold() -> Verdict:
    """E N = r (d + 1) / (s + 1) of a sampled threshold, at a Gaussian row."""
    d, operator = 200, AbsoluteThreshold(0.1, sample=40)
    x = draws_of(1, "row").normal(d, torch.float64).expand(_AJI_HEAFIELD_REPLICAS, 1, d)
    kept = (operator.compress(x, draws_of(_AJI_HEAFIELD_REPLICAS, "sample")) != 0).sum(-1).double()
    return mean_is(
        "a threshold found in s of d keeps r (d + 1)/(s + 1) on average", kept.numpy(),
        4 * (d + 1) / 41,
    )  # fmt: skip


# How many coordinates Gaussian-k sends.


def gaussian_count() -> Verdict:
    """Number sent by Gaussian-k of Gaussian rows for k = 100, d = 10 000 (no claim: compared)."""
    d, k = 10_000, 100
    x = draws_of(64, "count").normal(d, torch.float64)
    sent = (GaussianK(k).compress(x, draws_of(64, "none")) != 0).sum(-1).double()
    low, high = float(sent.min()), float(sent.max())
    return Verdict(
        subject="gaussian-k", claim="a Gaussian row sends 2k/3 to 4k/3 coordinates",
        check="conditional bound", outcome=Outcome.COMPARED, statistic=float(sent.mean()),
        bound=float(k), evidence=f"{low:.0f} to {high:.0f} of {d} sent, 64 rows, k = {k}",
        provenance=f"Shi et al. 2019, arXiv:1911.08772, Algorithm 1; seed {SEED}",
    )  # fmt: skip


def gaussian_k() -> tuple[Verdict, ...]:
    """Number of coordinates that a Gaussian threshold keeps, on drawn rows."""
    return (gaussian_count(),)


# meProp and the operator that its row runs: rows of the gradient of W_1.
#
# Unified meProp back-propagates k of the hidden layer's errors, the same for all samples of a
# minibatch (Sun, Ren, Ma, Wang 2017, arXiv:1706.06197). What comes out is the plain gradient with
# all but k rows of W_1 set to zero, so that it is a sparsification by rows, as
# :class:`~algorithms.compressors.row_top_k.RowTopK` is; the two choose rows by different sizes.


_K, _SEED = 5, 71


def unified_meprop() -> tuple[Verdict, ...]:
    """The gradient it propagates against the whole one, with the rows that it left."""
    problem = digits_mlp(2)
    draws = Key.seed(_SEED).draws(torch.tensor(0), torch.arange(2))
    x = problem.start()[None].expand(2, -1)
    rows, columns = problem.shapes[0]
    size, shape = rows * columns, (2, rows, columns)
    ours = meprop.gradient(problem, x, draws, _K, unified=True)[:, :size].reshape(shape)
    whole = problem.gradient(x, draws)[:, :size].reshape(shape)
    left = (ours != 0).any(-1)
    exact = partial(
        identity, "meprop", check="exact", problem="mlp-digits", tolerance=1e-9,
        provenance=f"Sun, Ren, Ma, Wang 2017, arXiv:1706.06197; k = {_K}, seed {_SEED}, 2 workers",
    )  # fmt: skip
    rest = "unified meProp is the gradient with the other rows of W_1 zero"
    return (
        exact("unified meProp leaves k rows of W_1", left.sum(-1), _K),
        exact(rest, ours, whole * left[..., None]),
    )


# Compressed gradient descent with scaled rand-k on f(x) = a ||x||^2 / 2.
#
# One step scales E||x||^2 by (1 - gamma a)^2 + omega (gamma a)^2 / n, omega = d/k - 1, from every
# x: stable iff gamma a < 2 / (1 + omega / n).


Build = Callable[[Stepsize], Method[Any]]

_RANDOM_K_REPLICAS = 100_000


def rand_1(step: Stepsize) -> Method[Any]:
    """BSP with scaled rand-1."""
    return BSP(step, RandK(1))


_RANDOM_K_FORMS = ClosedForms("random-k")


@_RANDOM_K_FORMS.case("closed form")
def one_step_factor(gamma: float, n: int, build: Build = rand_1) -> Verdict:
    """E||x_1||^2 / ||x_0||^2 with a = 1, d = 4, x_0 = (3, -4, 0, 12)."""
    a = torch.ones((n, 4), dtype=torch.float64)
    x0 = torch.tensor([3.0, -4.0, 0.0, 12.0], dtype=torch.float64)
    problem = Quadratic.from_arrays(a, torch.zeros_like(a), x0=x0)
    seed = 31 + n
    trace = run(
        build(ConstantStep(gamma)),
        problem,
        steps=1,
        seed=seed,
        replicas=_RANDOM_K_REPLICAS,
        points=2,
    )
    factor = (1 - gamma) ** 2 + 3 * gamma**2 / n
    return mean_is(
        f"E||x||^2 factor = (1-ga)^2 + omega (ga)^2 / n at ga={gamma:g}, omega=3, n={n}",
        trace.model.square().sum(-1).numpy() / 169.0, factor,
        note=f"{'contracts' if factor < 1 else 'neutral' if factor == 1 else 'expands'}; stable "
        f"iff ga < {2 / (1 + 3 / n):g}",
        on=problem,
        words=f"seed {seed}, {_RANDOM_K_REPLICAS} replicas, one step from (3, -4, 0, 12)",
    )  # fmt: skip


def random_sparsification() -> tuple[Verdict, ...]:
    """At ga = 0.2, and below, at and above the stability limits 0.5 (n = 1) and 1 (n = 3)."""
    points = ((0.2, 1), (0.2, 3), (0.45, 1), (0.5, 1), (0.55, 1), (0.9, 3), (1.0, 3), (1.1, 3))
    return tuple(one_step_factor(gamma, n) for gamma, n in points)


# A random mask at stepsize gamma is subsampling at q gamma.


random_mask = ClosedForms("random-mask")
"""Closed forms of random-mask."""


@random_mask.case("closed form", f"seed {SEED}, 2 replicas, 50 steps")
def mask_is_slow_subsampling() -> Verdict:
    """Unscaled at gamma = 0.4, q = 1/4, and scaled at gamma = 0.1: path by path."""
    problem = Quadratic.strongly_convex(4, 8, sigma2=1.0, zeta2=1.0)
    plain, scaled = (
        models(BSP(ConstantStep(gamma), mask), problem, 50, seed=SEED, replicas=2)
        for gamma, mask in ((0.4, RandomMask(0.25)), (0.1, RandomMask(0.25, scaled=True)))
    )
    return same(
        "a random mask at stepsize gamma is subsampling at q gamma", plain, scaled, on=problem
    )


# Sparse binary compression's code: b* + 1/(1 - (1 - p)^(2^b*)) bits a position (Golomb).


_SBC_FORMS = ClosedForms("sbc")


@_SBC_FORMS.case("expected length")
def golomb_length(p: float) -> Verdict:
    """Mean bits of coded gaps that are geometric with parameter p, by the code, a position."""
    rows, count = 400, 200
    u = 1 - draws_of(rows, "golomb").uniform(count, torch.float64)
    distances = 1 + (u.log() / math.log1p(-p)).floor().to(torch.int64)
    code = Lists((), (Records((Column("gaps", bits.golomb_width(p), golomb=True),), count),))
    held = torch.full((rows, 1, 1), count)
    lengths = code.lengths((held, distances)).double() / count
    stated = bits.golomb_position(p)
    return mean_is(
        f"Golomb's code takes {stated:.6g} bits a position at p = {p:g}", lengths.numpy(), stated,
        words=f"seed {SEED}, {rows} rows of {count} gaps",
    )  # fmt: skip


def sbc() -> tuple[Verdict, ...]:
    """For one position in ten and one in a hundred."""
    return tuple(golomb_length(p) for p in (0.1, 0.01))


# Wangni's probabilities keep (1 + rho) s of a (rho, s)-approximately sparse vector.


wangni = ClosedForms("wangni")
"""Closed forms of wangni."""


@wangni.case("closed form", f"Wangni et al. 2018, arXiv:1710.09854, Lemma 3; seed {SEED}")
def approximately_sparse(rho: float = 0.5, s: int = 10) -> Verdict:
    """E nnz = sum p_j <= (1 + rho) s where all but s coordinates have rho times their l1 norm."""
    noise = draws_of(64, "sparse").normal(200, torch.float64)
    head, tail = noise[..., :s], noise[..., s:].abs().clamp_max(0.05)
    tail = tail * (rho * head.abs().sum(-1, keepdim=True) / tail.sum(-1, keepdim=True))
    most = float(Wangni(rho).probabilities(torch.cat([head, tail], -1)).sum(-1).max())
    return supported(
        "E nnz <= (1 + rho) s for (rho, s)-approximately sparse vectors",
        most <= (1 + rho) * s * (1 + 1e-12), most, (1 + rho) * s,
        f"largest sum p_j {most:.6g} of 64 vectors with rho = {rho:g}, s = {s}, d = 200",
        tightness=most / ((1 + rho) * s), resolution=0.0,
    )  # fmt: skip


CLOSED_FORMS = (gaussian_k, unified_meprop, random_sparsification, sbc)

COVERS = {"random_sparsification": ("random-k",), "unified_meprop": ("meprop",)}
