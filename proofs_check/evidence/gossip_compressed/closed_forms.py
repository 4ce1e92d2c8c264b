"""D-squared, QuanTimed-DSGD, BEER, MoTEF: closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy
import torch

from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.beer import BEER, BEERState
from algorithms.methods.gossip_compressed.d2 import D2, D2State
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_compressed.closed_forms_tracking import motef
from proofs_check.evidence.gossip_tracking import drawn_quadratic, drawn_weights
from proofs_check.evidence.gossip_tracking.closed_forms import is_fixed_point
from proofs_check.instruments.closed_forms import ClosedForms, mean_is, same
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.networks.compressed_gossip import d2_radius
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

# D-squared: no bias by heterogeneity, the mean of the workers, and the modes of its recursion.
#
# With f_i(x) = a ||x - b_i||^2 / 2 D-PSGD stops where mode k of B is scaled by
# gamma a / (1 - lambda_k + gamma a); D-squared stops at the minimiser. Each mode of W follows
# z^2 - (2 - gamma a) lambda z + (1 - gamma a) lambda = 0; for gamma -> 0
# it is unstable from lambda = -1/3 downward. (Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068.)


D2Build = Callable[[Stepsize, Topology], Method[Any]]

_GAMMA = 0.1
_STEP = ConstantStep(_GAMMA)
_TINY = 1e-13  # a stepsize that moves nothing: the limit gamma -> 0
MODES = ((-0.3, 0.9244998), (-1 / 3, 1.0), (-0.35, 1.0373864))
"""Eigenvalues lambda, and the larger root's modulus of z^2 - 2 lambda z + lambda."""


d2_forms = ClosedForms("d2", name="d2_forms")
"""Closed forms of d2."""


