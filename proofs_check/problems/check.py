"""Are a problem's stated constants true of its code?

Each constant is measured by a route of its own: Hessians by automatic or numerical differentiation
and numpy's eigenvalues, minima by scipy, moments by sampling. Constants stated exactly are held
two-sidedly (the extreme found must attain them), bounds one-sidedly at drawn points and at points
to which ascents lead (:mod:`proofs_check.problems.worst_points`). Above 200 parameters Hessians are
not formed: L comes from Lanczos iterations, other curvatures are held one-sidedly over pairs of
points.

A float32 problem states constants of its data: they are checked in float64, to 1e-6, and its
float32 gradients are compared with those.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

import scipy
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.problems.base import Problem
from proofs_check.instruments.evidence import identity
from proofs_check.problems import curvature
from proofs_check.problems.all_samples import exact_noise
from proofs_check.problems.along_runs import check_along_runs
from proofs_check.problems.gradient_noise import gradient_noise, single
from proofs_check.problems.kernels import compiled_steps
from proofs_check.problems.worst_points import worst_points
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats
from theory.constants import Constants, Kind

_SCALES = (0.03, 0.3, 1.0, 3.0, 30.0)
_DENSE = 200  # parameters up to which Hessians are formed
_ASCENTS, _REPEATS, _FAR = 10, 16, 1e3  # for the longest gradients: steps, draws, length [x]
_TIGHT, _NUMERIC = 1e-9, 1e-6  # relative tolerance: of double precision, of differences


@final
@dataclass(frozen=True)
class _Probe:
    """A problem in float64, its stated constants, and the points ``[P, d]`` it is looked at."""

    problem: Problem
    stated: Constants
    points: Tensor
    seed: int
    tolerance: float = _TIGHT

    def verdict(
        self,
        name: str,
        found: float,
        claim: str,
        side: Kind | None = None,
        floor: float = 0.0,
    ) -> Verdict:
        """Hold the extreme ``found`` against constant ``name``: its kind says on which side.

        ``floor`` is the absolute error of ``found`` itself.
        """
        value = float(getattr(self.stated, name))
        statement = self.stated.statements[name]
        kind = side or statement.kind
        slack = self.tolerance * max(abs(value), abs(found), 1e-12) + floor
        over, under = not found <= value + slack, not found >= value - slack  # NaN is wrong
        wrong = {Kind.UPPER: over, Kind.LOWER: under}.get(kind, over or under)
        held = Outcome.SUPPORTED if kind in (Kind.UPPER, Kind.LOWER) else Outcome.AGREES
        return Verdict(
            subject=self.problem.name,
            problem=self.problem.name,
            claim=f"{name} = {value:.6g} ({kind.value}, {statement.where}): {claim}",
            check=f"constant {name}",
            outcome=Outcome.REFUTED if wrong else held,
            statistic=found,
            bound=value,
            uncertainty=slack,
            resolution=slack,
            tightness=found / value if value else None,
            evidence=f"found {found:.12g} against {value:.12g} over {len(self.points)} points",
            provenance=f"{statement.why}; seed {self.seed}",
        )


def check_problem(problem: Problem, *, seed: int) -> tuple[Verdict, ...]:
    """Verdicts on gradients, noise and every constant that ``problem.constants()`` states.

    Points are drawn around the start and the minimiser, and left by runs
    (:mod:`proofs_check.problems.along_runs`).
    """
    wide, tolerance = problem, _TIGHT
    if problem.dtype != torch.float64:
        wide, tolerance = problem.double(), _NUMERIC
    probe = _Probe(wide, problem.constants(), _points(wide, seed), seed, tolerance)
    found = (
        *_sizes(probe),
        *_gradients(probe),
        *(single(problem, wide, probe.points, seed) if wide is not problem else ()),
        *gradient_noise(wide, probe.points, seed),
        *exact_noise(wide, probe.points, seed),
        *(_curvature(probe) if problem.d <= _DENSE else _large_curvature(probe)),
        *_moments(probe),
        *_steepest(probe),
        *_minimum(probe),
        *check_along_runs(problem, seed=seed, tolerance=tolerance),
        *compiled_steps(problem, seed=seed),
    )
    return tuple(replace(verdict, kind=CheckKind.PROBLEM) for verdict in found)


def _points(problem: Problem, seed: int) -> Tensor:
    """The start, the minimiser if known, and Gaussian points at several scales around the start.

    Not a minimiser in which f has no derivative in any direction: gradients of the workers are not
    those of f there.
    """
    count = 4 if problem.d <= _DENSE else 1
    draws = Key.seed(seed).fold("points").draws(torch.tensor(0), torch.arange(len(_SCALES) * count))
    drawn = draws.normal(problem.d, problem.dtype)
    scale = torch.tensor(_SCALES, dtype=problem.dtype).repeat_interleave(count)
    rows = [problem.start()[None], problem.start() + scale[:, None] * drawn / problem.d**0.5]
    if problem.x_star is not None and not bool(problem.kinks(problem.x_star).all()):
        rows.append(problem.x_star[None])
    return torch.cat(rows)


def _sizes(probe: _Probe) -> Iterator[Verdict]:
    """n and d against the shape of the gradients."""
    n, d = probe.problem.all_gradients(probe.points[0]).shape
    for name, found in (("n", n), ("d", d)):
        if getattr(probe.stated, name) is not None:
            yield probe.verdict(name, found, "as the gradients' shape has it")


def _gradients(probe: _Probe) -> Iterator[Verdict]:
    """grad f against automatic differentiation of f where it has a derivative, and against the mean
    of the workers'."""
    problem = probe.problem
    x = probe.points.clone().requires_grad_()
    (automatic,) = torch.autograd.grad(problem.value(x).sum(), x)
    kinks = problem.kinks(probe.points)
    automatic = torch.where(kinks, problem.mean_gradient(probe.points), automatic)
    for claim, other in (
        ("grad f is the derivative of f", automatic),
        ("grad f = (1/n) sum_i grad f_i", problem.all_gradients(probe.points).mean(-2)),
    ):
        yield identity(
            problem.name, claim, problem.mean_gradient(probe.points).numpy(), other.numpy(),
            check="gradient", problem=problem.name, tolerance=_TIGHT,
            provenance=f"seed {probe.seed}",
        )  # fmt: skip


