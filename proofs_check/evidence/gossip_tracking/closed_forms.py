"""Closed forms of gradient tracking, EXTRA, NIDS and exact diffusion.

Models by a second recursion in numpy as the papers print it, the numbers of two workers, the fixed
point, the mean of the workers, and the exact limits of the stepsize on one curvature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, final

import numpy as np
import torch

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.d2 import D2
from algorithms.methods.gossip_tracking.corrected import (
    EXACT_DIFFUSION,
    EXTRA,
    NIDS,
    CorrectedGossip,
    CorrectedState,
)
from algorithms.methods.gossip_tracking.gradient_tracking import (
    GradientTracking,
    StepOrder,
    TrackingState,
)
from algorithms.methods.gossip_tracking.k_gt import KGTState
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_tracking import (
    Build,
    drawn_quadratic,
    drawn_weights,
    force,
    growth,
    pair,
    rows_after,
    rows_along,
    two_curvatures,
)
from proofs_check.instruments.closed_forms import ClosedForms, none_wrong, same
from proofs_check.instruments.paths import path, world_of
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.networks.tracking_limits import (
    atc_tracking_limit,
    diging_limit,
    extra_limit,
    mode_radius,
    nids_limit,
)
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

MODES = (-0.9, -0.5, -0.2, 0.3, 0.6, 0.9)
"""Eigenvalues at which stepsize limits are looked at."""

DIGING_AFTER_TEN = (0.76311934, 0.73519817)
"""Models of two workers (a = (1, 4), c = (0, 1), W = [[3/4, 1/4], [1/4, 3/4]], step 0.1) after ten
steps of DIGing."""

DGD_LIMITS = ((0.1, (0.60606061, 0.84848485)), (0.05, (0.68965517, 0.82758621)))
"""Stepsizes, and where gossip without a correction stops there."""

_STEP = ConstantStep(0.1)
_N, _D, _SEED = 6, 3, 61


def atc(step_rule: Stepsize, topology: Topology) -> GradientTracking:
    """Gradient tracking that adapts first."""
    return GradientTracking(step_rule, topology, StepOrder.ADAPT_FIRST)


def extra(step_rule: Stepsize, topology: Topology) -> CorrectedGossip:
    """EXTRA's printed recursion."""
    return CorrectedGossip(step_rule, topology, EXTRA)


def nids(step_rule: Stepsize, topology: Topology) -> CorrectedGossip:
    """NIDS's printed recursion."""
    return CorrectedGossip(step_rule, topology, NIDS)


def exact_diffusion(step_rule: Stepsize, topology: Topology) -> CorrectedGossip:
    """Exact diffusion's printed recursion."""
    return CorrectedGossip(step_rule, topology, EXACT_DIFFUSION)


def converges(build: Build) -> Verdict:
    """Two workers of different Hessians: both stop at x*."""
    return same(
        "two workers, a = (1, 4), c = (0, 1), step 0.1: both stop at x* = 0.8",
        rows_after(build(_STEP, pair()), two_curvatures(), 400), 0.8, tolerance=1e-12,
        words="400 steps, W = [[3/4, 1/4], [1/4, 3/4]]", on=two_curvatures(), check="no bias",
    )  # fmt: skip


def mean_is_gradient_descent(build: Build) -> Verdict:
    r"""\bar x^{t+1} = \bar x^t - \gamma_t mean_i grad f_i(x_i^t), while \gamma_t falls."""
    problem, rule = drawn_quadratic(_N, _D, _SEED), InverseTimeStep(2.0, 10.0)
    x, at = rows_along(build(rule, drawn_weights(_N, _SEED)), problem, 60), force(problem)
    moved = [-rule(t) * at(x[t]).mean(0) for t in range(60)]
    return same(
        "the mean of the workers moves by -gamma_t times the mean of their gradients",
        np.diff(x.mean(1), axis=0), np.array(moved), on=problem, tolerance=1e-12,
        words=f"60 steps, {rule}, seed {_SEED}", check="mean model",
    )  # fmt: skip


