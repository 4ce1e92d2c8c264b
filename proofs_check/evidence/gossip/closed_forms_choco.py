"""Closed forms: choco gossip, choco sgd, zooming."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.requirements import OutOfRange
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.compressors.zooming_range import ZoomingRange
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoGossip, ChocoSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.evidence.gossip.closed_forms import bits_of_gossip, consensus_problem
from proofs_check.instruments.closed_forms import ClosedForms, same, supported
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.evidence import IDENTITY
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.networks.zooming import Zooming
from theory.stepsizes import ConstantStep
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex

# CHOCO-Gossip: mode factors without compression, and the mean with any.
#
# With Q = I each mode of W contracts by 1 - gamma (1 - lambda), so gamma = 1 is X <- W X. For any Q
# the mean over workers is kept: sum_i sum_j W_ij (xhat_j - xhat_i) = 0 (Koloskova, Stich, Jaggi
# 2019, arXiv:1902.00340).


Build = Callable[[Topology, Compressor, float], Method[Any]]


choco_gossip = ClosedForms("choco-gossip")
"""Closed forms of choco-gossip."""


@choco_gossip.case("closed form", "30 rounds, no randomness")
def mode_factors(build: Build = ChocoGossip) -> Iterator[Verdict]:
    """Slowest mode of the ring of 8 without compression, gamma = 0.3, 0.7, 1."""
    lam = (1 + 2 * math.cos(2 * math.pi / 8)) / 3
    b = torch.cos(2 * math.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None]
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    for gamma in (0.3, 0.7, 1.0):
        trace = run(build(Ring(8), Identity(), gamma), problem, steps=30, points=100)
        rms = trace.consensus[0] ** 0.5
        yield same(
            f"Q = I: slowest mode of the ring of 8 contracts by 1-gamma(1-lambda), gamma={gamma:g}",
            rms[1:] / rms[:-1], 1 - gamma * (1 - lam), on=problem,
        )  # fmt: skip


@choco_gossip.case("closed form", "20 rounds on the ring of 8, standard normal B, seed 41")
def equals_gossip(build: Build = ChocoGossip) -> Verdict:
    """gamma = 1, Q = I: X_t = W^t X_0."""
    problem, topology = consensus_problem(8, 5, 41), Ring(8)
    trace = run(build(topology, Identity(), 1.0), problem, steps=20, points=3)
    w = torch.from_numpy(topology.matrix(0).copy())
    b = problem.all_gradients(torch.zeros(5, dtype=torch.float64)).neg()
    return same(
        "Q = I, gamma = 1: models after t rounds are W^t B", trace.rows[0],
        torch.linalg.matrix_power(w, 20) @ b, on=problem,
    )  # fmt: skip


@choco_gossip.case(
    "mean preservation", "seed 43, 2 replicas, 200 rounds on the 4 x 4 torus, gamma 0.1"
)
def mean_is_kept(build: Build = ChocoGossip) -> Iterator[Verdict]:
    """Mean over workers along 200 rounds, for biased and unbiased operators."""
    problem = consensus_problem(16, 12, 42)
    centre = problem.x_star
    assert centre is not None
    operators: tuple[Compressor, ...] = (TopK(2), RandK(3, scaled=False), QSGD(4), ScaledSign())
    for operator in operators:
        yield same(
            f"the mean over workers never moves, {operator.name}",
            models(build(Torus.square(16), operator, 0.1), problem, 200, seed=43, replicas=2),
            centre, on=problem,
        )  # fmt: skip


# CHOCO-SGD: its bits, and the second terms of its bounds (errata E21 and E22).


@demonstrates("E21", "choco-sgd", "without noise the bound falls as T^-2, not T^-1")
def e21() -> Shown:
    """CHOCO-SGD, strongly convex: the second term is squared."""
    T, gap, delta = 1e4, 0.1, 0.1
    c = Constants(n=1, sigma2=0.0, G2=1.0, R2=0.0, L_max=1.0, mu_min=1.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    step, late = choco_sgd_strongly_convex.stepsize(c, 1), np.array([1e19, 1e20])
    bound = choco_sgd_strongly_convex.bound(c, step, late)
    return (
        (math.log10(bound[1] / bound[0]), -2.0),
        (1 / (T * gap**2 * delta), 1 / (T * gap**2 * delta) ** 2),
        "at T = 1e4, gap = delta = 0.1 the squared term is 0.01, as printed 0.1",
    )


@demonstrates("E22", "choco-sgd", "the term n/(gap^4 delta^2 T) is 16 at n = 16, T = 1e6, 0.1, 0.1")
def e22() -> Shown:
    """CHOCO-SGD, non-convex: the second term grows with n."""
    n, T, gap, delta = 16, 1e6, 0.1, 0.1
    c = Constants(n=1, L_max=1.0, sigma2=0.0, G2=1.0, initial_gap=0.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    one, many = (choco_sgd_nonconvex.printed(c.state(n=m), int(T)) for m in (1, n))
    return (
        (many / one * 1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
        (1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
        "Theorem 4.1 of the paper has 24 G^2 n L / (c^2 (T+1))",
    )


_CHOCO_SGD_FORMS = ClosedForms("choco-sgd")


@_CHOCO_SGD_FORMS.case(
    "a step by hand",
    "Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Algorithm 2",
    on="path of 3, quadratic",
)
def first_round(build: Callable[..., Method[Any]] = ChocoSGD) -> Verdict:
    """One step from equal public copies of zero: x - eta g, then gamma (W - I) Q(x - eta g).

    By hand on a path of three workers, f_i = ||x - b_i||^2/2, Q the identity and top-1.
    """
    b = np.array([[1.0, 0.0], [0.0, 2.0], [-3.0, 1.0]])
    w = np.array([[2, 1, 0], [1, 1, 1], [0, 1, 2]]) / 3
    eta, gamma = 0.25, 0.4
    half = eta * b  # from 0, where the gradient of f_i is -b_i
    largest = np.where(np.abs(half) == np.abs(half).max(axis=1, keepdims=True), half, 0.0)
    got, wanted = [], []
    problem = Quadratic.from_arrays(torch.ones(3, 2, dtype=torch.float64), torch.from_numpy(b))
    for operator, public in ((Identity(), half), (TopK(1), largest)):
        method = build(ConstantStep(eta), Path(3), operator, gamma)
        last = list(path(method, problem, 1))[-1]
        got.append(method.models(last.state)[0].numpy())
        wanted.append(half + gamma * (w @ public - public))
    return same(
        "one step is x - eta g + gamma (W - I) Q(x - eta g)", np.array(got), np.array(wanted)
    )


def choco_sgd() -> tuple[Verdict, ...]:
    """The bits of coordinates in eight-bit fixed point, and a step by hand."""
    eight = FixedPoint(fraction=4, width=8)
    bits = bits_of_gossip("choco-sgd", lambda on: ChocoSGD(ConstantStep(0.1), on, eight, 0.5), 8)
    return (bits, first_round())


# CHOCO-Gossip through a quantiser whose range shrinks: agreement at the derived rate.
#
# Li, Fu, Xie, Zhang 2011 (IEEE TAC 56(2)); see :mod:`theory.networks.zooming`. Every coordinate's
# disagreement stays below A R_0 \kappa^t, and no difference leaves the range. With a fixed range of
# as many bits public copies come no nearer than a cell.


D = 5
_STEPS = 400
_SETTINGS: tuple[tuple[Topology, float, int], ...] = (
    (Ring(6), 0.05, 2),
    (Torus(3, 3), 0.4, 4),
    (Complete(8), 1.0, 6),
)


def setting(topology: Topology, gamma: float, b: int) -> tuple[Quadratic, Zooming, float, float]:
    r"""Consensus problem, theory, \kappa halfway between the least derived and 1, and R_0."""
    problem = consensus_problem(topology.n, D, 90)
    theory = Zooming.from_matrix(topology.matrix(0), gamma, b)
    ratio = (1 + theory.ratio) / 2
    return problem, theory, ratio, theory.radius(problem.c.numpy(), ratio)


_CHOCO_GOSSIP_FORMS = ClosedForms("choco-gossip")


@_CHOCO_GOSSIP_FORMS.case("zooming quantiser")
def within(topology: Topology, gamma: float, b: int, hurry: float = 1.0) -> Verdict:
    r"""The largest ||y^t|| / (A R_0 \kappa^t), while the range shrinks as (hurry \kappa)^t."""
    problem, theory, ratio, radius = setting(topology, gamma, b)
    level = theory.spread(ratio) * radius
    method = ChocoGossip(topology, ZoomingRange(radius, b, hurry * ratio), gamma)
    worst, why = 0.0, "nothing beyond the range"
    try:
        for moment in path(method, problem, _STEPS):
            x = moment.state.x[0]
            apart = float((x - x.mean(0)).norm(dim=0).max())
            worst = max(worst, apart / (level * max(ratio**moment.t, 1e-12)))
    except OutOfRange as error:
        worst, why = float("inf"), str(error)
    return supported(
        f"at {b} bits a coordinate workers agree as {ratio:.4f}^t and no difference leaves "
        f"the range, {topology.name}, gamma={gamma:g}",
        worst <= 1 + IDENTITY, worst, 1.0,
        f"disagreement at most {worst:.4g} of the bound in {_STEPS} rounds; {why}", on=problem,
        words=f"derived; n={topology.n}, d={D}",
    )  # fmt: skip


@_CHOCO_GOSSIP_FORMS.case("zooming quantiser")
def fixed_ranges_stall() -> Verdict:
    """Disagreement after 400 rounds on a torus of 9 at 4 bits: fixed range against shrinking."""
    topology, gamma, b = _SETTINGS[1]
    problem, _, ratio, radius = setting(topology, gamma, b)
    shrinking, fixed = (
        float(run(ChocoGossip(topology, q, gamma), problem, steps=_STEPS).consensus[0, -1])
        for q in (ZoomingRange(radius, b, ratio), FixedRange(radius, b))
    )
    return supported(
        "at 4 bits a fixed range stalls where a shrinking one agrees", shrinking < 1e-6 * fixed,
        shrinking, fixed, f"consensus distance {shrinking:.3g} against {fixed:.3g}", on=problem,
        words=f"{_STEPS} rounds, {topology.name}, no randomness",
    )  # fmt: skip


def zooming() -> tuple[Verdict, ...]:
    """The rate on three graphs at 2, 4 and 6 bits, and the stall of a fixed range."""
    return (*(within(*setting) for setting in _SETTINGS), fixed_ranges_stall())


CLOSED_FORMS = (choco_sgd, zooming)


COVERS = {"zooming": ("choco-gossip",)}