def _curvature(probe: _Probe) -> Iterator[Verdict]:
    """L, mu, pl and convexity of f from eigenvalues; L_max and mu_min of the f_i likewise."""
    problem, c = probe.problem, probe.stated
    if {"L", "mu", "pl", "convex"} & set(c.stated()):
        seen = curvature.spectrum(problem, probe.points)
        floor, least = 1e-13 * seen.norm, float(seen.values.min())
        if c.L is not None:
            yield probe.verdict("L", seen.norm, "largest eigenvalue of the Hessian of f")
        if c.mu is not None:
            yield probe.verdict("mu", least, "smallest eigenvalue of the Hessian", floor=floor)
        if c.convex:
            yield _convex(probe, least)
        if c.pl is not None:
            yield _pl(probe, seen)
    if c.L_max is not None or c.mu_min is not None:
        farthest = int(probe.points.square().sum(-1).argmax())
        some = sorted({0, len(probe.points) // 2, len(probe.points) - 1, farthest})
        low, high = curvature.worker_extremes(problem, probe.points[some])
        floor = _NUMERIC * max(abs(low), abs(high))
        if c.L_max is not None:
            yield probe.verdict("L_max", max(-low, high), "largest curvature of f_i", floor=floor)
        if c.mu_min is not None:
            yield probe.verdict("mu_min", low, "smallest curvature of any f_i", floor=floor)


def _large_curvature(probe: _Probe) -> Iterator[Verdict]:
    """The same where Hessians are not formed: L by Lanczos, the others over pairs of points."""
    c, x = probe.stated, probe.points
    if c.L is not None:
        yield probe.verdict("L", curvature.largest_curvature(probe.problem, x), "by Lanczos")
    seen = curvature.pairs(probe.problem, x)
    if c.mu is not None:
        yield probe.verdict("mu", seen.least, "over pairs of points", side=Kind.LOWER)
    if c.convex:
        yield _convex(probe, seen.least)
    if c.pl is not None:
        yield _pl(probe, None)
    if c.L_max is not None:
        yield probe.verdict("L_max", seen.norm_worker, "over pairs of points", side=Kind.UPPER)
    if c.mu_min is not None:
        yield probe.verdict("mu_min", seen.least_worker, "over pairs of points", side=Kind.LOWER)


def _convex(probe: _Probe, least: float) -> Verdict:
    name = probe.problem.name
    return identity(
        name, "f is convex: no negative curvature", min(0.0, least), 0.0,
        check="constant convex", problem=name, tolerance=_TIGHT,
    )  # fmt: skip


def _pl(probe: _Probe, seen: curvature.HessianSpectrum | None) -> Verdict:
    """Least ||grad f||^2 / (2 (f - f*)), also along the eigenvectors at the minimiser."""
    problem = probe.problem
    if problem.x_star is None or problem.f_star is None:
        return Verdict(
            subject=problem.name, problem=problem.name, check="constant pl",
            claim=f"pl = {probe.stated.pl:.6g}", outcome=Outcome.NOT_APPLICABLE,
            evidence="f* is not known",
        )  # fmt: skip
    x = probe.points[:-1]
    if seen is not None:
        bent = seen.vectors[-1][:, seen.values[-1] > 1e-9 * seen.norm].T
        x = torch.cat((x, problem.x_star + torch.from_numpy(bent.copy())))
    gap = problem.value(x) - problem.f_star
    square = problem.mean_gradient(x).square().sum(-1)
    far = gap > 1e-9
    found = float((square[far] / (2 * gap[far])).min())
    side = Kind.LOWER if seen is None else None
    return probe.verdict("pl", found, "||grad f||^2 / (2 (f - f*))", side=side)


def _moments(probe: _Probe) -> Iterator[Verdict]:
    """sigma2, zeta2 and G2 at all points and where an ascent finds them largest; G2 inside the ball
    where it is stated."""
    far = worst_points(probe.problem, probe.stated, probe.points)
    probe = replace(probe, points=torch.cat((probe.points, *far)))
    problem, c, x = probe.problem, probe.stated, probe.points
    noise = problem.noise(x)
    if c.sigma2 is not None:
        yield probe.verdict("sigma2", float(noise.max()), "largest noise of any worker")
        if c.statements["sigma2"].kind is Kind.EXACT:
            yield probe.verdict("sigma2", float(noise.min()), "smallest noise of any worker")
    if c.zeta2 is not None:
        spread = problem.heterogeneity(x)
        yield probe.verdict("zeta2", float(spread.max()), "largest heterogeneity")
        if c.statements["zeta2"].kind is Kind.EXACT:
            yield probe.verdict("zeta2", float(spread.min()), "smallest heterogeneity")
    if c.zeta2_star is not None and problem.x_star is not None:
        star = float(problem.heterogeneity(problem.x_star))
        yield probe.verdict("zeta2_star", star, "heterogeneity at the minimiser")
    if c.G2 is not None:
        second = noise + problem.all_gradients(x).square().sum(-1)
        inside = x.norm(dim=-1) <= problem.G2_radius
        if bool(inside.any()):
            yield probe.verdict("G2", float(second[inside].max()), "largest E||g_i||^2 in its ball")


def _steepest(probe: _Probe) -> Iterator[Verdict]:
    """lipschitz at all points, and where gradients of convex functions grow: far along them."""
    problem, c = probe.problem, probe.stated
    if c.lipschitz is None:
        return
    x, longest = probe.points.repeat(_REPEATS, 1)[:, None], 0.0
    key = Key.seed(probe.seed).fold("steep")
    draws = key.draws(torch.arange(len(x)), torch.arange(problem.n))
    for _ in range(_ASCENTS):
        rows = problem.gradient(x, draws)
        lengths = rows.norm(dim=-1, keepdim=True)
        longest = max(longest, float(lengths.max()))
        x = _FAR * rows / lengths.clamp_min(1e-300)
    yield probe.verdict("lipschitz", longest, "longest gradient drawn")


def _minimum(probe: _Probe) -> Iterator[Verdict]:
    """f*, initial_gap and R2 against scipy's minimiser."""
    problem, c = probe.problem, probe.stated
    start = float(problem.value(problem.start()))
    if c.f_star is not None:
        least = _least(problem)
        yield probe.verdict("f_star", least, "scipy finds no smaller value", side=Kind.LOWER)
        if problem.x_star is not None:
            yield identity(
                problem.name, "f(x*) = f*", float(problem.value(problem.x_star)), c.f_star,
                check="constant f_star", problem=problem.name, tolerance=probe.tolerance,
            )  # fmt: skip
        gap = start - c.f_star
        if c.initial_gap is not None:
            yield probe.verdict("initial_gap", gap, "f(x_0) - f*")
    if c.R2 is not None and problem.x_star is not None:
        distance = float((problem.start() - problem.x_star).square().sum())
        yield probe.verdict("R2", distance, "||x_0 - x*||^2")
        yield identity(
            problem.name, "grad f(x*) = 0", problem.mean_gradient(problem.x_star).numpy(), 0.0,
            check="minimiser", problem=problem.name, tolerance=probe.tolerance,
        )  # fmt: skip


def _least(problem: Problem) -> float:
    """The least f of a run of scipy's L-BFGS from the start."""

    def objective(x: Floats) -> tuple[float, Floats]:
        point = torch.from_numpy(x).to(problem.dtype)
        return float(problem.value(point)), problem.mean_gradient(point).double().numpy()

    found = scipy.optimize.minimize(
        objective, problem.start().double().numpy(), jac=True, method="L-BFGS-B",
        options={"maxiter": 500 if problem.d <= _DENSE else 50, "gtol": 1e-9},
    )  # fmt: skip
    return float(found.fun)