def as_printed(build: Build, printed: Any) -> Verdict:
    """Models along 25 steps by another recursion, ``printed(x0, w, gamma, gradients, steps)``."""
    problem, topology = drawn_quadratic(_N, _D, _SEED), drawn_weights(_N, _SEED)
    x0 = np.zeros((_N, _D))
    return same(
        "models of all workers, by the recursion as it is printed",
        rows_along(build(_STEP, topology), problem, 25),
        np.stack(printed(x0, topology.matrix(0), 0.1, force(problem), 25)), tolerance=1e-12,
        on=problem, words=f"25 steps, numpy, seed {_SEED}", check="recursion",
    )  # fmt: skip


def is_fixed_point(method: Method[Any], state: Any, problem: Problem, name: str) -> Verdict:
    """One round from the fixed point of ``problem``."""
    after = method.step(state, 1, world_of(problem, 0, 1))
    moved = torch.stack([(b - a).abs().max() for a, b in zip(state, after, strict=True)])
    return same(
        f"the fixed point, {name}, does not move", moved, 0.0, tolerance=1e-14, on=problem,
        check="fixed point", words=f"one step, seed {_SEED}, gradients at x* differ from 0",
    )  # fmt: skip


def reaches_minimiser(method: Method[Any], problem: Quadratic, steps: int) -> Verdict:
    """Every worker at x* at a constant stepsize, whatever the data."""
    return same(
        "every worker stops at x*", rows_after(method, problem, steps), problem.x_star,
        tolerance=1e-10, on=problem,
    )  # fmt: skip


def corrections_cancel(method: Method[Any], problem: Quadratic) -> Verdict:
    """sum_i c_i = 0 after each of 40 steps."""
    sums = torch.stack([one.state.c.sum(-2) for one in path(method, problem, 40)])
    return same("the corrections sum to 0", sums, 0.0, tolerance=1e-12)


def corrected_stays(method: Method[Any], problem: Quadratic) -> Verdict:
    """The fixed point X = x*, c = -G(x*) of corrected local steps is kept."""
    x = problem.x_star.expand(1, problem.n, problem.d).contiguous()
    c = -problem.full_gradient(x, torch.arange(problem.n))
    return is_fixed_point(method, KGTState(x, x, c), problem, "X = x*, c = -G(x*)")


def limits(build: Build, row: str, limit: Any) -> Iterator[Verdict]:
    """Radius of a mode below 1 at 0.99 of its limit and above at 1.01, and as its quadratic has
    it; a mode without a limit is looked at at 2.5."""
    for lam in MODES:
        most = float(limit(lam))
        tried = [0.99 * most, 1.01 * most] if most < np.inf else [2.5]
        seen = [growth(build, s, lam) for s in tried]
        yield same(
            f"mode {lam:g} grows by the root of its quadratic", seen,
            [mode_radius(row, s, lam) for s in tried], tolerance=1e-6,
            check="stability", words=f"steps {', '.join(f'{s:.6g}' for s in tried)}, curvature 1",
        )  # fmt: skip
        wrong = sum((radius < 1) != (s < most) for radius, s in zip(seen, tried, strict=True))
        yield none_wrong(
            f"mode {lam:g} is stable for s < {most:.6g} and not beyond", wrong,
            f"radius {', '.join(f'{one:.6f}' for one in seen)} at s = "
            f"{', '.join(f'{s:.6g}' for s in tried)}",
            check="stability", words="growth of a mode over the method's own steps, curvature 1",
        )  # fmt: skip