@d2_forms.case("closed form", "no noise, 400 steps, gamma 0.1, lazy ring of 8")
def no_bias(build: D2Build = D2) -> Verdict:
    """Every worker at the minimiser to 1e-10, where D-PSGD is off by gamma a b_k/(1-lam_k+gamma a).

    b_i = cos(2 pi i / 8) on the lazy ring of 8: one mode of W, with the bias of D-PSGD beside it.
    """
    b = torch.cos(2 * torch.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    problem, topology = Quadratic.from_arrays(torch.ones_like(b), b), Lazy(Ring(8))
    lam = (1 + (1 + 2 * np.cos(2 * np.pi / 8)) / 3) / 2
    beside = run(DPSGD(_STEP, topology), problem, steps=400, points=2).consensus[0, -1] ** 0.5
    bias = _GAMMA / (1 - lam + _GAMMA) * 0.5**0.5
    return same(
        "every worker stops at the minimiser: heterogeneity leaves no bias",
        run(build(_STEP, topology), problem, steps=400, points=2).rows[0], 0.0, tolerance=1e-10,
        note=f"D-PSGD is off by {beside:.7f}, gamma a b/(1 - lambda + gamma a) = {bias:.7f}",
        on=problem,
    )  # fmt: skip


@d2_forms.case("no heterogeneity bias", "no noise, 600 steps, gamma 0.1, lazy 3 x 4 torus, seed 23")
def no_bias_for_any_heterogeneity(build: D2Build = D2) -> Verdict:
    """Standard normal b_i, Hessians of their own, 3 x 4 torus: D-squared finds x*."""
    generator = np.random.default_rng(23)
    a = torch.from_numpy(generator.uniform(0.5, 1.5, size=(12, 3)))
    problem = Quadratic.from_arrays(a, torch.from_numpy(generator.normal(size=(12, 3))))
    centre = problem.x_star
    assert centre is not None
    return same(
        "every worker stops at x*, Hessians differing too",
        run(build(_STEP, Lazy(Torus(3, 4))), problem, steps=600, points=2).rows[0], centre,
        tolerance=1e-10, on=problem,
    )  # fmt: skip


@d2_forms.case("mean model")
def mean_is_gradient_descent(build: D2Build = D2, step: Stepsize | None = None) -> Verdict:
    r"""\bar x^{t+1} = \bar x^t - \gamma_t a (\bar x^t - \bar b), also while \gamma_t falls."""
    problem, rule = consensus_problem(8, 5, 51), step or InverseTimeStep(2.0, 10.0)
    centre = problem.x_star
    assert centre is not None
    x, expected = torch.zeros_like(centre), [torch.zeros_like(centre)]
    for t in range(60):
        x = x - rule(t) * (x - centre)
        expected.append(x)
    return same(
        "the mean of the workers makes gradient steps, each with the stepsize of its time",
        models(build(rule, Lazy(Ring(8))), problem, 60)[:, 0], torch.stack(expected), on=problem,
        words=f"no noise, 60 steps, {rule}, lazy ring of 8, seed 51",
    )  # fmt: skip


def growth(build: Callable[..., Method[Any]], lam: float) -> float:
    """Factor a step of the mode ``lam``: two workers whose W has the eigenvalues 1 and lam.

    The states span two dimensions (now and before), so x^{t+2} = p x^{t+1} - q x^t with p and q
    from four states in a row; the radius is that of z^2 - p z + q.
    """
    topology = FixedMatrix(np.full((2, 2), (1 - lam) / 2) + lam * np.eye(2))
    ones = torch.ones((2, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, ones)
    start = torch.tensor([[[1.0], [-1.0]]], dtype=torch.float64)
    method = build(ConstantStep(_TINY), topology, allow_unstable=True)
    moments = path(method, problem, 3, state=D2State(start, 0.3 * start))
    x = [moment.state.x[0, 0, 0].item() for moment in moments]
    p, q = np.linalg.solve([[x[1], -x[0]], [x[2], -x[1]]], [x[2], x[3]])
    return float(np.abs(np.roots([1.0, -p, q])).max())


@d2_forms.case("closed form", "gamma 1e-13, characteristic of four states in a row", on="quadratic")
def modes(build: Callable[..., Method[Any]] = D2) -> Iterator[Verdict]:
    """Spectral radii as gamma -> 0, on both sides of the limit: lambda = -0.3, -1/3, -0.35."""
    for lam, radius in MODES:
        yield same(
            f"mode lambda={lam:.4f} grows by the radius of z^2 - 2 lambda z + lambda, {radius:.7f}",
            [growth(build, lam), d2_radius(lam)], radius, tolerance=1e-7,
        )  # fmt: skip


# QuanTimed-DSGD: its update without noise, and the law of its deadline batches.
#
# Without noise and errors x+ = ((1 - eps) I + eps W) x - alpha eps g: D-PSGD on other weights. With
# exponential gradient times of mean m a worker ends a Poisson(T_d / m) number of gradients by the
# deadline T_d, here at least one and at most ``most``; their mean has the variance sigma^2 E[1/B].
# (Reisizadeh, Taheri, Mokhtari, Hassani, Pedarsani 2019, arXiv:1907.10595.)


QuantimedDsgdBuild = Callable[..., Method[Any]]

_SEED = 81
_MEAN, _DEADLINE, _MOST = 1.0, 3.0, 6


quantimed_forms = ClosedForms("quantimed-dsgd", name="quantimed_forms")
"""Closed forms of quantimed-dsgd."""


@quantimed_forms.case("equal to D-PSGD", "50 steps on the ring of 8, standard normal b, seed 82")
def update_without_noise(build: QuantimedDsgdBuild = QuanTimed) -> Verdict:
    """Ring of 8, eps = 0.3, alpha = 0.2, against D-PSGD with W' = 0.7 I + 0.3 W and step 0.06."""
    problem = consensus_problem(8, 5, 82)
    eps, alpha = 0.3, 0.2
    w = (1 - eps) * np.eye(8) + eps * Ring(8).matrix(0)
    method = build(
        ConstantStep(alpha), ConstantStep(eps), Ring(8), Identity(), Constant(_MEAN), _DEADLINE
    )
    right = DPSGD(ConstantStep(alpha * eps), FixedMatrix(w))
    return same(
        "without noise: D-PSGD on (1 - eps) I + eps W with the step alpha eps",
        torch.stack([method.models(m.state) for m in path(method, problem, 50)]),
        torch.stack([right.models(m.state) for m in path(right, problem, 50)]), on=problem,
    )  # fmt: skip


def batch_law() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Batch sizes 1 .. most and their probabilities: Poisson, cut at both ends."""
    sizes = np.arange(1, _MOST + 1)
    chance = scipy.stats.poisson.pmf(sizes, _DEADLINE / _MEAN)
    chance[0] += scipy.stats.poisson.pmf(0, _DEADLINE / _MEAN)
    chance[-1] += scipy.stats.poisson.sf(_MOST, _DEADLINE / _MEAN)
    return sizes, chance


def one_step(build: QuantimedDsgdBuild, sigma2: float = 1.0) -> tuple[Quadratic, torch.Tensor]:
    """The first step's move of one worker, divided by -alpha eps: its gradient, per replica."""
    ones = torch.ones((1, 4), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 2 * ones, sigma2=sigma2)
    method = build(
        ConstantStep(0.5), ConstantStep(1.0), Complete(1), Identity(), Exponential(_MEAN),
        _DEADLINE, _MOST,
    )  # fmt: skip
    *_, last = path(method, problem, 1, seed=_SEED, replicas=20000)
    return problem, method.models(last.state)[:, 0] / -0.5


@quantimed_forms.case(
    "deadline batches",
    f"seed {_SEED}, 20000 replicas, exponential times, deadline {_DEADLINE:g} means",
)
def gradient_law(build: QuantimedDsgdBuild = QuanTimed) -> Iterator[Verdict]:
    """Unbiased, and E||g - grad f||^2 = sigma^2 E[1/B]."""
    problem, g = one_step(build)
    sizes, chance = batch_law()
    yield mean_is("the deadline batch's gradient is unbiased", g[:, 0].numpy(), -2.0, on=problem)
    yield mean_is(
        "its variance is sigma^2 E[1/B], B Poisson cut to [1, most]",
        (g + 2).square().sum(-1).numpy(), float((chance / sizes).sum()), on=problem,
    )  # fmt: skip


@quantimed_forms.case("time of a step")
def time_of_a_step() -> Verdict:
    """E of a step's time for 3 workers: T_d + E(max_i first_i - T_d)^+ of exponential firsts."""
    ones = torch.ones((3, 1), dtype=torch.float64)
    problem, n, deadline = Quadratic.from_arrays(ones, ones), 3, 0.5
    method = QuanTimed(
        ConstantStep(0.1), ConstantStep(1.0), Ring(3), Identity(), Exponential(_MEAN), deadline, 2
    )
    *_, last = path(method, problem, 1, seed=_SEED, replicas=20000)
    grid = np.linspace(deadline, 60.0, 200001)
    late = np.trapezoid(1 - (1 - np.exp(-grid / _MEAN)) ** n, grid)
    return mean_is(
        "a step takes the deadline, or as long as the last first gradient", last.state.time.numpy(),
        deadline + float(late), on=problem,
        words=f"seed {_SEED}, 20000 replicas, 3 workers, deadline {deadline:g}",
    )  # fmt: skip


# Closed forms: the fixed points of beer and motef.

Build = Callable[..., Method[Any]]
"""A method of a stepsize rule, a topology, an operator and c."""

_N, _D, _FIXED_POINT_SEED = 6, 3, 63


def _rests(build: Build) -> Verdict:
    problem = drawn_quadratic(_N, _D, _FIXED_POINT_SEED)
    x = problem.x_star.expand(1, _N, _D).contiguous()
    zero, g = torch.zeros_like(x), problem.full_gradient(x, torch.arange(_N))
    method = build(ConstantStep(0.1), drawn_weights(_N, _FIXED_POINT_SEED), TopK(1), 0.4)
    rest = BEERState(x, x, x, zero, zero, zero, g)
    return is_fixed_point(method, rest, problem, "X = H = x*, V = Z = 0, M = G(x*)")


beer_rest = ClosedForms("beer", "quadratic", name="beer_rest")
"""Fixed point of BEER."""


@beer_rest.case()
def beer_stays(build: Build = BEER) -> Verdict:
    """The fixed point X = H = x*, V = Z = 0 is kept."""
    return _rests(build)


motef_rest = ClosedForms("motef", "quadratic", name="motef_rest")
"""Fixed point of MoTEF."""


@motef_rest.case()
def motef_stays(build: Build = motef) -> Verdict:
    """The fixed point, with the moving mean at G(x*), is kept."""
    return _rests(build)