def printed_diging(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """X+ = W X - gamma Y; Y+ = W Y + G+ - G; Y0 = G0."""
    y = at(x)
    rows = [x]
    for _ in range(steps):
        moved = w @ x - gamma * y
        y = w @ y + at(moved) - at(x)
        x = moved
        rows.append(x)
    return rows


def printed_atc(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """X+ = W (X - gamma Y); Y+ = W (Y + G+ - G); Y0 = G0."""
    y = at(x)
    rows = [x]
    for _ in range(steps):
        moved = w @ (x - gamma * y)
        y = w @ (y + at(moved) - at(x))
        x = moved
        rows.append(x)
    return rows


def printed_extra(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """X1 = W X0 - gamma G0; X'' = (I + W) X' - (I + W)/2 X - gamma (G' - G)."""
    one = np.eye(len(w))
    rows = [x, w @ x - gamma * at(x)]
    for _ in range(steps - 1):
        old, now = rows[-2:]
        rows.append((one + w) @ now - (one + w) / 2 @ old - gamma * (at(now) - at(old)))
    return rows


def printed_nids(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """X1 = X0 - gamma G0; X'' = (I + W)/2 (2 X' - X - gamma (G' - G))."""
    half = (np.eye(len(w)) + w) / 2
    rows = [x, x - gamma * at(x)]
    for _ in range(steps - 1):
        old, now = rows[-2:]
        rows.append(half @ (2 * now - old - gamma * (at(now) - at(old))))
    return rows


def printed_diffusion(x: Floats, w: Floats, gamma: float, at: Any, steps: int) -> list[Floats]:
    """psi = X - gamma G; phi = psi + X - psi of before (X0 at the start); X+ = (I + W)/2 phi."""
    half = (np.eye(len(w)) + w) / 2
    rows, before = [x], x
    for _ in range(steps):
        psi = rows[-1] - gamma * at(rows[-1])
        rows.append(half @ (psi + rows[-1] - before))
        before = psi
    return rows


def _at_rest() -> tuple[Problem, torch.Tensor, torch.Tensor, Topology]:
    problem = drawn_quadratic(_N, _D, _SEED)
    centre = problem.x_star.expand(1, _N, _D).contiguous()
    return problem, centre, problem.full_gradient(centre, torch.arange(_N)), Ring(_N)


def _tracking_rests(build: Build) -> Verdict:
    problem, x, g, topology = _at_rest()
    rest = TrackingState(x, torch.zeros_like(x), g)
    return is_fixed_point(build(_STEP, topology), rest, problem, "X = x*, Y = 0, G = G(x*)")


def _correction_rests(build: Build) -> Verdict:
    problem, x, g, topology = _at_rest()
    rest = CorrectedState(x, x, 0.1 * g)
    return is_fixed_point(build(_STEP, topology), rest, problem, "X = X_old = x*")


@final
class FamilyCases(NamedTuple):
    """Cases that all methods of the family have, each to be asked of a method that is built.

    Attributes:
        converges: both of two workers stop at the minimiser.
        mean: the mean model makes gradient steps.
        printed: models along the printed recursion.
        is_fixed_point: the fixed point, whatever the data.
        limits: largest stepsizes of the modes.
    """

    converges: Callable[..., Any]
    mean: Callable[..., Any]
    printed: Callable[..., Any]
    is_fixed_point: Callable[..., Any]
    limits: Callable[..., Any]


def family_cases(
    forms: ClosedForms, own: Build, printed: Any, rests: Callable[[Build], Verdict],
    limited: tuple[str, Any],
) -> FamilyCases:  # fmt: skip
    """Cases of ``forms``, of ``own`` unless another method is asked: its ``printed`` recursion, how
    it ``rests``, and the row that its modes are ``limited`` as, with the limit of a mode."""

    def case(form: Callable[[Build], Any], check: str = "") -> Callable[..., Any]:
        def asked(build: Build = own) -> Any:
            return form(build)

        return forms.case(check, on="quadratic" if check == "stability" else "")(asked)

    return FamilyCases(
        case(converges),
        case(mean_is_gradient_descent),
        case(lambda build: as_printed(build, printed)),
        case(rests),
        case(lambda build: limits(build, *limited), "stability"),
    )


tracking_forms = ClosedForms("gradient-tracking", name="tracking_forms")
"""Closed forms of DIGing: s < (1 + l)^2 / 2."""

tracking = family_cases(
    tracking_forms, GradientTracking, printed_diging, _tracking_rests,
    ("gradient-tracking", diging_limit),
)  # fmt: skip
"""Cases of DIGing."""


@tracking_forms.case("closed form", "ten steps, step 0.1, W = [[3/4, 1/4], [1/4, 3/4]]")
def diging_after_ten(build: Build = GradientTracking) -> Verdict:
    """The two models after ten steps, to eight digits."""
    return same(
        "two workers after ten steps of DIGing",
        rows_after(build(_STEP, pair()), two_curvatures(), 10)[:, 0], DIGING_AFTER_TEN,
        tolerance=5e-9, on=two_curvatures(),
    )  # fmt: skip


@tracking_forms.case("baseline", "3000 steps, W = [[3/4, 1/4], [1/4, 3/4]]")
def bias_without_tracking(build: Build = DPSGD) -> Iterator[Verdict]:
    """Where gossip with own gradients stops: ((I - W)/gamma + A) x = A c."""
    for gamma, limit in DGD_LIMITS:
        found = rows_after(build(ConstantStep(gamma), pair()), two_curvatures(), 3000)[:, 0]
        yield same(
            f"D-PSGD stops beside x* = 0.8, step {gamma:g}", found, limit,
            tolerance=6e-9, on=two_curvatures(),
        )  # fmt: skip


@tracking_forms.case("conservation", f"30 steps, sigma2 = 1, 4 replicas, ring of 6, seed {_SEED}")
def tracker_mean_is_kept(build: Build = GradientTracking) -> Verdict:
    """mean Y = mean G after every step, with gradients of fresh samples."""
    drawn = drawn_quadratic(_N, _D, _SEED)
    problem = drawn.from_arrays(drawn.a, drawn.c / drawn.a, sigma2=1.0)
    method, t = build(_STEP, Ring(_N)), 0
    apart, world = [], None
    for moment in path(method, problem, 30, seed=_SEED, replicas=4):
        if world is not None:
            g = moment.context.gradient(world, t - 1)
            apart.append(moment.state.y.mean(-2) - g.mean(-2))
        world, t = method.models(moment.state), t + 1
    return same(
        "the mean of the trackers is that of the gradients that were taken",
        torch.stack(apart), 0.0, tolerance=1e-12, on=problem,
    )  # fmt: skip


atc_forms = ClosedForms("atc-tracking", name="atc_forms")
"""Closed forms of tracking that adapts first: s < (1 + l)^2 / (2 l^2)."""

adapting = family_cases(
    atc_forms, atc, printed_atc, _tracking_rests, ("atc-tracking", atc_tracking_limit)
)
"""Cases of tracking that adapts first."""

extra_forms = ClosedForms("extra", name="extra_forms")
"""Closed forms of EXTRA: s < (5 + 3 l)/4."""

extra_cases = family_cases(
    extra_forms, extra, printed_extra, _correction_rests, ("extra", extra_limit)
)
"""Cases of EXTRA."""

nids_forms = ClosedForms("nids", name="nids_forms")
"""Closed forms of NIDS: s < 3/2 + 1/(1 + l), beyond 2 whatever W, the limit of the mean."""

nids_cases = family_cases(nids_forms, nids, printed_nids, _correction_rests, ("nids", nids_limit))
"""Cases of NIDS, whose first step is not mixed."""

diffusion_forms = ClosedForms("exact-diffusion", name="diffusion_forms")
"""Closed forms of exact diffusion, which adapts, corrects, combines; limits of NIDS."""

diffusion = family_cases(
    diffusion_forms, exact_diffusion, printed_diffusion, _correction_rests, ("nids", nids_limit)
)
"""Cases of exact diffusion."""


@diffusion_forms.case("equal to D-squared", f"40 steps, falling stepsizes, seed {_SEED}")
def diffusion_is_d2(build: Build = exact_diffusion) -> Verdict:
    """D-squared on (I + W)/2, on a W that D-squared itself would refuse."""
    problem, rule, topology = drawn_quadratic(2, _D, _SEED), InverseTimeStep(2.0, 10.0), pair(-0.6)
    return same(
        "exact diffusion on W is D-squared on (I + W)/2",
        rows_along(build(rule, topology), problem, 40),
        rows_along(D2(rule, Lazy(topology)), problem, 40), tolerance=1e-12, on=problem,
    )  # fmt: skip
